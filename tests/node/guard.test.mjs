// Uses that would end a careless process: each in one of its own, which must end well.

import { test } from 'node:test';

import { entry, run } from './process.mjs';

const SCRIPTS = {
  'an address of nothing is refused before it is read': `
    const { fromPointer } = tenspan;
    for (const address of [0, -1, -8, 2n ** 64n, 2n ** 63n]) {
      assert.match(kind(() => fromPointer(address, [4], 'float32').tolist()), /ValueError|OverflowError/);
    }
    assert.equal(kind(() => fromPointer(4096, [2 ** 40, 2 ** 40], 'float32')), 'OverflowError');
    assert.equal(kind(() => fromPointer(8, [4], 'float32', { strides: [-4096] })), 'ValueError');
  `,
  'a target that is too short is not written past': `
    const { cast, copy, dot, zeros } = tenspan;
    const many = new Float32Array(10000);
    assert.equal(kind(() => cast(many, 'float16', { out: new Uint16Array(1) })), 'DTypeMismatch');
    assert.equal(kind(() => cast(many, 'uint16', { out: new Uint16Array(1) })), 'ShapeMismatch');
    assert.equal(kind(() => copy(many, new Float32Array(1))), 'ShapeMismatch');
    assert.equal(kind(() => copy(many, zeros([10000]).asReadonly())), 'ReadOnly');
    assert.equal(kind(() => dot(many, new Float32Array(1))), 'ShapeMismatch');
  `,
  'a shape without elements is not taken for a larger one': `
    const { zeros } = tenspan;
    assert.match(kind(() => zeros([0]).reshape([2 ** 32, 2 ** 32])), /OverflowError|ShapeMismatch/);
    assert.match(kind(() => zeros([2n ** 62n, 2n ** 62n])), /OverflowError/);
    assert.match(kind(() => zeros([2n ** 60n])), /MemoryError|OverflowError/);
  `,
  'strides of any kind give the numbers of a copy': `
    const { dot, asarray, zeros, full } = tenspan;
    const t = asarray(Float32Array.from({ length: 8 }, (_, i) => i));
    const ones = full([8], 1);
    assert.equal(dot(t.slice(0, { step: -1 }), ones), 28);
    assert.equal(dot(t.slice(0, { step: 2 }), ones.rows(0, 4)), 12);
  `,
  'memory that is taken away is not read': `
    const { asarray, dot, fromBuffer, copy } = tenspan;
    const array = new Float32Array(1 << 20);
    const t = asarray(array);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    gc(); await new Promise((resolve) => setTimeout(resolve, 10)); gc();
    for (const work of [() => t.tolist(), () => dot(t, t), () => t.data, () => copy(t, t), () => t.rows(0, 1), () => fromBuffer(array)]) {
      assert.equal(kind(work), 'BufferError');
    }
    assert.match(require('node:util').inspect(t), /taken away/);
    const buffer = new ArrayBuffer(1 << 24, { maxByteLength: 1 << 25 });
    const all = asarray(new Uint8Array(buffer));
    buffer.resize(16);
    assert.equal(kind(() => all.item()), 'BufferError');
    assert.equal(kind(() => all.tobytes()), 'BufferError');
  `,
  'what was disposed of is not used': `
    const { zeros, dot, copy, save } = tenspan;
    const t = zeros([4]);
    const { data } = t;
    t.dispose();
    t.dispose();
    const next = zeros([4]);
    for (const work of [() => t.ndim, () => dot(t, next), () => copy([t], next), () => t.data, () => save('/nowhere/x.gguf', { t })]) {
      assert.equal(kind(work), 'Disposed');
    }
    data.fill(1);
    assert.deepEqual(next.tolist(), [0, 0, 0, 0]);
  `,
  'an object is disposed of while the arguments are read': `
    const { zeros, copy } = tenspan;
    const t = zeros([1 << 16]);
    const trap = { *[Symbol.iterator]() { t.dispose(); zeros([1 << 16]); yield* new Array(1 << 16).fill(1); } };
    copy(trap, t);
    assert.equal(kind(() => t.ndim), 'Disposed');
  `,
  'a list whose reading calls tenspan again gives its own numbers': `
    const { zeros } = tenspan;
    const shape = new Proxy([2, 3], { get(target, name) { zeros([7, 7, 7]).reshape([49, 7]); return target[name]; } });
    assert.deepEqual(zeros(shape).shape, [2, 3]);
    const getter = [4, 5];
    Object.defineProperty(getter, 0, { get() { zeros([9, 9]); return 4; } });
    assert.deepEqual(zeros(getter).shape, [4, 5]);
    assert.deepEqual(zeros([20]).reshape(getter).shape, [4, 5]);
  `,
  'objects that only look like ours are refused': `
    const { Tensor, zeros, dot } = tenspan;
    const t = zeros([2]);
    const like = Object.create(Tensor.prototype);
    assert.equal(kind(() => like.ndim), 'TypeError');
    assert.equal(kind(() => dot(like, t)), 'TypeError');
    assert.equal(kind(() => Tensor.prototype.reshape.call([1, 2], [2])), 'TypeError');
    assert.equal(kind(() => new Tensor(Symbol('handle'), 0)), 'TypeError');
    assert.equal(kind(() => Object.getOwnPropertyDescriptor(Tensor.prototype, 'ndim').get.call(7)), 'TypeError');
  `,
  'numbers that nobody gave out find nothing': `
    const path = require('node:path');
    const native = require(path.join(path.dirname(${JSON.stringify(entry)}), 'native.cjs'));
    const { TAGS, words, numbers, run, release } = native;
    const t = tenspan.zeros([2]);
    for (const forged of [0.5, 1e9, -1, NaN, Infinity, 2 ** 32, 2 ** 52, 12345]) {
      words[0] = native.indices.get('Tensor.ndim'); words[1] = 1; words[4] = TAGS.HANDLE; numbers[3] = forged;
      assert.match(kind(() => run()), /Disposed|TypeError|nothing/);
      release(forged + 7e9);
    }
    for (const [entry, count, tag] of [[-1, 1, 0], [1e6, 1, 0], [3, -1, 3], [3, 1e6, 5], [3, 15, 99]]) {
      words[0] = entry; words[1] = count; words[4] = tag; numbers[3] = 1e300;
      kind(() => run());
    }
    assert.equal(t.ndim, 1);
  `,
  'a great many objects are each their own': `
    const { full } = tenspan;
    const all = Array.from({ length: 20000 }, (_, i) => full([1], i));
    for (let i = 0; i < all.length; i += 2) all[i].dispose();
    const fresh = Array.from({ length: 10000 }, (_, i) => full([1], -i));
    for (let i = 1; i < all.length; i += 2) assert.equal(all[i].item(), i);
    for (let i = 0; i < fresh.length; i++) assert.equal(fresh[i].item(), -i);
    for (let i = 0; i < all.length; i += 2) assert.equal(kind(() => all[i].item()), 'Disposed');
  `,
};
for (const [name, script] of Object.entries(SCRIPTS)) {
  test(name, () => run(script, { flags: ['--expose-gc'] }));
}

test('where array buffers over foreign memory are forbidden, data is a copy and says so', () => {
  const script = `
    const { asarray, zeros } = tenspan;
    const t = zeros([3]);
    assert.equal(t.copied, false);
    t.data[0] = 5;
    assert.equal(t.data.length, 3);
    assert.equal(t.copied, true);
    assert.deepEqual(t.tolist(), [0, 0, 0]);
    const array = new Float32Array(2);
    assert.equal(asarray(array).data.buffer, array.buffer);
  `;
  run(script, { env: { TENSPAN_NO_EXTERNAL_BUFFERS: '1' } });
});
