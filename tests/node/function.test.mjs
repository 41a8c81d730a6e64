// Functions across languages: of core called from here, of JavaScript called from core, and what they are given.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  Array as TenArray,
  Device,
  Dict,
  Function as TenFunction,
  List,
  Map as TenMap,
  Shape,
  asarray,
  convert,
  equal,
  getGlobalFunc,
  listGlobalFuncNames,
  registerGlobalFunc,
  registerTestingFuncs,
  removeGlobalFunc,
  zeros,
} from 'tenspan';

let testing;
before(() => {
  registerTestingFuncs();
  testing = Object.fromEntries(
    ['nop', 'echo', 'count', 'add_one', 'narrow', 'apply', 'repeat', 'keep', 'release'].map((name) => [
      name,
      getGlobalFunc(`testing.${name}`),
    ]),
  );
});

function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}

test('a function is a callable object with a name', () => {
  const { echo } = testing;
  assert.equal(typeof echo, 'function');
  assert.ok(echo instanceof TenFunction && echo instanceof Function);
  assert.equal(echo.name, 'testing.echo');
  assert.equal(echo.length, 0);
  assert.equal(echo.call(null, 5), 5);
  assert.equal(echo.apply(undefined, ['x']), 'x');
  assert.equal(echo.bind(null, 7)(), 7);
  assert.throws(() => new TenFunction(), TypeError);
  assert.throws(() => new echo(1), TypeError);
});

test('a function has one object while it is alive', () => {
  const { echo } = testing;
  assert.equal(getGlobalFunc('testing.echo'), echo);
  assert.equal(echo(echo), echo);
});

test('plain values come back as what they were', () => {
  const { echo } = testing;
  for (const value of [null, true, false, 0, 1, -5, 1.5, Infinity, 2 ** 53 - 1, -(2 ** 53) + 1, '', 'hello', 'a text of more than seven bytes', 'nul \0 inside', 'é😀']) {
    assert.equal(echo(value), value);
  }
  assert.ok(Object.is(echo(-0), -0));
  assert.ok(Number.isNaN(echo(NaN)));
  assert.equal(echo(undefined), null);
  for (const big of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), 2n ** 100n, -(2n ** 127n), 2n ** 127n - 1n]) {
    assert.equal(echo(big), big);
  }
  assert.equal(echo(5n), 5);
  assert.equal(echo(new Number(4)), 4);
  assert.equal(echo(new String('boxed')), 'boxed');
});

test('numbers that are whole are integers, and no others', () => {
  const { add_one, narrow } = testing;
  assert.equal(add_one(1), 2);
  assert.equal(add_one(2n ** 63n - 1n), 2n ** 63n);
  assert.throws(() => add_one(1.5), TypeError);
  assert.throws(() => add_one('1'), TypeError);
  assert.throws(() => add_one(2n ** 63n), RangeError);
  assert.equal(narrow(2 ** 31 - 1), 2 ** 31 - 1);
  const error = thrown(() => narrow(2 ** 31));
  assert.ok(error instanceof RangeError);
  assert.match(error.message, /narrow: argument 0 \(`x`\): 2147483648/);
});

test('half of a surrogate pair is refused, not changed', () => {
  const error = thrown(() => testing.echo('\ud800'));
  assert.equal(error.kind, 'ValueError');
  assert.throws(() => testing.echo(['x\udc00']), (error) => error.kind === 'ValueError');
  assert.equal(testing.echo('\ufffd'), '\ufffd');
});

test('any number of arguments', () => {
  const { count } = testing;
  for (const n of [0, 1, 2, 3, 4, 5, 14, 15, 16, 17, 200, 1000]) {
    assert.equal(count(...Array.from({ length: n }, (_, i) => (i % 2 ? i : `${i}`))), n);
    assert.equal(count(...Array(n).fill(1)), n);
  }
});

test('an object of tenspan comes back as itself', () => {
  const { echo, apply, keep, release } = testing;
  const objects = [zeros([2]), new TenArray([1]), new List([1]), new TenMap([['a', 1]]), new Dict(), new Shape([2, 3])];
  for (const object of objects) {
    assert.equal(echo(object), object);
    assert.equal(echo([object]).at(0), object);
    assert.equal(apply((x) => x, object), object);
    apply((x) => assert.equal(x, object), object);
    keep(object);
    release();
    assert.equal(echo(object), object);
  }
});

test('a tensor that a function keeps and gives back later is the same object', () => {
  const t = zeros([3]);
  const kept = [];
  registerGlobalFunc('node.keep', (x) => void kept.push(x), { override: true });
  getGlobalFunc('node.keep')(t);
  assert.equal(kept[0], t);
  const list = new List();
  list.push(t);
  assert.equal(list.at(0), t);
  removeGlobalFunc('node.keep');
});

test('an object that was disposed of is refused, and made anew from what is still there', () => {
  const t = zeros([3]);
  const list = new List([t]);
  t.dispose();
  assert.throws(() => testing.echo(t), (error) => error.code === 'ERR_TENSPAN_DISPOSED');
  const again = list.at(0);
  assert.notEqual(again, t);
  assert.deepEqual(again.shape, [3]);
});

test('an object may be disposed of by a function that it was given to', () => {
  const disposes = (x, depth) => {
    const { size } = x;
    if (depth > 0) getGlobalFunc('node.disposes')(x, depth - 1);
    x.dispose();
    return size;
  };
  registerGlobalFunc('node.disposes', disposes);
  for (let i = 0; i < 100; i++) {
    const t = zeros([3]);
    // Now and then within more calls than the table of what is in use has room for at once.
    assert.equal(getGlobalFunc('node.disposes')(t, i % 25 === 0 ? 60 : i % 4), 3);
    assert.throws(() => t.shape, (error) => error.code === 'ERR_TENSPAN_DISPOSED');
  }
  removeGlobalFunc('node.disposes');
});

test('a device is a value', () => {
  const device = new Device('cuda:1');
  assert.equal(testing.echo(device), device);
  assert.deepEqual([device.name, device.deviceType, device.deviceId], ['cuda:1', 2, 1]);
  assert.equal(JSON.stringify([device]), '["cuda:1"]');
  assert.throws(() => new Device('nonsense:1'), (error) => error.kind === 'ValueError');
  assert.equal(testing.echo([device]).at(0), device);
  assert.equal(testing.apply((x) => x, device), device);
});

test('a complex number stays one', () => {
  assert.deepEqual(testing.echo({ re: 1, im: -2.5 }), { re: 1, im: -2.5 });
  assert.deepEqual(testing.apply((x) => ({ ...x }), { re: 1, im: 2 }), { re: 1, im: 2 });
});

test('arrays, maps and plain objects become containers', () => {
  const { echo } = testing;
  const array = echo([1, 'two', [3]]);
  assert.ok(array instanceof TenArray);
  assert.deepEqual([array.length, array.at(0), array.at(1), array.at(2).at(0)], [3, 1, 'two', 3]);
  for (const given of [new Map([['a', 1], [2, 'b']]), { a: 1, b: { c: [] } }]) {
    assert.ok(echo(given) instanceof TenMap);
  }
  assert.equal(echo(new Map([[1, 'x'], [true, 'y'], ['1', 'z']])).get(true), 'y');
  assert.deepEqual(JSON.parse(JSON.stringify(echo({ a: 1, b: { c: [] } }))), { a: 1, b: { c: [] } });
  assert.equal(echo([]).length, 0);
  assert.equal(echo([, 1]).at(0), null);
});

test('typed arrays are tensors over their memory, buffers are bytes', () => {
  const { echo, keep, release } = testing;
  const data = new Float32Array([1, 2, 3]);
  const tensor = echo(data);
  data[0] = 9;
  assert.deepEqual(tensor.tolist(), [9, 2, 3]);
  keep(new Float64Array([4]));
  release();
  const bytes = Buffer.from([1, 0, 255]);
  const back = echo(bytes);
  assert.ok(Buffer.isBuffer(back));
  assert.deepEqual(back, bytes);
  assert.equal(echo(Buffer.alloc(0)).length, 0);
});

test('memory that a function of JavaScript gives away meanwhile is not read', () => {
  const data = new Float32Array([1, 2, 3]);
  const error = thrown(() => testing.apply(() => structuredClone(data.buffer, { transfer: [data.buffer] }) && 1, data));
  assert.equal(error.kind, 'BufferError');
  const lent = asarray(new Float32Array([4, 5]));
  registerGlobalFunc('node.transfers', (x) => {
    const { buffer } = x.owner;
    structuredClone(buffer, { transfer: [buffer] });
    return 1;
  });
  assert.equal(thrown(() => getGlobalFunc('node.transfers')(lent)).kind, 'BufferError');
  removeGlobalFunc('node.transfers');
});

test('what only JavaScript understands comes back as the same object', () => {
  const { echo, apply } = testing;
  class Mine {}
  for (const value of [new Mine(), new Date(), new Set([1]), /x/, Promise.resolve(), Symbol('s'), new WeakMap(), (function* () {})()]) {
    assert.equal(echo(value), value);
    assert.equal(apply((x) => x, value), value);
    assert.equal(echo([value]).at(0), value);
  }
});

test('functions of JavaScript come back as themselves', () => {
  const { echo } = testing;
  const f = (x) => x;
  assert.equal(echo(f), f);
  assert.equal(echo([f]).at(0), f);
  class Class {}
  assert.equal(echo(Class), Class);
});

test('functions call each other to a depth that ends in an error, not in a crash', { timeout: 60_000 }, () => {
  const { apply } = testing;
  const down = (n) => (n === 0 ? 'bottom' : apply(down, n - 1));
  assert.equal(down(50), 'bottom');
  const forever = () => apply(forever);
  assert.throws(forever, (error) => error instanceof RangeError || error.kind !== undefined);
  assert.equal(down(50), 'bottom');
});

test('deep and cyclic values are a TypeError', () => {
  const { echo } = testing;
  const cyclic = [];
  cyclic.push(cyclic);
  assert.throws(() => echo(cyclic), TypeError);
  const named = {};
  named.self = named;
  assert.throws(() => echo(named), TypeError);
  const map = new Map();
  map.set('self', map);
  assert.throws(() => echo(map), TypeError);
  let deep = [];
  for (let i = 0; i < 200_000; i++) deep = [deep];
  assert.throws(() => echo(deep), TypeError);
  assert.throws(() => convert(cyclic), TypeError);
  assert.throws(() => new List([cyclic]), TypeError);
});

test('an array too large for memory is an error', () => {
  assert.throws(() => testing.echo(new Array(2 ** 32 - 1)), (error) => error.kind === 'MemoryError' || error instanceof TypeError);
});

test('a getter that throws ends the call with what it threw', () => {
  const mine = new Error('mine');
  const bad = { get x() { throw mine; } };
  assert.equal(thrown(() => testing.echo(bad)), mine);
  assert.equal(thrown(() => testing.echo([bad])), mine);
  const array = [];
  Object.defineProperty(array, 0, { get() { throw mine; }, enumerable: true });
  assert.equal(thrown(() => testing.echo(array)), mine);
  assert.equal(testing.echo(3), 3);
});

test('a call within the reading of arguments does no harm', () => {
  const { echo, count } = testing;
  const inner = { get x() { return echo(zeros([1])).size + count(1, 2, 3); } };
  assert.equal(echo(inner).get('x'), 4);
  const sized = [zeros([7]), { get y() { return count('a', 'b'); } }, 5];
  const result = echo(sized);
  assert.deepEqual([result.at(0).size, result.at(1).get('y'), result.at(2)], [7, 2, 5]);
});

test('objects say what they stand for', () => {
  const { echo, add_one } = testing;
  const symbol = (name) => Symbol.for(`tenspan.${name}`);
  assert.equal(echo({ [symbol('value')]: () => 'stands' }), 'stands');
  class Wrapper {
    constructor(inner) { this.inner = inner; }
    [symbol('value')]() { return this.inner; }
  }
  assert.equal(echo(new Wrapper(new Wrapper(5))), 5);
  assert.equal(echo([new Wrapper([1])]).at(0).at(0), 1);
  const t = zeros([2]);
  assert.equal(echo({ [symbol('object')]: () => t }), t);
  assert.equal(add_one({ [symbol('int')]: () => 41 }), 42);
  assert.equal(echo({ [symbol('int')]: () => 2n ** 70n }), 2n ** 70n);
  assert.throws(() => add_one({ [symbol('float')]: () => 41 }), TypeError);
  assert.equal(echo({ [symbol('float')]: () => 41 }), 41);
  assert.equal(echo({ [symbol('opaque')]: () => 0x1234 }), 0x1234n);
  assert.throws(() => echo({ [symbol('int')]: () => 1.5 }), TypeError);
  assert.throws(() => echo({ [symbol('object')]: () => 5 }), TypeError);
  const self = { [symbol('value')]() { return this; } };
  assert.throws(() => echo(self), TypeError);
  const list = [];
  list.push({ [symbol('value')]: () => list });
  assert.throws(() => echo(list), TypeError);
  const mine = new Error('mine');
  assert.equal(thrown(() => echo({ [symbol('value')]() { throw mine; } })), mine);
});

test('the registry', () => {
  const twice = (x) => 2 * x;
  registerGlobalFunc('node.twice', twice);
  const found = getGlobalFunc('node.twice');
  assert.ok(found instanceof TenFunction);
  assert.equal(found.name, 'twice');
  assert.equal(found(21), 42);
  assert.equal(getGlobalFunc('node.twice'), found);
  assert.ok(listGlobalFuncNames().includes('node.twice'));
  const taken = thrown(() => registerGlobalFunc('node.twice', twice));
  assert.equal(taken.kind, 'RuntimeError');
  registerGlobalFunc('node.twice', (x) => x, { override: true });
  assert.equal(getGlobalFunc('node.twice')(21), 21);
  const near = thrown(() => getGlobalFunc('node.twise'));
  assert.equal(near.kind, 'ValueError');
  assert.match(near.message, /node\.twice/);
  assert.equal(getGlobalFunc('node.absent', { allowMissing: true }), null);
  assert.equal(removeGlobalFunc('node.twice'), true);
  assert.equal(removeGlobalFunc('node.twice'), false);
  assert.equal(found(21), 42);
  assert.throws(() => registerGlobalFunc('node.x', 5), TypeError);
});

test('convert makes what all languages see', () => {
  assert.ok(convert([1, 2]) instanceof TenArray);
  assert.ok(convert(new Map()) instanceof TenMap);
  assert.ok(convert({}) instanceof TenMap);
  const f = convert((x) => x + 1);
  assert.ok(f instanceof TenFunction);
  assert.equal(f(1), 2);
  assert.equal(convert(f), f);
  const t = zeros([1]);
  assert.equal(convert(t), t);
  assert.equal(convert('x'), 'x');
  assert.equal(convert(undefined), null);
  const array = convert([1]);
  assert.equal(convert(array), array);
});

test('values are equal by what they hold', () => {
  assert.ok(equal([1, [2]], new List([1, [2]])));
  assert.ok(equal({ a: 1 }, new Dict([['a', 1]])));
  assert.ok(equal(zeros([2]), zeros([2])));
  assert.ok(!equal(1, true) && !equal(1, 1.5) && !equal([1], [1, 2]));
  assert.ok(equal('x', 'x'));
});

test('callbacks get arguments and give results of every kind', () => {
  const { apply, repeat } = testing;
  assert.equal(apply((a, b) => `${a}${b}`, 'x', 1), 'x1');
  assert.equal(apply(() => undefined), null);
  assert.ok(apply(() => [1, 2]) instanceof TenArray);
  assert.deepEqual(apply(() => new Float32Array([1, 2])).tolist(), [1, 2]);
  assert.equal(apply((...args) => args.length, ...Array(30).fill('x')), 30);
  assert.equal(apply((x) => x instanceof TenMap && x.get('k'), { k: 5 }), 5);
  let sum = 0;
  assert.equal(repeat((i) => (sum += i), 1000), sum);
  assert.equal(sum, 499_500);
});

test('callbacks are let go of', { skip: !globalThis.gc && 'needs --expose-gc', timeout: 60_000 }, async () => {
  const { apply } = testing;
  let freed = 0;
  const registry = new FinalizationRegistry(() => (freed += 1));
  for (let i = 0; i < 100; i++) {
    const f = () => i;
    registry.register(f, i);
    apply(f);
  }
  for (let i = 0; i < 20 && freed < 90; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
  }
  assert.ok(freed >= 90, `${freed} of 100`);
});

test('what a getter throws stays what it is, whatever it is', () => {
  const circular = new Error('circular');
  circular.cause = circular;
  for (const value of [circular, 'text', 5, null, undefined, Symbol('s'), { toString() { throw 1; } }]) {
    const bad = { get x() { throw value; } };
    for (const given of [bad, [bad], new Map([['k', bad]])]) {
      let caught = 'nothing';
      try {
        testing.echo(given);
      } catch (error) {
        caught = error;
      }
      assert.equal(caught, value);
    }
    let caught = 'nothing';
    try {
      testing.apply(() => bad);
    } catch (error) {
      caught = error;
    }
    assert.equal(caught, value);
  }
});
