// Values in both directions, options, and the manners of arrays and maps.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { Context, DType, Metadata, Tensor, asarray, copy, dot, dtypes, full, open, quantizationError, save, vdot, zeros } from 'tenspan';

test('numbers are whole while they are exact', () => {
  const metadata = new Metadata();
  const cases = [0, 1, -1, 1.5, 2 ** 40, true, false, 'text', '', 'ä€𝄞', [1, 2], ['a', 'b']];
  for (const value of cases) {
    metadata.set('key', value);
    assert.deepEqual(metadata.get('key'), value);
  }
  metadata.set('big', 2n ** 63n);
  assert.equal(metadata.get('big'), 2n ** 63n);
  metadata.set('safe', 2n ** 53n - 1n);
  assert.equal(metadata.get('safe'), Number.MAX_SAFE_INTEGER);
  metadata.set('unsafe', 2n ** 53n);
  assert.equal(metadata.get('unsafe'), 2n ** 53n);
});

test('an object of named values does as metadata', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
  try {
    const path = join(folder, 'named.gguf');
    save(path, { t: zeros([2]) }, { metadata: { 'general.name': 'tiny', count: 3 } });
    const { metadata } = open(path);
    assert.deepEqual([...metadata], [['general.name', 'tiny'], ['count', 3]]);
    assert.equal(metadata.typeOf('count'), 'int32');
    assert.throws(() => save(path, {}, { metadata: { bad: { a: 1 } } }), /metadata `bad`/);
    assert.throws(() => save(path, {}, { metadata: 7 }), { kind: 'TypeError' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a negative zero and what is no number stay what they are', () => {
  const t = asarray([[-0, NaN], [Infinity, -Infinity]], { dtype: 'float64' });
  assert.ok(Object.is(t.tolist()[0][0], -0));
  assert.deepEqual(t.tolist(), [[-0, NaN], [Infinity, -Infinity]]);
});

test('complex numbers are plain objects with two numbers', () => {
  const t = asarray([{ re: 1, im: -2 }, 3]);
  assert.equal(t.dtype.name, 'complex128');
  assert.deepEqual(t.tolist(), [{ re: 1, im: -2 }, { re: 3, im: 0 }]);
  assert.deepEqual(t.at(0).item(), { re: 1, im: -2 });
  assert.deepEqual(dot(t, t), { re: 6, im: -4 });
  assert.deepEqual(vdot(t, t), { re: 14, im: 0 });
  assert.deepEqual(full([1], { im: 2, re: NaN }, { dtype: 'complex64' }).item(), { re: NaN, im: 2 });
  assert.deepEqual(asarray(structuredClone(t.tolist())).equals(t), true);
  class Imaginary {
    re = 0;
    im = 1;
  }
  assert.deepEqual(asarray(new Imaginary()).tolist(), { re: 0, im: 1 });
  for (const none of [{ re: 1 }, { re: '1', im: 2 }, { re: 1n, im: 2 }, { re: 1, im: 2, abs: 3 }]) {
    assert.throws(() => asarray(none), { kind: /TypeError|ShapeMismatch/ });
  }
});

test('names that a complex number has may be those of values, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
  try {
    const path = join(folder, 'a.gguf');
    save(path, { re: 1.5, im: 2.5 }, { metadata: { re: 1, im: 2 } });
    assert.deepEqual([...open(path).keys()], ['re', 'im']);
    assert.equal(open(path).metadata.get('im'), 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('elements past 2^53 come as BigInt', () => {
  const t = asarray(new BigInt64Array([2n ** 60n, -5n]));
  assert.deepEqual(t.tolist(), [2n ** 60n, -5]);
  assert.equal(typeof zeros([1]).dataPtr, 'bigint');
});

test('options come last, and unknown ones are refused with a hint', () => {
  assert.equal(zeros([1], { dtype: 'f64' }).dtype.name, 'float64');
  assert.equal(zeros([1], {}).dtype.name, 'float32');
  assert.equal(zeros([1], null).dtype.name, 'float32');
  assert.throws(() => zeros([1], { dtyp: 'f64' }), {
    name: 'TypeError',
    code: 'ERR_TENSPAN_TYPE_ERROR',
    message: 'zeros: there is no option `dtyp`; did you mean `dtype`?',
  });
  assert.throws(() => zeros([1], 'f64'), { name: 'TypeError', message: /found the string "f64"/ });
  assert.throws(() => copy(zeros([1]), zeros([1]), { allowrequantize: true }), /did you mean `allowRequantize`/);
});

test('options in the middle may be left out', () => {
  const t = asarray([1, 2, 3, 4, 5, 6]);
  assert.deepEqual(t.slice(0, { step: 2 }).tolist(), [1, 3, 5]);
  assert.deepEqual(t.slice(0, { start: -2 }).tolist(), [5, 6]);
  assert.deepEqual(t.slice(0, { stop: 2 }).tolist(), [1, 2]);
  assert.deepEqual(t.slice(0, { step: -1 }).tolist(), [6, 5, 4, 3, 2, 1]);
});

test('there is one dtype object for a name', () => {
  assert.equal(new DType('f32'), zeros([1]).dtype);
  assert.equal(new DType('F32'), new DType('float32'));
  assert.equal(zeros([1], { dtype: new DType('int8') }).dtype.name, 'int8');
  assert.equal(new Set(dtypes()).size, dtypes().length);
  assert.equal(`${new DType('q4_k')}`, 'q4_k');
  assert.equal(JSON.stringify({ dtype: new DType('bf16') }), '{"dtype":"bfloat16"}');
  assert.throws(() => new DType('float23'), { kind: 'ValueError' });
});

test('every dtype makes a tensor', () => {
  for (const dtype of dtypes()) {
    const t = zeros([2, 256], { dtype });
    assert.equal(t.dtype, dtype);
    assert.equal(t.nbytes, t.data.byteLength, dtype.name);
    assert.equal(t.tobytes().length, t.nbytes);
  }
});

test('tensors are read like arrays', () => {
  const t = asarray([[1, 2], [3, 4]]);
  assert.equal(t.length, 2);
  assert.deepEqual([...t].map((row) => row.tolist()), [[1, 2], [3, 4]]);
  assert.deepEqual(t.at(-1).tolist(), [3, 4]);
  assert.throws(() => t.at(2), { name: 'RangeError', code: 'ERR_TENSPAN_INDEX_ERROR', kind: 'IndexError' });
});

test('collections are read like maps', () => {
  const metadata = new Metadata();
  assert.equal(metadata.set('a', 1).set('b', 'x'), metadata);
  assert.equal(metadata.size, 2);
  assert.deepEqual([...metadata.keys()], ['a', 'b']);
  assert.deepEqual([...metadata.values()], [1, 'x']);
  assert.deepEqual([...metadata], [['a', 1], ['b', 'x']]);
  assert.deepEqual(new Map(metadata.entries()), new Map([['a', 1], ['b', 'x']]));
  assert.equal(metadata.get('c'), undefined);
  const seen = [];
  metadata.forEach((value, key, map) => seen.push([key, value, map === metadata]));
  assert.deepEqual(seen, [['a', 1, true], ['b', 'x', true]]);
  assert.equal(metadata.delete('a'), true);
  assert.equal(metadata.delete('a'), false);
  metadata.clear();
  assert.equal(metadata.size, 0);
  assert.equal(typeof metadata.keys().next, 'function');
  const context = new Context(1 << 12);
  const t = context.tensor([2], { name: 'w' });
  assert.equal(context.get('w').dataPtr, t.dataPtr);
  assert.equal(context.has('v'), false);
  assert.equal('set' in context, false);
});

test('dictionaries come as plain objects', () => {
  const error = quantizationError([1, 2], [1, 2]);
  assert.deepEqual(error, { rmse: 0, max: 0, relative: 0, cosine: 1 });
  assert.equal(Object.getPrototypeOf(error), Object.prototype);
});

test('everything has JSON', () => {
  const context = new Context(1 << 12);
  context.tensor([2], { name: 'w' });
  const metadata = new Metadata().set('big', 2n ** 63n);
  const all = { t: zeros([2]), context, metadata, dtypes: dtypes() };
  const read = JSON.parse(JSON.stringify(all));
  assert.equal(read.t.dtype, 'float32');
  assert.deepEqual(read.t.shape, [2]);
  assert.deepEqual(read.context.keys, ['w']);
  assert.equal('dataPtr' in read.t, false);
});

test('inspection is for people', () => {
  const t = zeros([2, 3]);
  assert.match(inspect(t), /^Tensor \{[^]*shape: \[ 2, 3 \][^]*dtype: 'float32'/);
  assert.equal(inspect(t.dtype), 'DType float32');
  assert.equal(inspect([[[t]]]), '[ [ [ [Tensor] ] ] ]');
  t.dispose();
  assert.equal(inspect(t), 'Tensor <disposed>');
  assert.equal(String(zeros([1])), '[object Tensor]');
});

test('what is disposed of is gone', () => {
  const t = zeros([2]);
  t.dispose();
  t.dispose();
  const disposed = { code: 'ERR_TENSPAN_DISPOSED', kind: 'Disposed' };
  assert.throws(() => t.shape, disposed);
  assert.throws(() => t.data, disposed);
  assert.throws(() => copy(t, zeros([2])), disposed);
  assert.throws(() => copy([1, 2], t), disposed);
  if (Symbol.dispose) assert.equal(t[Symbol.dispose], t.dispose);
});

test('classes cannot be made or mistaken', () => {
  assert.throws(() => new Tensor(), { name: 'TypeError', code: 'ERR_TENSPAN_TYPE_ERROR' });
  assert.throws(() => Tensor.prototype.reshape.call({}, [1]), TypeError);
  assert.throws(() => Object.create(Tensor.prototype).shape, TypeError);
  assert.throws(() => Tensor.prototype.reshape.call(new Metadata(), [1]), /wants .*tensor/);
});

test('a class of the user may extend one', () => {
  class Arena extends Context {
    get free() {
      return this.capacity - this.used;
    }
  }
  const arena = new Arena(4096);
  assert.ok(arena instanceof Arena && arena instanceof Context);
  assert.equal(arena.free, 4096);
  assert.match(inspect(arena), /^Arena \{[^]*capacity: 4096/);
});

test('values that mean nothing to tenspan are refused', () => {
  for (const value of [Symbol('x'), Promise.resolve(1), new Date(), /x/]) {
    assert.throws(() => asarray(value), TypeError, inspect(value));
  }
  const circular = [];
  circular.push(circular);
  assert.throws(() => asarray(circular), { kind: 'ValueError' });
  assert.throws(() => asarray(2n ** 200n), RangeError);
});

test('lists may be any iterable, a buffer or boxed', () => {
  assert.deepEqual(asarray(new Set([1, 2])).tolist(), [1, 2]);
  assert.deepEqual(asarray((function* () { yield 1.5; })()).tolist(), [1.5]);
  assert.deepEqual(asarray(new Uint8Array([1, 2]).buffer).tolist(), [1, 2]);
  assert.deepEqual(zeros(new Set([2, 1])).shape, [2, 1]);
  assert.equal(asarray(new Number(2)).item(), 2);
});

test('a value must fit its dtype', () => {
  assert.throws(() => full([1], 300, { dtype: 'uint8' }), { name: 'RangeError', kind: 'OverflowError' });
  assert.deepEqual(full([2], 255, { dtype: 'uint8' }).tolist(), [255, 255]);
});

test('named values are a plain object, a map, or anything with entries', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
  try {
    const path = join(folder, 'a.gguf');
    const names = ['w', '__proto__', 'b'];
    save(path, new Map(names.map((name, i) => [name, [i, 0.5]])));
    const file = open(path);
    assert.deepEqual([...file.keys()], names);
    assert.deepEqual(file.get('__proto__').tolist(), [1, 0.5]);
    const other = join(folder, 'b.gguf');
    save(other, file, { metadata: new Metadata().set('general.name', 'x') });
    assert.deepEqual([...open(other)].map(([name, t]) => [name, t.tolist()[0]]), [['w', 0], ['__proto__', 1], ['b', 2]]);
    assert.equal(open(other).metadata.get('general.name'), 'x');
    save(other, { only: zeros([2]) });
    assert.equal(open(other).size, 1);
    assert.equal(JSON.parse(JSON.stringify(open(other))).keys[0], 'only');
    assert.throws(() => save(other, 5), TypeError);
    assert.throws(() => save(other, [1, 2]), TypeError);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
