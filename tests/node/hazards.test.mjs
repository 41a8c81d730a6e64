// What crashes, is cut short or gets lost where others call functions across languages, and its right outcome here. What other
// files show is not repeated.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Array as TenArray, Device, Dict, List, Map as TenMap, Shape, Tensor, asarray, equal, getGlobalFunc, registerTestingFuncs, zeros } from 'tenspan';

let testing;
before(() => {
  registerTestingFuncs();
  const names = ['echo', 'apply', 'add_one', 'narrow', 'raise', 'stream', 'device_tensor', 'repeat', 'count'];
  testing = Object.fromEntries(names.map((name) => [name, getGlobalFunc(`testing.${name}`)]));
});

function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}

test('whole numbers of any size come back', () => {
  const { echo, apply } = testing;
  for (const bits of [63n, 64n, 65n, 127n, 128n, 129n, 191n, 192n, 200n, 1000n, 3200n]) {
    for (const number of [2n ** bits, 2n ** bits - 1n, -(2n ** bits), -(2n ** bits) - 1n, 3n ** bits / 7n]) {
      assert.equal(echo(number), number);
      assert.equal(echo([number]).at(0), number);
      assert.equal(apply((x) => -x, number), -number);
      assert.ok(equal(number, number) && !equal(number, number + 1n));
      assert.equal(new Dict([[number, 'found']]).get(number), 'found');
    }
  }
  assert.equal(echo(-0n), 0);
});

test('a number is never cut to 32 bits', () => {
  const { narrow, add_one, apply } = testing;
  for (const wide of [2 ** 31, -(2 ** 31) - 1, 2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 200n]) {
    for (const work of [() => narrow(wide), () => apply(narrow, wide)]) {
      const error = thrown(work);
      assert.equal(error.kind, 'OverflowError');
      assert.match(error.message, new RegExp(`${wide} is not between`));
    }
  }
  assert.equal(add_one(2n ** 63n - 1n), 2n ** 63n);
  for (const wrong of [1.5, '1', null, undefined, [1], Symbol('x')]) assert.throws(() => add_one(wrong), TypeError);
});

test('the key of a missing one is the key', () => {
  const { raise } = testing;
  assert.equal(new TenMap([['a', 1]]).get('b'), undefined);
  const error = thrown(() => new TenMap([['a', 1]]).get.call({}, 'b'));
  assert.ok(error instanceof TypeError);
  assert.equal(thrown(() => raise('KeyError', 'x')).key, undefined);
});

test('the stack shows the functions of other languages before those of JavaScript', () => {
  const { raise, apply } = testing;
  const lines = thrown(() => raise('ValueError', 'x')).stack.split('\n');
  assert.match(lines[1], /testing\.rs:\d+/);
  assert.match(lines[2], /at testing\.raise \(/);
  assert.ok(lines.findIndex((line) => line.includes('hazards.test.mjs')) > 2);
  const through = thrown(() => apply(raise, 'ValueError', 'x')).stack;
  assert.ok(through.indexOf('testing.raise') < through.indexOf('testing.apply'));
});

test('memory of a device is passed on and not read', () => {
  const { device_tensor, echo, apply } = testing;
  const remote = device_tensor(new Device('cuda:1'), 5);
  assert.equal(echo(remote), remote);
  assert.equal(echo([remote]).at(0), remote);
  let seen;
  apply((x) => { seen = x; }, remote);
  assert.equal(seen, remote);
  assert.throws(() => asarray(remote));
  assert.throws(() => Tensor.prototype.tolist.call(remote), TypeError);
});

test('a device may be a text, and has no stream unless somebody set one', () => {
  const { stream } = testing;
  assert.equal(stream('cuda:1'), 0n);
  assert.equal(stream(new Device('ext_dev:2')), 0n);
  assert.equal(thrown(() => stream('nope')).kind, 'ValueError');
});

test('more than 200 arguments arrive', () => {
  const { count } = testing;
  const many = Array.from({ length: 300 }, (_, i) => (i % 3 ? i : `text ${i}`));
  assert.equal(count(...many), 300);
  assert.deepEqual([...testing.apply((...all) => all, ...many)], many);
});

test('a value that stands for itself ends in an error', () => {
  const { echo } = testing;
  let asked = 0;
  const selfish = { [Symbol.for('tenspan.value')]() { asked += 1; return this; } };
  assert.throws(() => echo(selfish), TypeError);
  assert.ok(asked < 1000, `asked ${asked} times`);
});

test('lists that hold themselves are shown and compared', () => {
  const ring = () => {
    const list = new List([1]);
    list.push(list);
    return list;
  };
  const [a, b] = [ring(), ring()];
  assert.ok(equal(a, b));
  assert.equal(a.at(1), a);
  b.push(2);
  assert.ok(!equal(a, b));
  a.clear();
  b.clear();
});

test('classes are not made without what they stand for', () => {
  for (const Class of [TenArray, List, TenMap, Dict, Shape, Tensor]) {
    const empty = Object.create(Class.prototype);
    const read = 'size' in Class.prototype ? () => empty.size : () => empty.length;
    assert.throws(read, TypeError, Class.name);
    assert.equal(testing.count(empty), 1);
  }
  assert.throws(() => Object.create(Tensor.prototype).shape, TypeError);
  const disposed = zeros([2]);
  disposed.dispose();
  assert.equal(thrown(() => testing.echo(disposed)).kind, 'Disposed');
});
