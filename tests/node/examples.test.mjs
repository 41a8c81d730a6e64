// What a guide to the public ABI shows first, example by example, as it is written here.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import * as tenspan from 'tenspan';

const { asarray, convert, cpp, getGlobalFunc, loadModule, registerGlobalFunc, registerObject } = tenspan;

tenspan.registerTestingFuncs();

// Where `tests/modules/build.sh` put the modules; `cargo verify` says so.
const folder = process.env.TENSPAN_MODULES;
const options = folder ? {} : { skip: 'TENSPAN_MODULES names no folder of compiled modules' };
// Modules are loaded on Linux so far.
const inline = process.platform === 'linux' ? {} : { skip: 'modules are loaded on Linux' };
const buildDirectory = mkdtempSync(join(tmpdir(), 'tenspan-examples-'));
after(() => rmSync(buildDirectory, { recursive: true }));

test('a module is loaded and run', options, () => {
  const mod = loadModule(join(folder, 'tensors.so'));
  const x = Float32Array.of(1, 2, 3, 4, 5);
  const y = new Float32Array(x.length);
  mod.add_one(x, y);
  assert.deepEqual([...y], [2, 3, 4, 5, 6]);
});

test('a tensor is over a typed array, and shows it', () => {
  const data = Float32Array.of(1, 2, 3, 4);
  const tensor = asarray(data);
  tensor.data[0] = 9;
  assert.equal(data[0], 9);
  assert.equal(tensor.owner, data);
});

test('echo', () => {
  const echo = getGlobalFunc('testing.echo');
  assert.equal(echo(1), 1);
});

test('a function of JavaScript is an argument', () => {
  const apply = getGlobalFunc('testing.apply');
  assert.equal(apply((x) => x + 1, 1), 2);
});

test('a function of JavaScript is registered', () => {
  registerGlobalFunc('example.addOne', (a) => a + 1);
  assert.equal(getGlobalFunc('example.addOne')(1), 2);
});

class Wrapper {
  constructor(held) {
    this.held = held;
  }
}

/** A class whose objects say by a protocol what they stand for. */
const wrapping = (protocol) =>
  class extends Wrapper {
    [Symbol.for(`tenspan.${protocol}`)]() {
      return this.held;
    }
  };

test('an object stands for an object of tenspan', () => {
  const list = new tenspan.List([1, 2]);
  assert.equal(getGlobalFunc('testing.echo')(new (wrapping('object'))(list)), list);
});

test('an object stands for a value', () => {
  const Value = wrapping('value');
  const echo = getGlobalFunc('testing.echo');
  assert.equal(echo(new Value('text')), 'text');
  assert.deepEqual([...echo(new Value([1, new Value(2)]))], [1, 2]);
  const circle = new Value();
  circle.held = circle;
  assert.throws(() => echo(circle), { name: 'TypeError' });
});

test('an object stands for an address', () => {
  const buffer = new Uint8Array(4096);
  const address = asarray(buffer).dataPtr;
  const Workspace = wrapping('opaque');
  assert.equal(getGlobalFunc('testing.echo')(new Workspace(address)), address);
});

test('an object stands for a whole number, and one for a float', () => {
  const add = getGlobalFunc('testing.add_one');
  assert.equal(add(new (wrapping('int'))(41)), 42);
  assert.throws(() => add(new (wrapping('float'))(41)), { name: 'TypeError' });
  assert.equal(getGlobalFunc('testing.echo')(new (wrapping('float'))(2.5)), 2.5);
});

test('Array', () => {
  const array = convert([1, 2, 3, 4]);
  assert.ok(array instanceof tenspan.Array);
  assert.equal(array.length, 4);
  assert.equal(array.at(0), 1);
  assert.equal(array.set, undefined);
});

test('List', () => {
  const list = new tenspan.List([1, 2, 3]);
  assert.equal(list.length, 3);
  list.push(4);
  assert.equal(list.length, 4);
  list.set(0, 10);
  assert.equal(list.at(0), 10);
});

test('Map', () => {
  const map = convert({ a: 1, b: 2 });
  assert.ok(map instanceof tenspan.Map);
  assert.equal(map.size, 2);
  assert.deepEqual([map.get('a'), map.get('b')], [1, 2]);
  assert.equal(map.set, undefined);
});

test('Dict', () => {
  const dict = new tenspan.Dict({ a: 1, b: 2 });
  dict.set('c', 3);
  assert.equal(dict.size, 3);
  dict.delete('a');
  assert.equal(dict.size, 2);
});

test('values of several kinds in order', () => {
  const tuple = convert([1, 'hello', 3.14]);
  assert.ok(tuple instanceof tenspan.Array);
  assert.deepEqual([...tuple], [1, 'hello', 3.14]);
});

const SOURCE = `
void add_one_cpu(tenspan::kernel::TensorView x, tenspan::kernel::TensorView y) {
  TENSPAN_CHECK_EQ(x.ndim(), 1) << "x must be a 1D tensor";
  TENSPAN_CHECK_EQ(y.ndim(), 1) << "y must be a 1D tensor";
  TENSPAN_CHECK_EQ(x.size(0), y.size(0)) << "x and y must have the same shape";
  for (std::int64_t i = 0; i < x.size(0); ++i) y.data<float>()[i] = x.data<float>()[i] + 1;
}
`;

test('a module is compiled from a text, and called with typed arrays', inline, () => {
  const mod = cpp.loadInline('example', SOURCE, { functions: 'add_one_cpu', buildDirectory });
  const x = Float32Array.of(1, 2, 3, 4, 5);
  const y = new Float32Array(x.length);
  mod.add_one_cpu(x, y);
  assert.deepEqual([...y], [...x].map((number) => number + 1));
  assert.throws(() => mod.add_one_cpu(x, new Float32Array(2)), { kind: 'AssertionError', message: /the same shape/ });
  assert.throws(() => mod.add_one_cpu(x, new Float64Array(5)), { message: /float32/ });
});

test('a module is compiled, and loaded later', inline, () => {
  const path = cpp.buildInline('example', SOURCE, { functions: 'add_one_cpu', buildDirectory });
  const y = new Float32Array(1);
  loadModule(path).add_one_cpu(Float32Array.of(1), y);
  assert.equal(y[0], 2);
});

test('an error has its kind, its message and where it came from', () => {
  const raise = getGlobalFunc('testing.raise');
  try {
    raise('ValueError', 'message');
    assert.fail('nothing was thrown');
  } catch (error) {
    assert.ok(error instanceof tenspan.ValueError);
    assert.equal(error.message, 'message');
    assert.match(error.stack, /examples\.test\.mjs/);
  }
});

test('the stack of an error goes through the languages', options, () => {
  try {
    loadModule(join(folder, 'errors.so')).value_error(7);
    assert.fail('nothing was thrown');
  } catch (error) {
    assert.ok(error instanceof tenspan.ValueError);
    assert.match(error.stack, /errors\.cc:\d+.*examples\.test\.mjs/s);
  }
});

test('a class of two integers', () => {
  class IntPair extends tenspan.Object {
    constructor(a, b) {
      super(a, b);
    }
  }
  registerObject('testing.IntPair', IntPair);
  const pair = new IntPair(1, 2);
  assert.deepEqual([pair.a, pair.b], [1, 2]);
});
