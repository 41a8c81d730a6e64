// Types of objects that JavaScript defines.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import * as tenspan from 'tenspan';

const { List, Tensor, asarray, defineObject, getGlobalFunc, loadModule, registerObject } = tenspan;

tenspan.registerTestingFuncs();
const echo = getGlobalFunc('testing.echo');

const folder = process.env.TENSPAN_MODULES;
const options = folder ? {} : { skip: 'TENSPAN_MODULES names no folder of compiled modules' };

class IntPair extends tenspan.Object {}
registerObject('testing.IntPair', IntPair);

test('fields named as those of a complex number are fields', () => {
  const Complex = defineObject('object.Complex', { fields: { re: 'float', im: 'float' } });
  assert.deepEqual(Complex.from({ re: 1, im: 2 }).toJSON(), { re: 1, im: 2 });
});

test('a type is defined, with fields of every kind', () => {
  const Everything = defineObject('object.Everything', {
    doc: 'All of it.',
    equality: 'identity',
    fields: {
      number: 'int',
      weight: { type: 'float', default: 1 },
      flag: { type: 'bool', default: false },
      text: { type: 'string', default: 'a text of some length', doc: 'Some text.' },
      raw: { type: 'bytes', default: Buffer.from('') },
      anything: { type: 'any', default: null },
      tensor: { type: Tensor, optional: true, default: null },
      items: { type: 'list', default: () => new List() },
      row: { type: 'array', items: 'int', default: [] },
      names: { type: 'map', keys: 'string', values: { type: 'int', optional: true }, default: {} },
      work: { type: 'function', default: (x) => x + 1 },
      pair: { type: IntPair, optional: true, default: null },
      dtype: { type: 'dtype', default: 'float32' },
      device: { type: 'device', default: 'cpu' },
      shape: { type: tenspan.Shape, optional: true, default: null },
      table: { type: 'dict', default: () => new tenspan.Dict() },
    },
  });
  assert.equal(Everything.name, 'Everything');
  const it = new Everything(7);
  assert.deepEqual([it.number, it.weight, it.flag, it.text, it.anything, it.tensor], [7, 1, false, 'a text of some length', null, null]);
  assert.deepEqual([it.raw.length, it.work(2), it.dtype.name, it.device.name], [0, 3, 'float32', 'cpu:0']);
  it.items.push(1);
  assert.deepEqual([it.items.length, new Everything(8).items.length], [1, 0]);
  const tensor = asarray([1, 2]);
  it.tensor = tensor;
  assert.equal(it.tensor, tensor);
  it.tensor = Float32Array.of(1, 2, 3);
  assert.deepEqual(it.tensor.shape, [3]);
  it.row = [1, 2];
  assert.deepEqual([...it.row], [1, 2]);
  it.names = { a: 1, b: null };
  assert.equal(it.names.get('a'), 1);
  it.pair = new IntPair(1, 2);
  assert.equal(it.pair.sum(), 3);
  it.shape = new tenspan.Shape([2, 3]);
  it.table.set('k', it);
  assert.equal(it.table.get('k'), it);
  it.weight = 2;
  it.flag = true;
  for (const value of [1.5, 'text', [1, 'a'], null, Symbol.iterator, it]) {
    it.anything = value;
    if (!Array.isArray(value)) assert.equal(it.anything, value);
  }
  const refused = {
    ...{ number: 1.5, weight: 'x', flag: 'yes', text: 1, raw: 'x', tensor: 3, items: 5, row: [1, 'x'], names: { a: 'x' } },
    ...{ work: 4, pair: new Everything(1), dtype: 'nonsense', device: 'nowhere', shape: 'x', table: 3 },
  };
  for (const [name, value] of Object.entries(refused)) {
    assert.throws(() => (it[name] = value), (error) => error.message.includes(`\`${name}\` of \`object.Everything\``), name);
  }
  assert.match(inspect(it), /^Everything \{\n {2}number: 7,.*anything: \[Circular\].*table: Dict .*\[Everything\]/s);
  assert.match(`${it}`, /^object\.Everything\(number=7, .*\.\.\./s);
  assert.throws(() => JSON.stringify(it), { name: 'TypeError', message: /holds itself/ });
  assert.ok(it.equals(it) && !new Everything(1).equals(new Everything(1)));
});

test('native code reads and writes fields where they stand', options, () => {
  const Item = defineObject('object.Item', { fields: { name: 'string', price: 'float', sold: 'bool', count: { type: 'int', default: 3 } } });
  const source = `
    namespace abi = tenspan::kernel::abi;
    using tenspan::kernel::Any;

    template <class T>
    T& field(const Any& object, const std::string& name) {
      const abi::TypeInfo* const info = abi::api().GetTypeInfo(object.raw().type);
      for (std::int32_t i = 0; i < info->field_count; ++i) {
        const abi::FieldInfo& found = info->fields[i];
        if (std::string(found.name.data, found.name.size) != name) continue;
        TENSPAN_CHECK_EQ(found.size, static_cast<std::int64_t>(sizeof(T)));
        return *reinterpret_cast<T*>(object.raw().payload + static_cast<std::uint64_t>(found.offset));
      }
      throw std::out_of_range(name);
    }

    double total(const Any& item) { return field<double>(item, "price") * static_cast<double>(field<std::int64_t>(item, "count")); }
    void sell(const Any& item) { field<bool>(item, "sold") = --field<std::int64_t>(item, "count") == 0; }
    std::int64_t missing(const Any& item) { return field<std::int64_t>(item, "weight"); }
  `;
  const buildDirectory = mkdtempSync(join(tmpdir(), 'tenspan-object-'));
  try {
    const native = tenspan.cpp.loadInline('fields', source, { functions: ['total', 'sell', 'missing'], buildDirectory });
    const item = new Item('lamp', 12.5, false);
    assert.equal(native.total(item), 37.5);
    item.price = 2;
    for (let i = 0; i < 3; i++) native.sell(item);
    assert.deepEqual([item.count, item.sold, native.total(item)], [0, true, 0]);
    assert.throws(() => native.missing(item), { kind: 'IndexError' });
  } finally {
    rmSync(buildDirectory, { recursive: true });
  }
});

test('a long row of objects goes at once', () => {
  const Node = defineObject('object.Node', { equality: 'identity', fields: { value: 'int', next: { type: 'any', default: null } } });
  let node = null;
  for (let i = 0; i < 20_000; i++) {
    const next = new Node(i, node);
    node?.dispose();
    node = next;
  }
  assert.equal(node.next.next.value, 19_997);
  node.dispose();
});

test('a definition may be of a class, and derived from another', () => {
  class Shape extends tenspan.Object {
    describe() {
      return `${this.name}: ${this.area()}`;
    }
  }
  assert.equal(defineObject('object.Shape', { class: Shape, fields: { name: { type: 'string', readonly: true } } }), Shape);
  class Circle extends Shape {
    constructor(radius) {
      super('circle', radius);
    }

    area() {
      return 3 * this.radius ** 2;
    }
  }
  defineObject('object.Circle', { class: Circle, fields: { radius: { type: 'float', default: 1 } } });
  const circle = new Circle(2);
  assert.equal(circle.describe(), 'circle: 12');
  assert.equal(new Circle().radius, 1);
  assert.throws(() => (circle.name = 'x'), { name: 'TypeError', message: '`name` of `object.Shape` is read-only' });
  const Square = defineObject('object.Square', { parent: Shape, fields: { side: 'float' } });
  const square = new Square('square', 3);
  assert.ok(square instanceof Shape && Object.getPrototypeOf(Square) === Shape && !(square instanceof Circle));
  assert.deepEqual(square.toJSON(), { name: 'square', side: 3 });
  assert.ok(new Square('a', 1).equals(new Square('a', 1)));
});

test('fields are left out of texts and of comparisons', () => {
  const Secret = defineObject('object.Secret', { fields: { a: 'int', b: { type: 'int', shown: false }, c: { type: 'int', compared: false } } });
  const one = new Secret(1, 2, 3);
  assert.equal(inspect(one), 'Secret { a: 1, c: 3 }');
  assert.equal(`${one}`, 'object.Secret(a=1, c=3)');
  assert.deepEqual(one.toJSON(), { a: 1, b: 2, c: 3 });
  assert.ok(one.equals(new Secret(1, 2, 4)) && !one.equals(new Secret(1, 3, 3)));
});

test('definitions say what is wrong', () => {
  const wrong = (definition, message, key = 'object.Wrong') =>
    assert.throws(() => defineObject(key, definition), (error) => message.test(error.message) || assert.fail(error.message));
  wrong({ fields: { a: 'integer' } }, /defineObject\('object\.Wrong'\): `a`: a type is wanted, found the string "integer"/);
  wrong({ fields: { a: 'strin' } }, /did you mean `string`/);
  wrong({ fields: { a: {} } }, /a type is wanted, found undefined/);
  wrong({ fields: { a: { type: 'int', defalt: 3 } } }, /there is no option `defalt`; did you mean `default`/);
  wrong({ fields: { a: { type: 'int', default: 'x' } } }, /the default of `a`: int is wanted, found/);
  wrong({ fields: { a: class Alone {} } }, /the class Alone stands for no type/);
  wrong({ feilds: {} }, /did you mean `fields`/);
  wrong({ fields: ['a'] }, /fields are an object of names and types, found an array/);
  wrong({ fields: 'a' }, /fields are an object of names and types, found the string "a"/);
  wrong({ fields: { a: 'int' }, repr: 5 }, /repr is a function, found 5/);
  wrong({ fields: { a: ['int'] } }, /`a`: options are an object with `type`/);
  assert.throws(() => defineObject('object.Wrong', { fields: { a: ['int'] } }), ({ stack }) => /define\.test/.test(stack.split('\n')[1]));
  wrong({ equality: 'none' }, /equality is 'fields' or 'identity'/);
  wrong({ parent: class Alone {} }, /extends tenspan\.Object is wanted/);
  wrong({ class: IntPair }, /the class IntPair stands for `testing\.IntPair` already/);
  wrong({ class: class A extends tenspan.Object {}, parent: IntPair }, /is not derived from IntPair/);
  wrong({}, /it is defined already/, 'testing.IntPair');
  wrong({}, /the key of a type is a text/, '');
  const Base = defineObject('object.Base', { fields: { a: 'int' } });
  wrong({ parent: Base, fields: { a: 'int' } }, /the field `a` stands twice/);
  const None = defineObject('object.None', { fields: { a: { type: 'int', default: undefined } } });
  assert.throws(() => new None(), { message: /wants `a`/ });
  // Nothing is left of those.
  assert.equal(new (defineObject('object.Wrong', { fields: { a: 'int' } }))(4).a, 4);
});

test('a definition says how objects are shown and compared, to all languages', () => {
  const parts = ({ text }) => text.split('.').map(Number);
  const Version = defineObject('object.Version', {
    fields: { text: 'string', inside: { type: 'any', default: null } },
    repr: (version, show) => `v${version.text}[${show(version.inside)}]`,
    compare: (one, other, compare) => compare(parts(one), parts(other)),
    hash: (version, hash) => hash(parts(version)),
  });
  assert.equal(`${new List([new Version('1.10', [1])])}`, '[v1.10[[1]]]');
  assert.equal(inspect(new Version('1')), 'v1[None]');
  assert.ok(new Version('1.2').equals(new Version('01.2')) && new Version('1.10').compare(new Version('1.9')) > 0);
  assert.ok(tenspan.equal([new Version('1.0')], [new Version('01.0')]));
  const Failing = defineObject('object.Failing', {
    fields: { a: 'int' },
    repr: () => 5,
    equal() {
      throw new RangeError('not these');
    },
  });
  assert.throws(() => new Failing(1).equals(new Failing(1)), { name: 'RangeError', message: 'not these' });
  // A text is wanted in any case.
  assert.equal(inspect(new Failing(1)), 'object.Failing(a=1)');
});

test('a class of a compiled module is derived from', options, () => {
  const bases = loadModule(join(folder, 'bases.so'));
  class Shape extends tenspan.Object {
    double() {
      return 2 * this.sides;
    }
  }
  registerObject('bases.Shape', Shape);
  class Box extends Shape {
    area() {
      return this.sides * this.extra;
    }
  }
  defineObject('object.Box', { class: Box, fields: { extra: 'int', held: { type: 'any', default: null } } });
  globalThis.gc();
  const before = bases.alive();
  const box = new Box(4, true, 'a box with a long name', [1], 5);
  assert.deepEqual([box.sides, box.name, box.extra, box.area(), box.double(), box.corners()], [4, 'a box with a long name', 5, 20, 8, 4]);
  assert.deepEqual([bases.alive() - before, bases.corners(box), bases.name(box)], [1, 104, box.name]);
  assert.ok(box instanceof Shape && echo(box) === box && box.copy().equals(box));
  const named = Box.from({ sides: 6, extra: 7 });
  assert.deepEqual([named.sides, named.name, named.extra], [6, 'a shape without a name', 7]);
  assert.throws(() => (box.sides = 'many'), { name: 'TypeError', message: /`sides` of `bases\.Shape`/ });
  assert.throws(() => new Box(), { name: 'TypeError', message: /wants `sides`/ });
  box.dispose();
  class Final extends tenspan.Object {}
  registerObject('bases.Final', Final);
  const derive = () => defineObject('object.OfFinal', { parent: Final, fields: { extra: 'int' } });
  assert.throws(derive, { name: 'TypeError', message: /nothing can be derived from `bases\.Final`: it is final/ });
});

test('names with a meaning in JavaScript break nothing', async () => {
  const names = ['constructor', 'then', '__proto__', 'toString', 'valueOf', 'toJSON', 'prototype', 'name', 'length', 'get', 'hasOwnProperty', 'ä b'];
  const fields = Object.fromEntries(names.map((name) => [name, 'int']));
  Object.defineProperty(fields, '__proto__', { value: 'int', enumerable: true });
  const Strange = defineObject('object.Strange', { fields });
  const it = new Strange(...names.map((_, i) => i));
  assert.equal(it.constructor, Strange);
  assert.equal(it.then, undefined);
  assert.equal(await it, it);
  assert.equal(Object.getPrototypeOf(it), Strange.prototype);
  assert.equal(it['ä b'], 11);
  assert.equal(it.get, 9);
  const get = tenspan.Object.prototype.get;
  names.forEach((name, i) => assert.equal(Reflect.apply(get, it, [name]), i, name));
  assert.match(inspect(it), /^Strange \{.*constructor: 0.*then: 1.*\['__proto__'\]: 2/s);
  assert.match(JSON.stringify(new List([it])), /^\[\{"constructor":0,"then":1,"__proto__":2/);
  assert.equal(Object.prototype.polluted, undefined);
  assert.equal(echo(it), it);
});
