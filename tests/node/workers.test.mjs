// Worker threads: each has its own objects, and all of them end well.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { asarray, dot, save, zeros } from 'tenspan';

import { entry } from './process.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A worker that hangs fails its test. */
const DEADLINE = { timeout: 120_000 };

function run(workerData) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
    let message;
    worker.on('message', (value) => (message = value));
    worker.on('error', reject);
    worker.on('exit', () => resolve(message));
  });
}

test('workers use tenspan side by side and leave nothing behind', DEADLINE, async () => {
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

/** A worker that runs a script; it sees all of tenspan, `port` and `data`. */
function start(script, data, transfer = []) {
  const code = `
    const { parentPort: port, workerData: data } = require('node:worker_threads');
    const tenspan = require(${JSON.stringify(entry)});
    ${script}
  `;
  return new Worker(code, { eval: true, workerData: data, transferList: transfer });
}

/** The next message of a worker. */
const message = (worker) =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the worker ended with ${code} and said nothing`)));
  });

test('a worker may be ended while its tensors live and while it is in a call', DEADLINE, async () => {
  const script = `
    const { asarray, copy, dot, full, zeros } = tenspan;
    const kept = [];
    port.postMessage('begun');
    for (let i = 0; ; i++) {
      const t = full([1 << 14], i);
      kept.push(t, t.rows(0, 1), asarray(new Float32Array(64)), t.data);
      dot(t, t);
      copy(t, zeros([1 << 14], { dtype: 'float16' }));
      if (kept.length > 400) kept.length = 0;
    }
  `;
  for (let round = 0; round < 6; round++) {
    const workers = [start(script), start(script)];
    await Promise.all(workers.map(message));
    await new Promise((resolve) => setTimeout(resolve, 5 * round));
    assert.deepEqual(await Promise.all(workers.map((worker) => worker.terminate())), [1, 1]);
  }
  assert.equal(dot(new Float32Array([1, 2]), new Float32Array([3, 4])), 11);
});

test('a buffer goes to a worker and comes back, and each side knows whose it is', DEADLINE, async () => {
  const script = `
    const t = tenspan.asarray(data);
    t.data[0] = tenspan.dot(t, new Float32Array(t.data));
    port.postMessage(data, [data.buffer]);
    let kind;
    try { t.tolist(); } catch (error) { kind = error.kind; }
    port.postMessage(kind);
  `;
  const array = new Float32Array([1, 2, 3]);
  const t = asarray(array);
  const worker = start(script, array, [array.buffer]);
  assert.throws(() => t.tolist(), { kind: 'BufferError' });
  const back = await message(worker);
  assert.deepEqual(asarray(back).tolist(), [14, 2, 3]);
  assert.equal(await message(worker), 'BufferError');
  assert.throws(() => t.tolist(), { kind: 'BufferError' });
  await worker.terminate();
});

test('workers write into one SharedArrayBuffer, each its own rows', DEADLINE, async () => {
  const [count, columns] = [4, 512];
  const shared = new SharedArrayBuffer(count * columns * 4);
  const script = `
    const { asarray, copy, dot, fromBuffer, full } = tenspan;
    const { shared, count, columns, index } = data;
    const all = fromBuffer(shared, { dtype: 'float32', shape: [count, columns] });
    for (let n = 0; n <= 200; n++) copy(full([columns], n + index), all.select(0, index));
    port.postMessage([all.copied, dot(all.select(0, index), asarray(new Float32Array(columns).fill(1)))]);
  `;
  const workers = Array.from({ length: count }, (_, index) => start(script, { shared, count, columns, index }));
  const seen = await Promise.all(workers.map(message));
  seen.forEach((answer, index) => assert.deepEqual(answer, [false, (200 + index) * columns]));
  const rows = asarray(new Float32Array(shared)).reshape([count, columns]);
  await Promise.all(workers.map((worker) => worker.terminate()));
  // The memory is that of all of them; those that ended took nothing along.
  for (let index = 0; index < count; index++) assert.deepEqual([...new Set(rows.select(0, index).data)], [200 + index]);
});

test('what a worker lent goes when the worker has ended', DEADLINE, async () => {
  const shared = new SharedArrayBuffer(1 << 16);
  const script = `
    const { asarray, fromPointer, zeros } = tenspan;
    const t = asarray(new Float32Array(data));
    globalThis.kept = [t, t.rows(0, 4), fromPointer(t.dataPtr, [4], 'float32', { owner: t }), zeros([1 << 20]).data];
    port.postMessage(t.dataPtr);
  `;
  const here = asarray(new Float32Array(shared));
  for (let round = 0; round < 10; round++) {
    const worker = start(script, shared);
    // The last message and the end may come at once.
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    assert.equal(await message(worker), here.dataPtr);
    await ended;
    here.data[0] = round;
    assert.equal(here.at(0).item(), round);
  }
});

test('memory of tenspan stays on its thread', DEADLINE, async () => {
  const t = zeros([4]);
  t.data[0] = 1;
  const worker = start(`port.on('message', (data) => { data[0] += 1; port.postMessage(data[0]); });`);
  try {
    worker.postMessage(t.data, [t.data.buffer]);
  } catch (error) {
    // Engines refuse to give it away, or give a copy.
    assert.equal(error.name, 'DataCloneError');
    worker.postMessage(t.data);
  }
  assert.equal(await message(worker), 2);
  assert.equal(t.data.length, 4);
  assert.deepEqual(t.tolist(), [1, 0, 0, 0]);
  await worker.terminate();
});
