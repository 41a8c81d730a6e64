// Inputs on which libraries of this kind are known to crash, to write where they must not, or to give wrong numbers: each
// in a process of its own, and each with the very error or the exact numbers.

import { test } from 'node:test';

import { run } from './process.mjs';

const SCRIPTS = {
  'bytes of a tensor with gaps are those of its elements, or refused': `
    const { createHash } = require('node:crypto');
    const t = tenspan.asarray(Uint8Array.from({ length: 8 }, (_, i) => i));
    for (const [step, bytes] of [[2, [0, 2, 4, 6]], [-1, [7, 6, 5, 4, 3, 2, 1, 0]]]) {
      const apart = t.slice(0, { step });
      assert.equal(kind(() => createHash('sha256').update(apart.data)), 'NotContiguous');
      assert.deepEqual([...apart.tobytes()], bytes);
      assert.deepEqual([...apart.contiguous().data], bytes);
    }
  `,
  'memory that is read-only stays so, however it is reached': `
    const { asarray, cast, copy, fromPointer, zeros } = tenspan;
    const array = new Float32Array([1, 2]);
    const fixed = asarray(array).asReadonly();
    const reached = [fixed, fixed.rows(0, 2), fixed.reshape([1, 2]).reshape([2]), asarray(fixed), fromPointer(fixed.dataPtr, [2], 'float32', { owner: fixed })];
    reached.push(fromPointer(asarray(array).dataPtr, [2], 'float32', { owner: array, readonly: true }));
    for (const t of reached) {
      assert.equal(t.readonly, true);
      assert.equal(kind(() => copy([5, 6], t)), 'ReadOnly');
      assert.equal(kind(() => cast([5, 6], 'float32', { out: t })), 'ReadOnly');
    }
    assert.deepEqual([...array], [1, 2]);
  `,
  'an address that no process has is a ValueError': `
    for (const address of [-1, -8, -1n, -8n, 0, 0n, 2n ** 63n]) {
      assert.equal(kind(() => tenspan.fromPointer(address, [4], 'float32')), 'ValueError', String(address));
    }
    assert.equal(kind(() => tenspan.fromPointer(2n ** 64n, [4], 'float32')), 'OverflowError');
  `,
  'a shape that reaches past the end of memory is an OverflowError': `
    const { fromPointer, zeros } = tenspan;
    for (const shape of [[2 ** 40, 2 ** 40], [2n ** 62n, 4]]) {
      assert.equal(kind(() => fromPointer(4096, shape, 'float32')), 'OverflowError', String(shape));
      assert.equal(kind(() => zeros(shape)), 'OverflowError', String(shape));
    }
    assert.equal(kind(() => fromPointer(4096, [3], 'float32', { strides: [2n ** 62n] })), 'OverflowError');
  `,
  'whole numbers past 2^53 are exact': `
    const { asarray, full } = tenspan;
    for (const [value, dtype] of [[2n ** 64n - 1n, 'uint64'], [2n ** 63n - 1n, 'int64'], [-(2n ** 63n), 'int64'], [2n ** 53n + 1n, 'int64']]) {
      assert.equal(full([1], value, { dtype }).item(), value);
      assert.equal(full([3], value, { dtype }).data[2], value);
      assert.equal(asarray([value], { dtype }).item(), value);
    }
  `,
  'one is one in every dtype': `
    const { DType, dequantize, dtypes, full } = tenspan;
    for (const dtype of dtypes()) {
      if (!dtype.canDecode || dtype.needsImportance) continue;
      const { name, blockLen } = dtype;
      const first = dequantize(full([blockLen], 1, { dtype: name }), { dtype: 'float64' }).data[0];
      assert.ok(Math.abs(first - 1) <= (dtype.isQuantized ? 0.3 : 0), name + ' gives ' + first);
    }
  `,
  'no shape makes elements out of none': `
    const { zeros } = tenspan;
    for (const shape of [[2 ** 32, 2 ** 32], [2n ** 62n, 4], [2n ** 63n - 1n, 2]]) {
      assert.equal(kind(() => zeros([0]).reshape(shape)), 'OverflowError', String(shape));
    }
    assert.equal(kind(() => zeros([0]).reshape([1])), 'ShapeMismatch');
    assert.equal(kind(() => zeros([0]).at(0)), 'IndexError');
  `,
  'copies of turned and thinned tensors have their numbers': `
    const { asarray, cast, copy, zeros } = tenspan;
    const t = asarray(Float32Array.from({ length: 24 }, (_, i) => i)).reshape([2, 3, 4]);
    const element = (i, j, k) => 12 * i + 4 * j + k;
    const views = [
      [t.permute([2, 0, 1]), (k, i, j) => element(i, j, k)],
      [t.transpose(), (i, k, j) => element(i, j, k)],
      [t.slice(2, { step: 2 }), (i, j, k) => element(i, j, 2 * k)],
      [t.slice(1, { step: -1 }), (i, j, k) => element(i, 2 - j, k)],
    ];
    for (const [view, number] of views) {
      const [a, b, c] = view.shape;
      const wanted = [];
      for (let i = 0; i < a; i++) for (let j = 0; j < b; j++) for (let k = 0; k < c; k++) wanted.push(number(i, j, k));
      const target = zeros(view.shape, { dtype: 'float64' });
      copy(view, target);
      for (const made of [view.contiguous(), cast(view, 'int16'), asarray(view, { dtype: 'float64' }), target]) {
        assert.deepEqual(Array.from(made.reshape([made.size]).data), wanted);
      }
    }
  `,
  'products along strides of any sign, and none, are exact': `
    const { asarray, dot, fromPointer, full } = tenspan;
    const array = Float32Array.from({ length: 8 }, (_, i) => i);
    const { dataPtr } = asarray(array);
    const weights = asarray(Float32Array.from({ length: 8 }, (_, i) => 10 ** (i % 4)));
    const at = (offset, stride) => fromPointer(dataPtr + BigInt(offset), [8], 'float32', { strides: [stride], owner: array });
    const exact = (row) => row.reduce((sum, x, i) => sum + x * 10 ** (i % 4), 0);
    assert.equal(dot(at(0, 4), weights), exact([0, 1, 2, 3, 4, 5, 6, 7]));
    assert.equal(dot(at(28, -4), weights), exact([7, 6, 5, 4, 3, 2, 1, 0]));
    assert.equal(dot(at(8, 0), weights), exact([2, 2, 2, 2, 2, 2, 2, 2]));
    assert.equal(dot(weights, at(28, -4)), exact([7, 6, 5, 4, 3, 2, 1, 0]));
    assert.equal(dot(asarray(array).slice(0, { step: 2 }), full([4], 1)), 12);
  `,
  'a result that may not be written is refused': `
    const { asarray, cast, dequantize, dot, matvec, quantize, zeros } = tenspan;
    const row = new Float32Array(32).fill(1);
    const fixed = (shape, dtype) => zeros(shape, { dtype }).asReadonly();
    assert.equal(kind(() => dot(row, row, { out: fixed([1], 'float64') })), 'ReadOnly');
    assert.equal(kind(() => matvec(asarray(row).reshape([1, 32]), row, { out: fixed([1], 'float32') })), 'ReadOnly');
    assert.equal(kind(() => cast(row, 'int8', { out: fixed([32], 'int8') })), 'ReadOnly');
    assert.equal(kind(() => dequantize(quantize(row, 'q8_0'), { out: fixed([32], 'float32') })), 'ReadOnly');
  `,
  'a result that is too short is refused, and nothing behind it is written': `
    const { asarray, cast, dequantize, dot, matvec, quantize } = tenspan;
    const buffer = new ArrayBuffer(64);
    const short = (Class) => new Class(buffer, 0, 1);
    const rows = asarray(new Float32Array(64).fill(1)).reshape([2, 32]);
    const row = new Float32Array(32).fill(1);
    assert.equal(kind(() => dot(rows, row, { out: short(Float64Array) })), 'ShapeMismatch');
    assert.equal(kind(() => matvec(rows, row, { out: short(Float32Array) })), 'ShapeMismatch');
    assert.equal(kind(() => cast(row, 'int8', { out: short(Int8Array) })), 'ShapeMismatch');
    assert.equal(kind(() => dequantize(quantize(row, 'q8_0'), { out: short(Float32Array) })), 'ShapeMismatch');
    assert.ok(new Uint8Array(buffer).every((byte) => byte === 0));
  `,
  'rows of unequal lengths and dtypes are refused, however they are passed': `
    const { asarray, dot } = tenspan;
    const [four, five, bytes] = [new Float32Array(4), new Float32Array(5), new Uint8Array(4)];
    for (const wrap of [(array) => array, asarray, (array) => asarray(array).slice(0)]) {
      assert.equal(kind(() => dot(wrap(four), wrap(five))), 'ShapeMismatch');
      assert.equal(kind(() => dot(four, wrap(five))), 'ShapeMismatch');
      assert.throws(() => dot(wrap(four), wrap(bytes)), { kind: 'TypeError', message: /float32.*uint8/ });
      assert.throws(() => dot(wrap(new Int8Array(4)), bytes), { kind: 'TypeError', message: /int8.*uint8/ });
    }
    assert.equal(dot(new Float32Array(0), new Float32Array(0)), 0);
  `,
};
for (const [name, script] of Object.entries(SCRIPTS)) {
  test(name, () => run(script));
}
