// Worker threads: each has its own objects, and all of them end well.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { asarray, save, zeros } from 'tenspan';

const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(workerData) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
    let message;
    worker.on('message', (value) => (message = value));
    worker.on('error', reject);
    worker.on('exit', () => resolve(message));
  });
}

test('workers use tenspan side by side and leave nothing behind', async () => {
  const path = join(folder, 'w.gguf');
  save(path, { w: new Float32Array([1, 2, 3]) });
  const shared = new SharedArrayBuffer(4 * 8);
  const here = asarray(new Float32Array(shared));
  for (let round = 0; round < 2; round++) {
    const runs = Array.from({ length: 4 }, (_, i) => run({ path, shared, index: round * 4 + i }));
    for (const message of await Promise.all(runs)) {
      assert.deepEqual(message, { sum: [1, 2, 3], refused: 'ERR_TENSPAN_SHAPE_MISMATCH', told: true });
    }
  }
  assert.deepEqual(here.tolist(), [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('an object does not go to another thread as something that looks like it', () => {
  const clone = structuredClone(zeros([2]));
  assert.deepEqual(Object.keys(clone), []);
  assert.equal(Object.getPrototypeOf(clone), Object.prototype);
});

test('data goes to another thread as a copy or not at all', () => {
  const { data } = zeros([4]).reshape([2, 2]);
  data[1] = 5;
  const clone = structuredClone(data);
  clone[1] = 6;
  assert.equal(data[1], 5);
});
