// Objects of classes that native code and compiled modules define.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';

import * as tenspan from 'tenspan';

import { entry, run } from './process.mjs';

const { List, Map: TenMap, defineObject, getGlobalFunc, loadModule, registerObject } = tenspan;

tenspan.registerTestingFuncs();
const echo = getGlobalFunc('testing.echo');

const folder = process.env.TENSPAN_MODULES;
const options = folder ? {} : { skip: 'TENSPAN_MODULES names no folder of compiled modules' };
const modules = () => loadModule(join(folder, 'objects.so'));
const kernels = () => loadModule(join(folder, 'kernel/objects.so'));

class IntPair extends tenspan.Object {
  constructor(a, b) {
    super(a, b);
  }

  product() {
    return this.a * this.b;
  }
}
registerObject('testing.IntPair', IntPair);

test('a registered class has the fields and methods of its type', () => {
  const pair = new IntPair(3, 4);
  assert.deepEqual([pair.a, pair.b, pair.sum(), pair.product()], [3, 4, 7, 12]);
  pair.a = 2n ** 60n;
  assert.equal(pair.a, 2n ** 60n);
  pair.a = -5n;
  assert.equal(pair.a, -5);
  assert.equal(pair.typeKey, 'testing.IntPair');
  assert.deepEqual(Object.keys(pair), []);
  assert.equal(Object.getOwnPropertyDescriptor(IntPair.prototype, 'sum').value.name, 'sum');
});

test('what comes along is the same object while it lives', () => {
  const pair = new IntPair(1, 2);
  assert.equal(echo(pair), pair);
  assert.equal(new List([pair]).at(0), pair);
  assert.equal(new TenMap([[pair, 1]]).keys().next().value, pair);
  getGlobalFunc('testing.apply')((given) => assert.equal(given, pair), pair);
  pair.dispose();
  assert.throws(() => pair.a, { kind: 'Disposed' });
  assert.throws(() => pair.sum(), { kind: 'Disposed' });
  assert.equal(inspect(pair), 'IntPair <disposed>');
});

test('wrong values are refused, with the field and its class', () => {
  const pair = new IntPair(1, 2);
  for (const value of ['x', 1.5, null, {}, 2n ** 70n]) {
    assert.throws(() => (pair.a = value), (error) => /`a` of `testing\.IntPair`/.test(error.message), String(value));
  }
  assert.equal(pair.a, 1);
  assert.throws(() => new IntPair(), { name: 'TypeError', message: /`testing\.IntPair` wants `a`/ });
  assert.throws(() => new IntPair(1), { name: 'TypeError', message: /`testing\.IntPair` wants `b`/ });
  assert.throws(() => new IntPair(1, undefined), { message: /wants `b`/ });
  assert.throws(() => new IntPair(1, 'x'), { name: 'TypeError', message: /`b` of `testing\.IntPair`/ });
  class Loose extends IntPair {
    constructor(...given) {
      super(...given);
    }
  }
  assert.throws(() => IntPair(1, 2), TypeError);
  assert.equal(new Loose(1, 2, 3).product(), 2);
  const get = Object.getOwnPropertyDescriptor(IntPair.prototype, 'a').get;
  for (const other of [{}, 3, IntPair.prototype]) assert.throws(() => get.call(other), /on an object that is not of its class/);
  assert.throws(() => get.call(new List()), { name: 'TypeError', message: /is of `testing\.IntPair`, not of/ });
});

test('objects are made of named fields', () => {
  const pair = IntPair.from({ b: 2, a: 1 });
  assert.deepEqual([pair.constructor, pair.a, pair.b], [IntPair, 1, 2]);
  assert.deepEqual(IntPair.from(new Map([['a', 1], ['b', 5]])).b, 5);
  assert.throws(() => IntPair.from({ a: 1, b: 2, bb: 3 }), { name: 'TypeError', message: /did you mean `b`/ });
  assert.throws(() => IntPair.from({ a: 1 }), { name: 'TypeError', message: /wants `b`/ });
  for (const fields of [undefined, 5, [1, 2]]) assert.throws(() => IntPair.from(fields), { name: 'TypeError', message: /by their names/ });
});

test('objects are shown, written, compared and copied by their fields', () => {
  const pair = new IntPair(1, 2);
  assert.equal(inspect(pair), 'IntPair { a: 1, b: 2 }');
  assert.equal(inspect([pair], { depth: 0 }), '[ [IntPair] ]');
  assert.equal(inspect(new List([pair])), 'List [ IntPair { a: 1, b: 2 } ]');
  assert.equal(`${pair}`, 'testing.IntPair(a=1, b=2)');
  assert.equal(`${new List([pair, new TenMap([['k', pair]])])}`, '[testing.IntPair(a=1, b=2), {"k": testing.IntPair(a=1, b=2)}]');
  assert.equal(JSON.stringify({ pair, list: new List([pair]) }), '{"pair":{"a":1,"b":2},"list":[{"a":1,"b":2}]}');
  assert.ok(pair.equals(new IntPair(1, 2)) && !pair.equals(new IntPair(1, 3)) && !pair.equals(1));
  assert.ok(tenspan.equal(pair, new IntPair(1, 2)));
  const copy = pair.copy();
  assert.ok(copy instanceof IntPair && copy !== pair && copy.equals(pair));
  copy.a = 9;
  assert.equal(pair.a, 1);
});

test('classes derived from a registered one keep what is their own', () => {
  class Counted extends IntPair {
    uses = 0;
    #secret = 7;

    sum() {
      this.uses++;
      return super.sum() + this.#secret;
    }
  }
  const pair = new Counted(1, 2);
  assert.equal(pair.sum(), 10);
  assert.ok(pair instanceof Counted && pair instanceof IntPair && echo(pair) === pair && pair.uses === 1);
  assert.equal(pair.copy().constructor, Counted);
});

test('registration says what is wrong', () => {
  const wrong = (key, Class, kind, message) => assert.throws(() => registerObject(key, Class), (error) => {
    assert.equal(error.kind, kind);
    assert.match(error.message, message);
    return true;
  });
  wrong('no.Such', class Such extends tenspan.Object {}, 'ValueError', /there is no type of objects `no\.Such`/);
  wrong('testing.IntPair', class Again extends tenspan.Object {}, 'ValueError', /registered already, for the class IntPair/);
  wrong('testing.IntPair', class Alone {}, 'TypeError', /extends tenspan\.Object is wanted for `testing\.IntPair`, found Alone/);
  wrong('testing.IntPair', {}, 'TypeError', /extends tenspan\.Object/);
  wrong('testing.IntPair', tenspan.Object, 'TypeError', /extends tenspan\.Object/);
  wrong(5, class Five extends tenspan.Object {}, 'TypeError', /the key of a type is a text/);
  wrong('ffi.Array', class Mine extends tenspan.Object {}, 'ValueError', /registered already/);
  tenspan.systemLib();
  wrong('tenspan.Module', class Mine extends tenspan.Object {}, 'ValueError', /registered already/);
  defineObject('object.Other');
  wrong('object.Other', class Sub extends IntPair {}, 'ValueError', /registered already/);
  assert.equal(registerObject('testing.IntPair', IntPair), IntPair);
  assert.throws(() => new tenspan.Object(), { name: 'TypeError', message: /Object stands for no type/ });
  class Nothing extends tenspan.Object {}
  assert.throws(() => new Nothing(1), { name: 'TypeError', message: /Nothing stands for no type/ });
});

test('a class is made for objects of a type that has none', options, () => {
  const pair = modules().pair(3, 4);
  const Pair = pair.constructor;
  assert.equal(Pair.name, 'Pair');
  assert.equal(Object.getPrototypeOf(Pair), tenspan.Object);
  assert.ok(pair instanceof tenspan.Object && !('__ffi_init__' in pair) && !('__ffi_init__' in Pair));
  assert.deepEqual([pair.a, pair.b, pair.sum()], [3, 4, 7]);
  const made = new Pair(5, 6);
  assert.deepEqual([made.constructor, made.sum(), modules().sum(made)], [Pair, 11, 11]);
  assert.throws(() => Pair(5, 6), TypeError);
  assert.throws(() => new Pair(5), { name: 'TypeError', message: /modules\.Pair.*Expected 2 but got 1/s });
  assert.throws(() => new Pair(5, 'x'), { name: 'TypeError', message: /argument #1.*modules\.Pair/s });
  assert.throws(() => (pair.b = 1), { name: 'TypeError', message: '`b` of `modules.Pair` is read-only' });
  assert.throws(() => Reflect.apply(pair.sum, {}, []), TypeError);
  assert.equal(inspect(pair), 'Pair { a: 3, b: 4 }');

  const triple = modules().triple(1, 2, 'three');
  const Triple = triple.constructor;
  assert.equal(Object.getPrototypeOf(Triple), Pair);
  assert.ok(triple instanceof Pair && triple instanceof Triple && !(pair instanceof Triple));
  assert.deepEqual([triple.name, triple.sum(), modules().sum(triple)], ['three', 3, 3]);
  assert.equal(new Triple(1, 2, 'drei').name, 'drei');
  assert.ok(modules().pairs(3).every((one) => one instanceof Pair));
  const [same] = modules().pairs(1);
  assert.equal(same, echo(same));
});

test('objects from before the registration get the members of the class', options, () => {
  const before = modules().triple(1, 2, 'early');
  const pair = modules().pair(1, 2);
  class Pair extends tenspan.Object {
    sum() {
      return `${super.a}, ${this.a} and ${this.b}`;
    }

    static own() {
      return 'own';
    }
  }
  registerObject('modules.Pair', Pair);
  assert.equal(pair.sum(), 'undefined, 1 and 2');
  assert.equal(before.sum(), 'undefined, 1 and 2');
  assert.ok(pair instanceof Pair && before instanceof Pair);
  assert.equal(modules().pair(5, 6).constructor, Pair);
  assert.equal(modules().triple(5, 6, 'x').constructor.own(), 'own');
  class Triple extends tenspan.Object {}
  registerObject('modules.Triple', Triple);
  const triple = modules().triple(5, 6, 'x');
  // Not derived in JavaScript, but by the types.
  assert.ok(triple instanceof Triple && triple instanceof Pair && !(triple instanceof IntPair));
  assert.deepEqual([triple.sum(), triple.a, triple.name], [11, 5, 'x']);
  assert.ok(before instanceof Triple);
});

test('kernels of ours have classes with static methods, defaults and names for arguments', options, () => {
  const Pair = kernels().pair(3, 4).constructor;
  assert.deepEqual([Pair.zero().a, Pair.zero().constructor], [0, Pair]);
  const pair = new Pair(2, 3);
  pair.add(5);
  assert.deepEqual([pair.a, pair.scaled(2).sum()], [7, 20]);
  assert.throws(() => (pair.b = 1), { name: 'TypeError', message: /`b` of `kernels\.Pair` is read-only/ });
  assert.throws(() => pair.add('x'), { name: 'TypeError' });
  const named = kernels().make_named('a name');
  assert.ok(named instanceof Pair && named.name === 'a name' && kernels().name(named) === 'a name');

  class Options extends tenspan.Object {}
  const other = () => registerObject('kernels.Options', class Other extends IntPair {});
  assert.throws(other, { name: 'TypeError', message: /Other is derived from a class that stands for `testing\.IntPair`/ });
  registerObject('kernels.Options', Options);
  const given = new Options();
  assert.deepEqual([given.steps, given.rate, [...given.seen]], [1, 0.5, []]);
  given.seen.push(3);
  assert.deepEqual([[...given.seen], [...new Options(2).seen]], [[3], []]);
  assert.equal(kernels().rate(Options.from({ rate: 2, steps: 3 })), 6);
  assert.throws(() => new Options(1, [], 3, 4), { name: 'TypeError', message: /kernels\.Options/ });
});

for (const name of ['hooks', 'kernel/hooks']) {
  test(`objects of ${name} are shown and compared as their class says`, options, () => {
    const { word } = loadModule(join(folder, `${name}.so`));
    const [tree, other, bush] = [word('Tree', 1), word('tREE', 1), word('Bush', 1)];
    assert.deepEqual([inspect(tree), `${tree}`, inspect([tree])], ['<Tree 1>', '<Tree 1>', '[ <Tree 1> ]']);
    assert.equal(inspect(new List([word('a', word('b', 2))])), 'List [ <a <b 2>> ]');
    assert.equal(`${new List([tree])}`, '[<Tree 1>]');
    assert.ok(tree.equals(other) && !tree.equals(bush) && !tree.equals(1) && tenspan.equal([tree], [other]));
    assert.ok(tree.compare(bush) > 0 && bush.compare(tree) < 0 && tree.compare(other) === 0);
    const sorted = [word('b', 1), word('A', 2), word('a', 1)].sort((a, b) => a.compare(b));
    assert.deepEqual(sorted.map(({ text, inside }) => [text, inside]), [['a', 1], ['A', 2], ['b', 1]]);
    assert.throws(() => tree.equals(word('broken', 1)), { kind: 'ValueError', message: /a broken word/ });
    assert.throws(() => tree.compare(3), { name: 'TypeError' });
    const table = new TenMap([[tree, 'found']]);
    assert.equal(table.get(word('TREE', 2)), 'found');
    assert.throws(() => table.get(word('broken', 1)), { kind: 'ValueError', message: /a broken key/ });
    tree.inside = tree;
    assert.equal(inspect(tree), '<Tree ...>');
    tree.inside = null;
  });
}

test('fields are found by name', () => {
  const pair = new IntPair(1, 2);
  assert.equal(pair.get('a'), 1);
  pair.set('a', 5);
  assert.deepEqual([pair.a, pair.call('sum')], [5, 7]);
  assert.throws(() => pair.get('c'), { kind: 'AttributeError', message: /`testing\.IntPair`/ });
  assert.throws(() => pair.set('c', 1), { kind: 'AttributeError' });
  assert.throws(() => pair.call('summ'), { kind: 'AttributeError', message: /did you mean `sum`/ });
});

test('the stack of an error begins where a field was set', () => {
  const pair = new IntPair(1, 2);
  try {
    pair.a = 'x';
    assert.fail('nothing was thrown');
  } catch (error) {
    assert.match(error.stack.split('\n')[1], /object\.test\.mjs/);
  }
});

test('objects go when nobody has them', () => {
  run(
    `
    tenspan.registerTestingFuncs();
    const Cell = tenspan.defineObject('cells.Cell', { fields: { data: 'tensor' } });
    const keep = tenspan.getGlobalFunc('testing.keep');
    for (let i = 0; i < 300; i++) {
      const cell = new Cell(tenspan.zeros([1 << 18]));
      cell.data;
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (i % 20 === 10) globalThis.gc();
    }
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(process.memoryUsage.rss() < 250 << 20, String(process.memoryUsage.rss()));
    const kept = (() => { const cell = new Cell(tenspan.zeros([1])); cell.mark = 1; keep(cell); return new WeakRef(cell); })();
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(kept.deref(), undefined);
  `,
    { flags: ['--expose-gc'] },
  );
});

test('each worker has a class of its own for the same object', async () => {
  const pair = new IntPair(3, 4);
  const Cell = defineObject('object.Cell', { fields: { value: { type: 'any', default: () => new List([1]) } } });
  const cell = new Cell(5);
  tenspan.registerGlobalFunc('object.test.shared', () => new List([pair, cell]), { override: true });
  const code = `
    const tenspan = require(${JSON.stringify(entry)});
    const { parentPort } = require('node:worker_threads');
    const [pair, cell] = tenspan.getGlobalFunc('object.test.shared')();
    class Mine extends tenspan.Object { twice() { return 2 * this.sum(); } }
    tenspan.registerObject('testing.IntPair', Mine);
    const said = [pair.constructor.name, pair.a, pair.sum(), pair.twice(), pair instanceof Mine, cell.constructor.name, cell.value];
    pair.a = 10;
    cell.value = pair;
    let refused;
    try { tenspan.defineObject('object.Cell'); } catch (error) { refused = error.kind; }
    const [fresh] = new (cell.constructor)().value;
    parentPort.postMessage([...said, refused, fresh, new Mine(1, 2).twice()]);
  `;
  const worker = new Worker(code, { eval: true });
  const said = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.deepEqual(said, ['IntPair', 3, 7, 14, true, 'Cell', 5, 'ValueError', 1, 6]);
  await worker.terminate();
  assert.equal(pair.a, 10);
  assert.equal(cell.value, pair);
});

test('workers make, share and change objects at once, and may be ended meanwhile', { timeout: 120_000 }, async () => {
  const shared = new tenspan.Dict({ total: new IntPair(0, 0) });
  tenspan.registerGlobalFunc('object.test.dict', () => shared, { override: true });
  const code = `
    const tenspan = require(${JSON.stringify(entry)});
    const { parentPort, workerData: { index, forever, folder } } = require('node:worker_threads');
    const shared = tenspan.getGlobalFunc('object.test.dict')();
    class Mine extends tenspan.Object { twice() { return 2 * this.sum(); } }
    tenspan.registerObject('testing.IntPair', Mine);
    const modules = folder ? ['objects', 'kernel/objects'].map((name) => tenspan.loadModule(folder + '/' + name + '.so')) : [];
    let wrong = 0;
    parentPort.postMessage('begun');
    for (let i = 0; forever || i < 400; i++) {
      const pair = new Mine(index, i);
      shared.set(index + ' ' + i % 7, pair);
      for (const one of shared.values()) {
        if (!(one instanceof Mine) || one.twice() !== 2 * (one.a + one.b) && one !== shared.get('total')) wrong++;
      }
      shared.get('total').b = i;
      for (const module of modules) if (module.pair(i, 1).sum() !== i + 1 || module.sums(module.pairs(4)) !== 18) wrong++;
      if (shared.get(index + ' ' + i % 7) !== pair) wrong++;
    }
    parentPort.postMessage(wrong);
  `;
  const start = (index, forever) => new Worker(code, { eval: true, workerData: { index, forever, folder } });
  const message = (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const lasting = [start(8, true), start(9, true)];
  await Promise.all(lasting.map(message));
  const workers = [0, 1, 2].map((index) => start(index, false));
  await Promise.all(workers.map(message));
  const results = workers.map(message);
  await Promise.all(lasting.map((worker) => worker.terminate()));
  assert.deepEqual(await Promise.all(results), [0, 0, 0]);
  for (const [key, pair] of shared) {
    assert.ok(pair instanceof IntPair);
    if (key !== 'total') assert.equal(`${pair.a} ${pair.b % 7}`, key);
  }
  assert.equal(shared.get('total').a, 0);
});
