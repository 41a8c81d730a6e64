// Memory that JavaScript and tenspan look at together: who sees what, and who keeps it alive.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Context, asarray, cast, copy, dequantize, empty, fromBytes, fromPointer, full, open, quantize, save, zeros } from 'tenspan';

const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// Needs no flag of whoever runs the tests.
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

/** Collects until `done` says so; fails when it never does. */
async function collect(done) {
  for (let i = 0; i < 50 && !done(); i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(done(), 'nothing was collected');
}

test('data is one array over the memory of the tensor', () => {
  const t = zeros([2, 3]);
  assert.equal(t.data, t.data);
  assert.ok(t.data instanceof Float32Array);
  assert.equal(t.copied, false);
  t.data[4] = 2.5;
  assert.deepEqual(t.tolist(), [[0, 0, 0], [0, 2.5, 0]]);
  copy(new Float32Array(6).fill(7), t.reshape([6]));
  assert.deepEqual([...t.data], [7, 7, 7, 7, 7, 7]);
});

test('views of one tensor see each other', () => {
  const t = zeros([4, 2], { dtype: 'int32' });
  const rows = t.rows(1, 3);
  rows.data.set([1, 2, 3, 4]);
  assert.deepEqual([...t.data], [0, 0, 1, 2, 3, 4, 0, 0]);
  assert.equal(rows.dataPtr - t.dataPtr, 8n);
});

const ARRAYS = [
  [Float64Array, 'float64', 1.5],
  [Float32Array, 'float32', 1.5],
  [Int8Array, 'int8', -3],
  [Int16Array, 'int16', -3],
  [Int32Array, 'int32', -3],
  [BigInt64Array, 'int64', -3n],
  [Uint8Array, 'uint8', 3],
  [Uint8ClampedArray, 'uint8', 3],
  [Uint16Array, 'uint16', 3],
  [Uint32Array, 'uint32', 3],
  [BigUint64Array, 'uint64', 3n],
];
for (const [Class, dtype, value] of ARRAYS) {
  test(`a ${Class.name} is viewed as ${dtype} without a copy, and back`, () => {
    const array = new Class(3);
    const t = asarray(array);
    assert.equal(t.dtype.name, dtype);
    assert.deepEqual(t.shape, [3]);
    array[1] = value;
    assert.deepEqual(t.tolist(), [0, Number(value), 0]);
    t.data[2] = value;
    assert.equal(array[2], value);
    if (Class !== Uint8ClampedArray) assert.ok(t.data instanceof Class);
  });
}

test('a typed array may be written to like a tensor', () => {
  const array = new Float32Array(32);
  copy(full([32], 2, { dtype: 'int8' }), array);
  assert.equal(array[31], 2);
  const out = new Float32Array(32);
  const made = dequantize(quantize(array, 'q8_0'), { out });
  assert.ok(Math.abs(out[0] - 2) < 0.01);
  assert.equal(made.data.buffer, out.buffer);
  out[0] = 5;
  assert.equal(made.data[0], 5);
});

test('decoded rows go into typed arrays, 16-bit floats as bits', () => {
  const q = quantize(full([3, 32], 2, { dtype: 'float32' }), 'q4_0');
  const halves = new Uint16Array(64);
  const made = dequantize(q, { dtype: 'float16', rows: [2, 0], out: halves });
  assert.deepEqual(made.shape, [2, 32]);
  assert.equal(halves[63], 0x4000);
  dequantize(q, { dtype: 'bfloat16', rows: [1, 1], out: halves });
  assert.equal(halves[0], 0x4000);
  const floats = new Float32Array(96);
  dequantize(q, { out: floats });
  assert.equal(floats[95], 2);
  assert.throws(() => dequantize(q, { out: halves }), { kind: 'DTypeMismatch' });
  assert.throws(() => dequantize(q, { dtype: 'float16', out: halves }), { kind: 'ShapeMismatch' });
});

test('the part of a buffer that an array shows is the tensor', () => {
  const buffer = new ArrayBuffer(64);
  const t = asarray(new Float64Array(buffer, 16, 2));
  new Float64Array(buffer).set([1, 2, 3, 4, 5]);
  assert.deepEqual(t.tolist(), [3, 4]);
  assert.deepEqual(asarray(new Uint8Array(0)).shape, [0]);
});

test('a SharedArrayBuffer is viewed like any other', () => {
  const array = new Int32Array(new SharedArrayBuffer(8));
  const t = asarray(array);
  array[1] = 5;
  assert.deepEqual(t.tolist(), [0, 5]);
});

test('16-bit floats go in and out as bits', () => {
  const bits = new Uint16Array([0x3c00, 0xc000]);
  const t = asarray(bits, { dtype: 'float16' });
  assert.deepEqual(t.tolist(), [1, -2]);
  t.data[0] = 0x4000;
  assert.equal(bits[0], 0x4000);
  assert.deepEqual(asarray(new Uint16Array([0x3f80]), { dtype: 'bfloat16' }).tolist(), [1]);
  // A tensor of whole numbers is converted, as everywhere.
  assert.deepEqual(asarray(asarray(bits), { dtype: 'float16' }).tolist(), [0x4000, 0xc000]);
  assert.deepEqual(asarray(new Uint16Array([7]), { dtype: 'float32' }).tolist(), [7]);
});

if (globalThis.Float16Array) {
  test('a Float16Array is viewed as float16 without a copy', () => {
    const array = new Float16Array([1, -2.5]);
    const t = asarray(array);
    assert.equal(t.dtype.name, 'float16');
    array[0] = 3;
    assert.deepEqual(t.tolist(), [3, -2.5]);
    assert.equal(t.copied, false);
  });
}

test('types without an array of their own show their bytes', () => {
  for (const [dtype, bytes] of [['bool', 32], ['complex64', 256], ['q8_0', 34], ['float8_e5m2', 32]]) {
    const { data } = zeros([32], { dtype });
    assert.ok(data instanceof Uint8Array, dtype);
    assert.equal(data.length, bytes, dtype);
  }
});

test('data of a tensor that is not contiguous is refused', () => {
  assert.throws(() => zeros([2, 3]).transpose().data, { kind: 'NotContiguous', code: 'ERR_TENSPAN_NOT_CONTIGUOUS' });
});

test('an array without elements is as good as any', () => {
  const t = empty([0, 3]);
  assert.equal(t.data.length, 0);
  assert.equal(t.copied, false);
  assert.deepEqual(full([], 3).data.length, 1);
});

test('data outlives the tensor it came from', async () => {
  let t = zeros([1 << 20]);
  const { data } = t;
  t.dispose();
  t = undefined;
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  data.fill(1);
  assert.equal(data[data.length - 1], 1);
});

test('a tensor keeps the array that it looks at alive', async () => {
  let freed = false;
  const registry = new FinalizationRegistry(() => (freed = true));
  let array = new Float32Array(1 << 18).fill(3);
  registry.register(array);
  const t = asarray(array);
  array = undefined;
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(freed, false);
  assert.equal(t.data[1000], 3);
  t.dispose();
  // The data of the tensor went with it, so now nothing holds the array.
  await collect(() => freed);
});

test('arrays that were only passed are let go', async () => {
  let freed = 0;
  const registry = new FinalizationRegistry(() => freed++);
  const pass = () => {
    const array = new Float32Array(1024);
    registry.register(array);
    quantize(array, 'q8_0');
  };
  for (let i = 0; i < 10; i++) pass();
  await collect(() => freed === 10);
});

test('memory does not grow while tensors come and go', async () => {
  const work = async (count) => {
    for (let i = 0; i < count; i++) {
      const t = zeros([1 << 18]);
      t.data[0] = 1;
      asarray(new Float32Array(1 << 10));
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    gc();
    await new Promise((resolve) => setImmediate(resolve));
    return process.memoryUsage.rss();
  };
  const before = await work(200);
  const after = await work(1000);
  assert.ok(after - before < 100e6, `grew by ${((after - before) / 1e6).toFixed(0)} MB`);
});

test('a hundred thousand round trips leave memory as it was', async () => {
  const array = new Float32Array(64);
  const work = async (count) => {
    for (let i = 0; i < count; i++) {
      asarray(array).rows(0, 2).data[1] = i;
      const t = zeros([16]);
      fromPointer(t.dataPtr, [4, 4], 'float32', { owner: t }).transpose();
      if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (let i = 0; i < 5; i++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage.rss();
  };
  await work(50_000);
  const seen = [];
  for (let round = 0; round < 3; round++) seen.push(await work(100_000));
  // The engine itself grows in steps; a leak grows in every round.
  const growth = Math.min(seen[1] - seen[0], seen[2] - seen[1]);
  assert.ok(growth < 8e6, `grew by ${(growth / 1e6).toFixed(1)} MB`);
});

test('the collector knows of memory that objects hold', async () => {
  const before = process.memoryUsage.rss();
  let most = 0;
  for (let i = 0; i < 400; i++) {
    full([1 << 20], 1);
    most = Math.max(most, process.memoryUsage.rss() - before);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(most < 600e6, `of 1600 MB, ${(most / 1e6).toFixed(0)} MB were there at once`);
});

test('a loop that never yields does not pile memory up', () => {
  const root = zeros([1 << 20]);
  const loops = {
    'new tensors': () => full([1 << 20], 1),
    'views of new tensors': () => zeros([1 << 20]).rows(0, 4),
    'results that are not looked at': () => cast(root, 'float64'),
  };
  for (const [name, make] of Object.entries(loops)) {
    gc();
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let i = 0; i < 400; i++) {
      make();
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    assert.ok(most < 600e6, `${name}: of 1600 MB and more, ${(most / 1e6).toFixed(0)} MB were there at once`);
  }
});

test('dispose frees at once', () => {
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 30; i++) full([1 << 21], 1).dispose();
  assert.ok(process.memoryUsage.rss() - before < 100e6);
});

test('a buffer that is given away while the arguments are read is noticed', () => {
  const array = new Float32Array([1, 2]);
  const trap = {
    *[Symbol.iterator]() {
      structuredClone(array, { transfer: [array.buffer] });
      yield* [1, 2];
    },
  };
  assert.throws(() => copy(array, trap), { kind: 'BufferError' });
  const bytes = new Uint8Array(8);
  const shape = {
    *[Symbol.iterator]() {
      structuredClone(bytes, { transfer: [bytes.buffer] });
      yield 2;
    },
  };
  assert.throws(() => fromBytes(bytes, shape), { kind: 'ShapeMismatch' });
});

test('a buffer that was only passed can be given away', () => {
  const array = new Float32Array(32);
  quantize(array, 'q8_0');
  structuredClone(array, { transfer: [array.buffer] });
  assert.equal(array.length, 0);
});

test('`copied` tells whether memory was copied', () => {
  assert.equal(asarray(new Float32Array(2)).copied, false);
  assert.equal(asarray(zeros([2])).copied, false);
  assert.equal(asarray([1, 2]).copied, true);
  assert.equal(asarray(new Float32Array(2), { dtype: 'float64' }).copied, true);
  assert.equal(asarray(new Uint16Array(2), { dtype: 'float16' }).copied, false);
  assert.equal(fromBytes(new Uint8Array(4), [1]).copied, true);
});

test('elements that are not aligned in a file are copied, and `copied` says so', () => {
  const path = join(folder, 'odd.safetensors');
  const header = JSON.stringify({
    b: { dtype: 'U8', shape: [1], data_offsets: [0, 1] },
    w: { dtype: 'F32', shape: [2], data_offsets: [1, 9] },
  });
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  const elements = Buffer.alloc(9);
  elements.writeFloatLE(1.5, 1);
  writeFileSync(path, Buffer.concat([size, Buffer.from(header), elements]));
  const t = open(path).get('w');
  assert.equal(t.copied, true);
  assert.deepEqual([...t.data], [1.5, 0]);
});

test('tensors and their data outlive their file', async () => {
  const path = join(folder, 'a.gguf');
  save(path, { w: new Float32Array([1, 2, 3]) });
  let file = open(path);
  let t = file.get('w');
  const { data } = t;
  assert.equal(t.readonly, true);
  file.close();
  assert.deepEqual(t.tolist(), [1, 2, 3]);
  file.dispose();
  file = t = undefined;
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([...data], [1, 2, 3]);
});

test('writing to the data of a mapped file changes nothing on the disk', () => {
  const path = join(folder, 'b.gguf');
  save(path, { w: new Float32Array([1, 2, 3]) });
  const before = readFileSync(path);
  const t = open(path).get('w');
  assert.equal(t.copied, false);
  t.data[0] = 9;
  assert.equal(t.copied, false);
  assert.deepEqual(t.tolist(), [9, 2, 3]);
  assert.throws(() => copy(new Float32Array(3), t), { kind: 'ReadOnly' });
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(open(path).get('w').tolist(), [1, 2, 3]);
});

test('a context lives as long as a tensor of it', () => {
  const context = new Context(1 << 16);
  const { data } = context.tensor([4], { name: 'a' });
  context.dispose();
  data.fill(2);
  assert.deepEqual([...data], [2, 2, 2, 2]);
});

test('bytes are taken from any view', () => {
  const bytes = new Uint8Array([0, 0, 128, 63, 0, 0, 0, 64]);
  const views = [bytes, bytes.buffer, new DataView(bytes.buffer), Buffer.from(bytes), new Uint32Array(bytes.buffer)];
  for (const view of views) {
    const t = fromBytes(view, [2]);
    assert.deepEqual(t.tolist(), [1, 2]);
  }
  bytes.fill(0);
  assert.throws(() => fromBytes(bytes, [3]), { code: /^ERR_TENSPAN_/ });
  assert.throws(() => fromBytes('abc', [1]), TypeError);
});
