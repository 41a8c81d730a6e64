// The package as it is loaded: one state for `import` and `require`, and errors of the loader.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
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
