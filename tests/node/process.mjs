// A script in a process of its own, which must end well and in time.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** Where the package is loaded from. */
export const entry = createRequire(import.meta.url).resolve('tenspan');

/** Milliseconds after which a process is stuck. */
const DEADLINE = 120_000;

/** Runs a script; it sees all of tenspan, `assert`, and `kind`, which tells what a function throws. */
export function run(script, { flags = [], env = {} } = {}) {
  const code = `
    const assert = require('node:assert/strict');
    const tenspan = require(${JSON.stringify(entry)});
    const kind = (work) => { try { work(); } catch (error) { return error.kind ?? error.name; } return 'nothing'; };
    (async () => { ${script} })().then(() => console.log('done'));
  `;
  const { error, status, signal, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: DEADLINE,
    killSignal: 'SIGKILL',
  });
  assert.equal(error, undefined);
  assert.equal(signal, null, stderr);
  assert.equal(status, 0, stderr);
  assert.equal(stdout, 'done\n', stderr);
}
