// Compiled modules: loaded, called with the calls of all languages, and refused.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import {
  Array as TenArray,
  DType,
  Device,
  Dict,
  List,
  Map as TenMap,
  Shape,
  ValueError,
  asarray,
  equal,
  getGlobalFunc,
  loadModule,
  systemLib,
} from 'tenspan';

const root = fileURLToPath(new URL('../../', import.meta.url));
const calls = JSON.parse(readFileSync(join(root, 'tests/modules/calls.json'), 'utf8'));
// Where `tests/modules/build.sh` put the modules; `cargo verify` says so.
const folder = process.env.TENSPAN_MODULES;
const options = folder ? {} : { skip: 'TENSPAN_MODULES names no folder of compiled modules' };

const callbacks = {
  double: (x) => 2 * x,
  sum: (a, b) => a + b,
  seven: () => 7,
  fail() {
    throw new ValueError('no luck');
  },
  text: () => 'a text of more than seven bytes',
};

const makers = {
  float: (number) => number,
  bytes: (text) => Buffer.from(text),
  tensor: (items) => asarray(new Float32Array(items)),
  list: (items) => new List(items.map(decode)),
  map: (entries) => new TenMap(entries.map((entry) => entry.map(decode))),
  dict: (entries) => new Dict(entries.map((entry) => entry.map(decode))),
  shape: (lengths) => new Shape(lengths),
  dtype: (name) => new DType(name),
  device: (name) => new Device(name),
  call: (name) => callbacks[name],
};

function decode(value) {
  if (Array.isArray(value)) return new TenArray(value.map(decode));
  if (typeof value !== 'object' || value === null) return value;
  const [[kind, held]] = Object.entries(value);
  return makers[kind](held);
}

/** The arguments of a call; the first may be the result of another. */
function argumentsOf(loaded, call) {
  const first = call.of ? [loaded.get(call.of.f)(...argumentsOf(loaded, call.of))] : [];
  return [...first, ...call.args.map(decode)];
}

function title({ f, of, args }) {
  return `${f}(${[...(of ? [title(of)] : []), ...args.map((arg) => JSON.stringify(arg))].join(', ')})`;
}

function module(name) {
  return loadModule(join(folder, `${name}.so`));
}

/** Makes a call, and compares what comes of it. */
function make(loaded, call) {
  const args = argumentsOf(loaded, call);
  const callee = loaded.get(call.f);
  const run = () => {
    const result = callee(...args);
    return call.then ? result(...call.then.map(decode)) : result;
  };
  if (call.raises) {
    const error = thrown(run);
    assert.equal(error.kind ?? error.name, call.raises, error.message);
    assert.ok(error.message.includes(call.says), error.message);
    return;
  }
  const result = run();
  assert.ok(equal(result, decode(call.result)), String(result));
  call.after?.forEach((after, i) => assert.ok(equal(args[i], decode(after)), `argument ${i}`));
}

for (const [name, list] of Object.entries(calls)) {
  for (const call of list) {
    test(`${name}.${title(call)}`, options, () => make(module(name), call));
    // Written in C, one has no counterpart.
    if (name !== 'plain') {
      test(`kernel/${name}.${title(call)}`, options, () => make(module(`kernel/${name}`), { ...call, ...call.kernel }));
    }
  }
}

function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('functions are members, unless the class has one of that name', options, () => {
  const values = module('values');
  assert.equal(values.add(2, 3), 5);
  assert.equal(values.get('add')(2, 3), 5);
  assert.equal(values.getFunction('add')(2, 3), 5);
  assert.equal(values.add, values.add);
  assert.equal(values.ad, undefined);
  assert.equal(values.then, undefined);
  assert.equal(values.get('ad'), undefined);
  assert.ok(values.has('add') && !values.has('ad'));
  assert.deepEqual([...values.keys()], values.functionNames);
  assert.equal(values.size, values.functionNames.length);
  assert.equal(values.kind, 'library');
  assert.equal(values.path, join(folder, 'values.so'));
  assert.match(thrown(() => values.getFunction('ad')).message, /has no function `ad`; did you mean `add`/);
  assert.equal(thrown(() => values.getFunction('ad')).name, 'AttributeError');
  for (const [name, callee] of values) assert.equal(callee, values.get(name));
});

test('typed arrays are arguments', options, () => {
  const [x, y] = [Float32Array.of(1, 2, 3), new Float32Array(3)];
  module('tensors').add_one(x, y);
  assert.deepEqual([...y], [2, 3, 4]);
});

test('static initialisers register functions', options, () => {
  module('functions');
  assert.equal(getGlobalFunc('modules.triple')(5), 15);
});

test('an error of a callback comes home through a module', options, () => {
  const own = new RangeError('mine');
  const error = thrown(() =>
    module('functions').call(() => {
      throw own;
    }),
  );
  assert.equal(error, own);
});

test('imports are searched after the own functions', options, () => {
  const [values, tensors] = [module('values'), module('tensors')];
  values.importModule(tensors);
  assert.equal(values.imports.length, 1);
  assert.ok(values.implementsFunction('scale'));
  assert.ok(!values.implementsFunction('scale', { queryImports: false }));
  assert.equal(values.sum(Float32Array.of(1, 2)), 3);
  assert.match(thrown(() => tensors.importModule(values)).message, /imports that one itself/);
  values.clearImports();
  assert.equal(values.sum, undefined);
});

test('objects outlive their module', options, () => {
  const array = loadModule(join(folder, 'containers.so'), { keepAlive: false }).range(20);
  globalThis.gc?.();
  assert.equal(array.length, 20);
  assert.equal(array.at(-1), 19);
});

test('what is no module is told', options, () => {
  const missing = thrown(() => module('valves'));
  assert.match(missing.message, /no such file; did you mean `values\.so`/);
  assert.equal(missing.name, 'OSError');
  assert.equal(thrown(() => loadModule(folder)).name, 'OSError');
  assert.equal(thrown(() => loadModule(fileURLToPath(import.meta.url))).name, 'InvalidFile');
  assert.match(thrown(() => systemLib().getFunction('x')).message, /the system library has no function `x`/);
});

test('workers load modules of their own', options, async () => {
  const body = `
    const { loadModule } = require('tenspan');
    const { parentPort, workerData } = require('node:worker_threads');
    const errors = loadModule(workerData);
    let right = 0;
    for (let i = 0; i < 100; i++) {
      try { errors.value_error(i); } catch (error) { right += error.message === 'bad ' + i; }
    }
    parentPort.postMessage(right);
  `;
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(body, { eval: true, workerData: join(folder, 'errors.so') });
      worker.once('message', resolve).once('error', reject);
    });
  assert.deepEqual(await Promise.all([work(), work(), work()]), [100, 100, 100]);
  assert.deepEqual(await work(), 100);
});
