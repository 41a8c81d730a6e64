// Memory of JavaScript under tensors: whose it is, and what happens when it is taken away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';

import { asarray, copy, fromBuffer, fromBytes, fromPointer, quantizeFile, save, zeros } from 'tenspan';

const GONE = { kind: 'BufferError', code: 'ERR_TENSPAN_BUFFER_ERROR' };

test('the owner is the very object that was given', () => {
  const buffer = new ArrayBuffer(16);
  const owners = [
    new Float32Array(buffer, 4, 2),
    new DataView(buffer, 1, 9),
    buffer,
    new SharedArrayBuffer(8),
    Buffer.from('abcdefgh'),
    new Uint8ClampedArray(3),
    new BigInt64Array(2),
  ];
  for (const owner of owners) {
    for (const make of [asarray, fromBuffer]) {
      const t = make(owner);
      assert.equal(t.owner, owner);
      assert.equal(t.copied, false);
      assert.equal(t.nbytes, owner.byteLength);
      assert.equal(t.slice(0, { start: 1 }).owner, owner);
    }
  }
  assert.equal(zeros([2]).owner, null);
  assert.equal(asarray([1, 2]).owner, null);
});

test('data of lent memory is in the buffer that was lent', () => {
  const array = new Float32Array(new ArrayBuffer(32), 8, 4);
  const t = asarray(array);
  assert.equal(t.data.buffer, array.buffer);
  assert.equal(t.data.byteOffset, 8);
  const part = t.rows(1, 3);
  assert.equal(part.data.byteOffset, 12);
  part.data[0] = 5;
  assert.equal(array[1], 5);
});

test('a buffer is read as any dtype, from any byte', () => {
  const bytes = new Uint8Array(12);
  new DataView(bytes.buffer).setFloat32(4, 1.5, true);
  const t = fromBuffer(bytes, { dtype: 'float32', offset: 4 });
  assert.deepEqual(t.tolist(), [1.5, 0]);
  assert.deepEqual(fromBuffer(bytes.buffer, { dtype: 'float32', shape: [1], offset: 4 }).tolist(), [1.5]);
  // At a byte that no typed array may begin at.
  const odd = fromBuffer(bytes, { dtype: 'float32', shape: [1], offset: 3 });
  assert.equal(odd.data.length, 1);
  assert.equal(odd.copied, true);
  assert.deepEqual(fromBuffer(new Uint8Array(34), { dtype: 'q8_0' }).shape, [32]);
  assert.deepEqual(fromBuffer(new Int16Array(4), { shape: [2, 2] }).shape, [2, 2]);
  assert.throws(() => fromBuffer(bytes, { dtype: 'float32', offset: 3 }), { kind: 'ValueError' });
  assert.throws(() => fromBuffer(bytes, { offset: 13 }), { kind: 'ValueError' });
  assert.throws(() => fromBuffer(bytes, { offset: -1 }), { kind: 'ValueError' });
  assert.throws(() => fromBuffer(bytes, { shape: [13] }), { kind: 'BufferError' });
  assert.throws(() => fromBuffer(bytes, { shape: [2 ** 40, 2 ** 40] }), { kind: 'OverflowError' });
  for (const wrong of [[1, 2], 'abc', 3, {}, null, undefined, zeros([2])]) {
    assert.throws(() => fromBuffer(wrong), TypeError);
  }
});

test('small floats are tagged by their dtype', () => {
  assert.deepEqual(asarray(new Uint8Array([0x38, 0xb8]), { dtype: 'float8_e4m3fn' }).tolist(), [1, -1]);
  const bits = new Uint8Array([0x3c]);
  const t = asarray(bits, { dtype: 'float8_e5m2' });
  assert.deepEqual(t.tolist(), [1]);
  assert.equal(t.owner, bits);
  // A tensor of bytes is converted.
  assert.deepEqual(asarray(asarray(bits), { dtype: 'float8_e5m2' }).tolist(), [64]);
});

const TAKEN = {
  'structuredClone': (buffer) => structuredClone(buffer, { transfer: [buffer] }),
  'postMessage': (buffer) => {
    const { port1 } = new MessageChannel();
    port1.postMessage(buffer, [buffer]);
    port1.close();
  },
};
if (ArrayBuffer.prototype.transfer) {
  TAKEN.transfer = (buffer) => buffer.transfer();
  TAKEN['transfer of the prototype'] = (buffer) => ArrayBuffer.prototype.transferToFixedLength.call(buffer);
}
for (const [name, take] of Object.entries(TAKEN)) {
  test(`a buffer that ${name} takes is noticed at every use`, () => {
    const array = new Float32Array([1, 2]);
    const t = asarray(array);
    const part = t.rows(0, 1);
    const { data } = t;
    take(array.buffer);
    for (const tensor of [t, part]) {
      assert.throws(() => tensor.tolist(), GONE);
      assert.throws(() => tensor.data, GONE);
      assert.throws(() => tensor.ndim, GONE);
      assert.throws(() => copy(tensor, tensor), GONE);
      assert.throws(() => copy([tensor], zeros([1, 2])), GONE);
    }
    assert.equal(data.length, 0);
    assert.throws(() => asarray(array), GONE);
    assert.throws(() => fromBuffer(array.buffer), GONE);
    assert.throws(() => fromBytes(array, [2]), GONE);
    assert.throws(() => asarray(new DataView(new ArrayBuffer(1)) && array), GONE);
    t.dispose();
    assert.throws(() => t.tolist(), { kind: 'Disposed' });
  });
}

test('a grown memory of WebAssembly leaves its old buffer', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
  const t = fromBuffer(memory.buffer, { dtype: 'int32', shape: [4] });
  memory.grow(1);
  assert.throws(() => t.tolist(), GONE);
});

test('a resizable buffer may grow, and shrink while no tensor is behind its end', () => {
  const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
  const array = new Float32Array(buffer, 0, 2).fill(2);
  const t = asarray(array);
  const all = asarray(new Float32Array(buffer));
  assert.equal(t.copied, false);
  buffer.resize(32);
  assert.deepEqual(all.shape, [4]);
  buffer.resize(8);
  assert.deepEqual(t.tolist(), [2, 2]);
  assert.throws(() => all.tolist(), GONE);
  buffer.resize(4);
  assert.throws(() => t.tolist(), GONE);
  assert.throws(() => asarray(array), GONE);
});

test('a growable SharedArrayBuffer stays where it is', () => {
  const buffer = new SharedArrayBuffer(8, { maxByteLength: 64 });
  const t = asarray(new Int32Array(buffer));
  buffer.grow(64);
  new Int32Array(buffer)[1] = 7;
  assert.deepEqual(t.tolist(), [0, 7]);
});

test('a buffer that a callback takes ends the call', () => {
  const array = new Float32Array(64).fill(1);
  const t = asarray(array);
  const path = `${process.env.TMPDIR ?? '/tmp'}/tenspan-lent-${process.pid}`;
  save(`${path}.safetensors`, { a: new Float32Array(32), b: new Float32Array(32) });
  const progress = () => structuredClone(array.buffer, { transfer: [array.buffer] });
  // The file is not in the buffer: the work goes on.
  quantizeFile(`${path}.safetensors`, `${path}.gguf`, 'q8_0', { progress });
  assert.throws(() => t.tolist(), GONE);
});

test('own properties of an array do not lead astray', () => {
  const array = new Float32Array([1, 2]);
  Object.defineProperty(array, 'buffer', { value: new ArrayBuffer(1000) });
  Object.defineProperty(array, 'byteLength', { value: 1000 });
  Object.defineProperty(array, 'length', { value: 1000 });
  assert.deepEqual(asarray(array).tolist(), [1, 2]);
  assert.deepEqual(fromBytes(array, [2]).tolist(), [1, 2]);
});

test('an address is a tensor', () => {
  const source = new Float64Array([1, 2, 3, 4, 5, 6]);
  const address = asarray(source).dataPtr;
  assert.equal(typeof address, 'bigint');
  const t = fromPointer(address, [2, 3], 'float64', { owner: source });
  assert.deepEqual(t.tolist(), [[1, 2, 3], [4, 5, 6]]);
  assert.equal(t.owner, source);
  assert.equal(t.dataPtr, address);
  t.data[5] = 9;
  assert.equal(source[5], 9);
  assert.equal(t.data.buffer, source.buffer);
  const reversed = fromPointer(address + 40n, [6], 'float64', { strides: [-8], owner: source });
  assert.deepEqual(reversed.tolist(), [9, 5, 4, 3, 2, 1]);
  assert.deepEqual(fromPointer(Number(address), [3], 'float64', { strides: [0] }).tolist(), [1, 1, 1]);
  const guarded = fromPointer(address, [6], 'float64', { owner: source, readonly: true });
  assert.equal(guarded.readonly, true);
  assert.throws(() => copy(zeros([6]), guarded), { kind: 'ReadOnly' });
  guarded.data[0] = 7;
  assert.equal(guarded.copied, true);
  assert.equal(source[0], 1);
  structuredClone(source.buffer, { transfer: [source.buffer] });
  assert.throws(() => t.tolist(), GONE);
});

test('a tensor that owns an address is kept, whatever becomes of its object', () => {
  const base = zeros([4]);
  const t = fromPointer(base.dataPtr, [4], 'float32', { owner: base });
  base.data.fill(3);
  base.dispose();
  assert.deepEqual(t.tolist(), [3, 3, 3, 3]);
  assert.equal(t.owner, base);
  const plain = { mine: true };
  assert.equal(fromPointer(t.dataPtr, [1], 'float32', { owner: plain }).owner, plain);
  assert.equal(fromPointer(t.dataPtr, [1], 'float32').owner, null);
  const guarded = fromPointer(t.dataPtr, [4], 'float32', { owner: t.asReadonly() });
  assert.equal(guarded.readonly, true);
});

const ADDRESSES = [
  [[0, [1], 'float32'], 'ValueError'],
  [[-1, [1], 'float32'], 'ValueError'],
  [[-8n, [1], 'float32'], 'ValueError'],
  [[2n ** 64n, [1], 'float32'], 'OverflowError'],
  [[2n ** 63n, [1], 'float32'], 'ValueError'],
  [[1.5, [1], 'float32'], 'TypeError'],
  [['4096', [1], 'float32'], 'TypeError'],
  [[null, [1], 'float32'], 'TypeError'],
  [[4096, [2 ** 40, 2 ** 40], 'float32'], 'OverflowError'],
  [[4096, [-1], 'float32'], 'ValueError'],
  [[4096, [2n ** 70n], 'float32'], 'OverflowError'],
  [[4096, 'x', 'float32'], 'TypeError'],
  [[4096, [1.5], 'float32'], 'TypeError'],
  [[4096, [1], 'nonsense'], 'ValueError'],
  [[4096, [1], null], 'TypeError'],
  [[4096, [2], 'float32', { strides: [4, 4] }], 'ValueError'],
  [[4096, [2], 'float32', { strides: [1.5] }], 'TypeError'],
  [[4096, [2], 'float32', { strides: [-(2 ** 40)] }], 'ValueError'],
  [[4096, [33], 'q8_0'], 'BlockMismatch'],
  [[4096, [1], 'float32', { owned: 1 }], 'TypeError'],
];
for (const [args, kind] of ADDRESSES) {
  test(`fromPointer of ${args.map(String).join(', ')} is a ${kind}`, () => {
    assert.throws(() => fromPointer(...args), { kind });
  });
}

test('nothing may be at no address', () => {
  assert.deepEqual(fromPointer(0, [0], 'float32').tolist(), []);
});
