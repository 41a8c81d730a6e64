// Containers in the manner of JavaScript's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { Array as TenArray, Dict, List, Map as TenMap, Shape, equal, getGlobalFunc, registerTestingFuncs, zeros } from 'tenspan';

registerTestingFuncs();
const echo = getGlobalFunc('testing.echo');

test('an array has the manners of arrays', () => {
  const a = new TenArray([1, 'two', [3], null]);
  assert.equal(a.length, 4);
  assert.equal(a.at(0), 1);
  assert.equal(a.at(-1), null);
  assert.equal(a.at(2), a.at(2));
  assert.deepEqual([...a].slice(0, 2), [1, 'two']);
  assert.ok(a.includes('two') && a.includes([3]) && !a.includes(2));
  assert.deepEqual([a.indexOf([3]), a.indexOf('x'), a.indexOf(true)], [2, -1, -1]);
  assert.deepEqual(a.slice(0, 2), [1, 'two']);
  assert.deepEqual(a.slice(-1), [null]);
  assert.deepEqual(new TenArray([1, 2, 3]).map((x) => x * 2), [2, 4, 6]);
  assert.equal(new TenArray([1, 2, 3]).reduce((x, y) => x + y), 6);
  assert.deepEqual([...new TenArray(['a']).entries()], [[0, 'a']]);
  assert.equal(new TenArray().length, 0);
  assert.deepEqual([...new TenArray(new Set([1, 2]))], [1, 2]);
  assert.deepEqual([...new TenArray('ab')], ['a', 'b']);
  for (const wrong of [3, true, {}]) assert.throws(() => new TenArray(wrong), TypeError);
});

test('a position outside is a RangeError that says where', () => {
  for (const Class of [TenArray, List]) {
    const it = new Class([1, 2, 3]);
    assert.equal(it.at(-3), 1);
    for (const at of [3, -4, 2 ** 40, Infinity]) assert.throws(() => it.at(at), RangeError);
    assert.throws(() => it.at(5), /position 5 is outside of an? (array|list) of 3 items/);
  }
  assert.throws(() => new Shape([1]).at(-2), RangeError);
  assert.throws(() => new List([1]).set(1, 0), RangeError);
});

test('a list changes for everybody who holds it', () => {
  const list = new List([1, 2]);
  const same = echo(list);
  assert.equal(same, list);
  assert.equal(list.push(3, 'four'), 4);
  assert.equal(list.pop(), 'four');
  assert.equal(list.set(0, 'one'), list);
  list.set(-1, 'three');
  assert.deepEqual([...list], ['one', 2, 'three']);
  assert.deepEqual(list.splice(1, 1, 'a', 'b'), [2]);
  assert.deepEqual([...list], ['one', 'a', 'b', 'three']);
  assert.equal(list.shift(), 'one');
  assert.equal(list.unshift(0), 4);
  assert.deepEqual(list.splice(-2), ['b', 'three']);
  assert.deepEqual(list.splice(5, 1, 'end'), []);
  assert.deepEqual([...list], [0, 'a', 'end']);
  list.clear();
  assert.equal(list.length, 0);
  assert.equal(list.pop(), undefined);
  assert.equal(list.shift(), undefined);
});

test('splice does what it does for arrays', () => {
  const args = [[], [1], [-1], [9], [0, 0, 'x'], [1, 2], [1, 99, 'y', 'z'], [-2, 1], [2, -1, 'w'], [undefined, 1], [1, undefined, 'v']];
  for (const given of args) {
    const wanted = [1, 2, 3, 4];
    const list = new List(wanted);
    assert.deepEqual(list.splice(...given), wanted.splice(...given), `${given}`);
    assert.deepEqual([...list], wanted, `${given}`);
  }
});

test('an iteration sees the items as they were when it began', () => {
  const list = new List([1, 2, 3]);
  const seen = [];
  for (const item of list) {
    seen.push(item);
    list.push(item);
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.equal(list.length, 6);
});

test('a map has the manners of maps', () => {
  const map = new TenMap([['a', 1], [2, 'b'], ['a', 3]]);
  assert.equal(map.size, 2);
  assert.equal(map.get('a'), 3);
  assert.equal(map.get(2), 'b');
  assert.equal(map.get('absent'), undefined);
  assert.ok(map.has(2) && !map.has('2'));
  assert.deepEqual([...map], [['a', 3], [2, 'b']]);
  assert.deepEqual([...map.keys()], ['a', 2]);
  assert.deepEqual([...map.values()], [3, 'b']);
  const seen = [];
  map.forEach((value, key, whole) => seen.push([key, value, whole === map]));
  assert.deepEqual(seen, [['a', 3, true], [2, 'b', true]]);
  assert.deepEqual([...new TenMap({ x: 1, y: 2 })], [['x', 1], ['y', 2]]);
  assert.deepEqual([...new TenMap(new Map([[1, 2]]))], [[1, 2]]);
  assert.deepEqual([...new TenMap(map)], [...map]);
  assert.equal(map.set, undefined);
  for (const wrong of [5, [1], ['ab', null]]) assert.throws(() => new TenMap(wrong), TypeError);
});

test('keys are compared with their type', () => {
  const dict = new Dict([[1, 'int'], [true, 'bool'], [1.5, 'float'], ['1', 'text']]);
  assert.equal(dict.size, 4);
  assert.deepEqual([dict.get(1), dict.get(true), dict.get(1.5), dict.get('1')], ['int', 'bool', 'float', 'text']);
  const t = zeros([1]);
  dict.set(t, 'tensor');
  assert.equal(dict.get(t), 'tensor');
  assert.equal([...dict.keys()].at(-1), t);
});

test('a dict keeps the order in which its keys were first set', () => {
  const dict = new Dict();
  for (let i = 0; i < 1000; i++) dict.set(`key ${i}`, i);
  for (let i = 0; i < 1000; i += 2) assert.equal(dict.set(`key ${i}`, -i), dict);
  assert.deepEqual([...dict.keys()], Array.from({ length: 1000 }, (_, i) => `key ${i}`));
  assert.equal(dict.get('key 4'), -4);
  assert.equal(dict.delete('key 4'), true);
  assert.equal(dict.delete('key 4'), false);
  assert.equal(dict.size, 999);
  dict.clear();
  assert.deepEqual([...dict], []);
});

test('a shape is a list of lengths', () => {
  const shape = new Shape([2, 3n, 4]);
  assert.deepEqual([...shape], [2, 3, 4]);
  assert.deepEqual([shape.length, shape.at(-1), shape.indexOf(3)], [3, 4, 1]);
  assert.deepEqual(JSON.parse(JSON.stringify(shape)), [2, 3, 4]);
  assert.throws(() => new Shape(['x']), TypeError);
  assert.deepEqual(zeros(shape).shape, [2, 3, 4]);
});

test('containers are accepted wherever lists of numbers are', () => {
  assert.deepEqual(zeros(new List([2, 3])).shape, [2, 3]);
  assert.deepEqual(zeros(new TenArray([4])).shape, [4]);
});

test('containers are equal by what they hold', () => {
  assert.ok(equal(new TenArray([1, [2]]), new List([1, new List([2])])));
  assert.ok(equal(new TenMap([['a', 1], ['b', 2]]), new Dict([['b', 2], ['a', 1]])));
  assert.ok(!equal(new TenArray([1]), new TenArray([1.5])));
  const a = new List();
  a.push(a);
  const b = new List();
  b.push(b);
  assert.equal(typeof equal(a, b), 'boolean');
});

test('containers show themselves, also those that hold themselves', () => {
  assert.equal(inspect(new TenArray([1, 'a'])), "Array [ 1, 'a' ]");
  assert.match(inspect(new Dict([['k', 1]])), /Dict Map\(1\) \{ 'k' => 1 \}/);
  const list = new List([1]);
  list.push(list);
  assert.match(inspect(list, { depth: null }), /List \[ 1, \[Circular\] \]/);
  assert.throws(() => JSON.stringify(list), TypeError);
  assert.equal(JSON.stringify(new TenMap([['a', [1, { b: null }]]])), '{"a":[1,{"b":null}]}');
  assert.equal(JSON.stringify(new TenMap([[1, 2]])), '[[1,2]]');
  assert.equal(JSON.stringify({ x: new List([2n ** 70n]) }), `{"x":["${2n ** 70n}"]}`);
  list.dispose();
  assert.equal(inspect(list), 'List <disposed>');
  assert.throws(() => list.length, (error) => error.code === 'ERR_TENSPAN_DISPOSED');
});

test('deep containers are made, shown and let go of without the stack', { timeout: 60_000 }, () => {
  let deep = new List();
  for (let i = 0; i < 100_000; i++) deep = new List([deep]);
  assert.equal(deep.length, 1);
  assert.match(inspect(deep), /List/);
  deep.dispose();
});

test('a class of the user stays one', () => {
  class Mine extends List {
    last() {
      return this.at(-1);
    }
  }
  const mine = new Mine([1, 2]);
  assert.ok(mine instanceof Mine);
  assert.equal(mine.last(), 2);
  assert.equal(echo(mine), mine);
});

test('methods on other objects are a TypeError', () => {
  for (const wrong of [{}, [], null, new Proxy(new List(), {})]) {
    assert.throws(() => List.prototype.push.call(wrong, 1), TypeError);
    assert.throws(() => Dict.prototype.get.call(wrong, 1), TypeError);
  }
  assert.throws(() => List.prototype.push.call(new TenArray(), 1), TypeError);
});
