// The package as it is loaded: one state for `import` and `require`, and errors of the loader.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import * as imported from 'tenspan';

const require = createRequire(import.meta.url);
const required = require('tenspan');

test('import and require give the same objects', async () => {
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
  for (const [name, value] of Object.entries(required)) {
    assert.equal(imported[name], value, name);
    assert.equal((await import('tenspan'))[name], value, name);
  }
  assert.ok(required.zeros([1]) instanceof imported.Tensor);
});

test('what is public stands in the reference', () => {
  // Pages are printed from the spec: what is not there is not in them.
  const folder = new URL('../../docs/reference/', import.meta.url);
  const lines = readdirSync(folder).flatMap((page) => readFileSync(new URL(page, folder), 'utf8').split('\n'));
  const named = (pattern) => lines.map((line) => pattern.exec(line)?.[1]).filter((name) => name !== undefined);
  const functions = named(/^\| Node\.js \| `(\w+)[(<`]/);
  const spelled = new Set([...functions, ...named(/^\| Node\.js \| `(\w+)\./), ...named(/^## (\w+)$/)]);
  const kinds = new Set(named(/^\| `(\w+)` \|/));
  for (const [name, value] of Object.entries(required)) {
    const isError = typeof value === 'function' && value.prototype instanceof required.TenspanError;
    assert.ok((isError ? kinds : spelled).has(name), `${name} is not in the reference`);
  }
  for (const name of functions) assert.ok(Object.hasOwn(required, name), `${name} is in the reference only`);
});

test('the version is that of the package', () => {
  assert.equal(imported.version(), require('tenspan/package.json').version);
});

function run(script, env) {
  const entry = require.resolve('tenspan');
  const code = script.replaceAll('TENSPAN', JSON.stringify(entry));
  return spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', env: { ...process.env, ...env } });
}

test('a missing addon is reported with every attempt', () => {
  const { status, stderr } = run('require(TENSPAN)', { TENSPAN_NATIVE_PATH: '/nowhere/tenspan.node' });
  assert.equal(status, 1);
  assert.match(stderr, /tenspan has no addon for \w+ \w+ that loads:\n.*\/nowhere\/tenspan\.node/);
});

test('nothing but tenspan happens at load', () => {
  const script = `
    const before = new Set(Object.keys(globalThis));
    const errors = Error.prepareStackTrace;
    require(TENSPAN);
    const fresh = Object.keys(globalThis).filter((key) => !before.has(key));
    if (fresh.length || Error.prepareStackTrace !== errors) throw new Error(fresh.join());
    console.log(process._getActiveHandles().length);
  `;
  const { status, stdout, stderr } = run(script);
  assert.equal(status, 0, stderr);
});

/** Runs a command in a folder; what it prints. */
function command(name, args, cwd, env = {}) {
  // Windows finds npm by its shell only.
  const shell = process.platform === 'win32' && name === 'npm';
  const { error, status, stdout, stderr } = spawnSync(name, args, { cwd, shell, encoding: 'utf8', env: { ...process.env, ...env } });
  assert.equal(error, undefined);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout.trim();
}

/** Packs a package into a file of a folder, and gives its name. */
function pack(named, folder) {
  const args = ['pack', named, '--json', '--ignore-scripts', '--pack-destination', folder];
  const packed = JSON.parse(command('npm', args, folder, { npm_config_cache: join(folder, 'npm') }));
  return packed[0];
}

/** The package of this platform, which holds the addon alone. */
function platformPackage(addon, folder) {
  const name = `@tenspan/binding-${addon.slice('tenspan.'.length, -'.node'.length)}`;
  mkdirSync(folder);
  copyFileSync(join(source, 'js', addon), join(folder, addon));
  const { version } = require('tenspan/package.json');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: addon, os: [process.platform], cpu: [process.arch] }));
  return folder;
}

const source = dirname(realpathSync(require.resolve('tenspan/package.json')));

const PROGRAM = `
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Object, cpp, defineObject, getGlobalFunc, loadModule, registerObject, zeros } from 'tenspan';

const require = createRequire(import.meta.url);
assert.equal(require('tenspan').zeros, zeros);
assert.ok(require.resolve('tenspan').startsWith(process.cwd()));
assert.equal(zeros([2]).data.length, 2);
const Point = defineObject('app.Point', { fields: { x: 'float' } });
assert.equal(new Point(1.5).x, 1.5);
if (process.platform === 'linux') {
  const source = 'double half(double x) { return x / 2; }\\nstruct Pair : tenspan::kernel::Object { std::int64_t a = 1; };\\n'
    + 'TENSPAN_OBJECT(Pair, "app.Pair").init<>("One.").field("a", &Pair::a);';
  assert.equal(cpp.loadInline('inline', source, { functions: 'half' }).half(5), 2.5);
  const path = cpp.buildInline('later', source.replace('app.Pair', 'app.Later'), { functions: 'half' });
  assert.equal(loadModule(path).half(3), 1.5);
  class Later extends Object {}
  registerObject('app.Later', Later);
  assert.equal(new Later().a, 1);
}
console.log('done');
`;

test('the addon exports its own names only', { skip: process.platform !== 'linux' && 'other systems name symbols in another way' }, () => {
  const addon = readdirSync(join(source, 'js')).find((name) => name.endsWith('.node'));
  const symbols = command('nm', ['-D', join(source, 'js', addon)], source).split('\n').map((line) => line.trim().split(/ +/).slice(-2));
  assert.deepEqual(symbols.filter(([, name]) => /tvm/i.test(name)), []);
  const exported = symbols.filter(([kind]) => !'Uwv'.includes(kind)).map(([, name]) => name);
  assert.ok(exported.includes('napi_register_module_v1'));
  const own = exported.filter((name) => name.startsWith('TNSJS_'));
  assert.ok(own.length >= 50, own.join());
  assert.deepEqual(exported.filter((name) => !name.startsWith('TNSJS_')), ['napi_register_module_v1']);
});

test('packed and installed in an empty folder, the package does all it does here', { timeout: 300_000 }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenspan-package-')));
  try {
    const main = pack(source, folder);
    const files = main.files.map((file) => file.path);
    for (const name of readdirSync(join(source, 'js'))) {
      assert.equal(files.includes(`js/${name}`), !name.endsWith('.node') && name !== 'generated', name);
    }
    for (const name of ['package.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) assert.ok(files.includes(name), name);
    const addon = readdirSync(join(source, 'js')).find((name) => name.endsWith('.node'));
    const platform = pack(platformPackage(addon, join(folder, 'platform')), folder);
    const app = join(folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private": true, "type": "module"}');
    writeFileSync(join(app, 'main.mjs'), PROGRAM);
    const packages = [main, platform].map(({ filename }) => join(folder, filename));
    const install = ['install', '--offline', '--no-audit', '--no-fund', ...packages];
    command('npm', install, app, { npm_config_cache: join(folder, 'npm') });
    const env = { TENSPAN_NATIVE_PATH: '', NODE_PATH: '', TENSPAN_CACHE_DIR: join(folder, 'cache') };
    assert.equal(command(process.execPath, ['main.mjs'], app, env), 'done');
    assert.match(readFileSync(join(app, 'package-lock.json'), 'utf8'), /node_modules\/tenspan/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
