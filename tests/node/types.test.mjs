// The declarations: samples that must compile, and lines of which each must fail.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const folder = fileURLToPath(new URL('./types/', import.meta.url));

function compile(files, { module = 'nodenext', lib = 'es2022' } = {}) {
  const resolution = module === 'nodenext' ? 'nodenext' : 'bundler';
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
  const args = [tsc, ...options, '--module', module, '--moduleResolution', resolution, '--lib', lib, ...files];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { status, stdout };
}

for (const [module, lib] of [['nodenext', 'es2022'], ['nodenext', 'esnext'], ['esnext', 'es2022']]) {
  test(`the samples compile under ${module} with lib ${lib}`, () => {
    const files = module === 'nodenext' ? ['use.mts', 'use.cts'] : ['use.mts'];
    const { status, stdout } = compile(files, { module, lib });
    assert.equal(stdout, '');
    assert.equal(status, 0);
  });
}

test('each line of the wrong sample fails', () => {
  const { stdout } = compile(['wrong.mts']);
  const failed = new Set([...stdout.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line)));
  const lines = readFileSync(`${folder}wrong.mts`, 'utf8').split('\n');
  const wanted = lines.flatMap((line, i) => (line.endsWith('// wrong') ? [i + 1] : []));
  assert.ok(wanted.length > 5);
  assert.deepEqual([...failed].sort((a, b) => a - b), wanted);
});
