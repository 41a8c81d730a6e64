// Builds the addon and puts it beside the JavaScript: node scripts/build.mjs [--release] [more arguments of cargo]

import { spawnSync } from 'node:child_process';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const { platform, arch } = process;

/** The name of a build for this machine, as `js/loader.cjs` looks for it. */
function target() {
  if (platform === 'win32') return `win32-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const { glibcVersionRuntime } = process.report.getReport().header;
  return `linux-${arch}-${glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

const args = ['build', '-p', 'tenspan-node', '--message-format=json-render-diagnostics', ...process.argv.slice(2)];
const cargo = spawnSync('cargo', args, {
  cwd: join(here, '../..'),
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
if (cargo.error) throw cargo.error;
if (cargo.status !== 0) process.exit(cargo.status ?? 1);

const built = cargo.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .filter((message) => message.reason === 'compiler-artifact' && message.target.name === 'tenspan_node')
  .flatMap((message) => message.filenames)
  .find((name) => /\.(so|dylib|dll)$/.test(name));
if (built === undefined) throw new Error('cargo built no library of the name tenspan_node');

// Copied beside and renamed: a process that has the old addon open keeps it.
const addon = join(here, `../js/tenspan.${target()}.node`);
const fresh = `${addon}.${process.pid}.tmp`;
try {
  copyFileSync(built, fresh);
  renameSync(fresh, addon);
} catch (error) {
  rmSync(fresh, { force: true });
  throw error;
}
console.log(addon);
