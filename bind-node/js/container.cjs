'use strict';
// Containers of tenspan, in the manner of those of JavaScript: shared with every language, and not copied on the way.

const { position: fromEnd } = require('./arguments.cjs');
const { Compound, SHOWN, within, isCircular, plain, named } = require('./compound.cjs');
const dynamic = require('./dynamic.cjs');
const { makeError, describe } = require('./error.cjs');
const { adopt } = require('./host.cjs');
const objects = require('./objects.cjs');

const { SPREAD, call, entry, items } = dynamic;
const { TOKEN, own } = objects;

/** The indices of entries of a class. */
const entries = (name, members) => Object.fromEntries(members.map((member) => [member, entry(`${name}.${member}`)]));

const ARRAY = entries('Array', ['new', 'get', 'indexOf', '@len']);
const LIST = entries('List', ['new', 'get', 'set', 'push', 'remove', 'splice', 'clear', 'indexOf', '@len']);
const MAP = entries('Map', ['new', 'size', 'get', 'has', 'keys', 'values', 'entries']);
const DICT = entries('Dict', [...['new', 'size', 'get', 'has', 'keys', 'values', 'entries'], 'set', 'remove', 'clear']);
const SHAPE = entries('Shape', ['new', '@len', '@at']);

/** What all containers have. */
class Container extends Compound {}

/** Values in order. */
class Sequence extends Container {
  [Symbol.iterator]() {
    return items(own(this)).values();
  }

  includes(value) {
    return this.indexOf(value) >= 0;
  }

  toJSON() {
    return within(this, () => items(this).map(plain), isCircular);
  }

  [SHOWN]() {
    return items(this);
  }
}

// These give what they give for an array of the items, as they are when it is called.
for (const name of [
  ...['concat', 'entries', 'every', 'filter', 'find', 'findIndex', 'findLast', 'flat', 'flatMap', 'forEach', 'join'],
  ...['keys', 'map', 'reduce', 'reduceRight', 'slice', 'some', 'values'],
]) {
  const method = globalThis.Array.prototype[name];
  const value = { [name]: function (...args) { return Reflect.apply(method, items(own(this)), args); } }[name];
  Object.defineProperty(Sequence.prototype, name, { value, writable: true, configurable: true });
}

/** Values by key. */
class Mapping extends Container {
  [Symbol.iterator]() {
    return this.entries();
  }

  forEach(work, receiver) {
    for (const [key, value] of this.entries()) Reflect.apply(work, receiver, [value, key, this]);
  }

  toJSON() {
    const shape = () => {
      const pairs = [...this.entries()].map(([key, value]) => [plain(key), plain(value)]);
      return pairs.every(([key]) => typeof key === 'string') ? named(pairs) : pairs;
    };
    return within(this, shape, isCircular);
  }

  [SHOWN]() {
    return new globalThis.Map(this.entries());
  }
}

/** The values of an iterable. */
function listed(what, given) {
  if (given === undefined || given === null) return [];
  if (typeof given[Symbol.iterator] === 'function') return [...given];
  throw makeError('TypeError', `${what} wants something to iterate, found ${describe(given)}`, { below: listed });
}

/** Keys and values in turn, of pairs or of a plain object. */
function paired(what, given) {
  if (given === undefined || given === null) return [];
  const pairs = typeof given[Symbol.iterator] === 'function' ? given : typeof given === 'object' ? Object.entries(given) : undefined;
  if (pairs === undefined) {
    throw makeError('TypeError', `${what} wants pairs of keys and values, found ${describe(given)}`, { below: paired });
  }
  const flat = [];
  for (const pair of pairs) {
    if (typeof pair !== 'object' || pair === null) {
      throw makeError('TypeError', `${what} wants pairs of keys and values, found among them ${describe(pair)}`, { below: paired });
    }
    flat.push(pair[0], pair[1]);
  }
  return flat;
}

/** A position as core wants it: a whole number. */
function position(index) {
  const whole = Math.trunc(Number(index)) || 0;
  return Math.min(Math.max(whole, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** Values in order that never change. */
class Array extends Sequence {
  constructor(given) {
    if (arguments[0] === TOKEN) {
      super(arguments[0], arguments[1], arguments[2]);
      return;
    }
    return adopt(Array, new.target, call(ARRAY.new, [listed('new Array', given)]));
  }

  get length() {
    return call(ARRAY['@len'], [own(this)]);
  }

  at(index) {
    return call(ARRAY.get, [own(this), position(index)]);
  }

  indexOf(value) {
    return call(ARRAY.indexOf, [own(this), value]) ?? -1;
  }
}

/** Values in order that can be changed. */
class List extends Sequence {
  constructor(given) {
    if (arguments[0] === TOKEN) {
      super(arguments[0], arguments[1], arguments[2]);
      return;
    }
    return adopt(List, new.target, call(LIST.new, [listed('new List', given)]));
  }

  get length() {
    return call(LIST['@len'], [own(this)]);
  }

  at(index) {
    return call(LIST.get, [own(this), position(index)]);
  }

  indexOf(value) {
    return call(LIST.indexOf, [own(this), value]) ?? -1;
  }

  set(index, value) {
    call(LIST.set, [own(this), position(index), value]);
    return this;
  }

  push(...values) {
    for (const value of values) call(LIST.push, [own(this), value]);
    return this.length;
  }

  pop() {
    return this.splice(-1, 1)[0];
  }

  shift() {
    return this.splice(0, 1)[0];
  }

  unshift(...values) {
    this.splice(0, 0, ...values);
    return this.length;
  }

  splice(start, count, ...values) {
    const { length } = this;
    const from = position(start);
    const first = from < 0 ? Math.max(0, length + from) : Math.min(from, length);
    const most = length - first;
    const taken = arguments.length === 1 ? most : Math.min(Math.max(position(count), 0), most);
    return arguments.length === 0 ? [] : call(LIST.splice, [this, first, first + taken, values], SPREAD);
  }

  clear() {
    call(LIST.clear, [own(this)]);
  }
}

/** Values by key that never change. */
class Map extends Mapping {
  constructor(given) {
    if (arguments[0] === TOKEN) {
      super(arguments[0], arguments[1], arguments[2]);
      return;
    }
    return adopt(Map, new.target, call(MAP.new, [paired('new Map', given)]));
  }

  get size() {
    return call(MAP.size, [own(this)]);
  }

  has(key) {
    return call(MAP.has, [own(this), key]);
  }

  get(key) {
    return lookUp(this, MAP, key);
  }

  keys() {
    return call(MAP.keys, [own(this)], SPREAD).values();
  }

  values() {
    return call(MAP.values, [own(this)], SPREAD).values();
  }

  entries() {
    return pairs(call(MAP.entries, [own(this)], SPREAD));
  }
}

/** Values by key that can be changed. */
class Dict extends Mapping {
  constructor(given) {
    if (arguments[0] === TOKEN) {
      super(arguments[0], arguments[1], arguments[2]);
      return;
    }
    return adopt(Dict, new.target, call(DICT.new, [paired('new Dict', given)]));
  }

  get size() {
    return call(DICT.size, [own(this)]);
  }

  has(key) {
    return call(DICT.has, [own(this), key]);
  }

  get(key) {
    return lookUp(this, DICT, key);
  }

  keys() {
    return call(DICT.keys, [own(this)], SPREAD).values();
  }

  values() {
    return call(DICT.values, [own(this)], SPREAD).values();
  }

  entries() {
    return pairs(call(DICT.entries, [own(this)], SPREAD));
  }

  set(key, value) {
    call(DICT.set, [own(this), key, value]);
    return this;
  }

  delete(key) {
    return call(DICT.remove, [own(this), key]);
  }

  clear() {
    call(DICT.clear, [own(this)]);
  }
}

/** The value of a key, if there is one. Where the class of a key fails at it, that is thrown: `has` only says that it is not there. */
function lookUp(mapping, entries, key) {
  const mayFail = typeof key === 'object' && key !== null;
  if (!mayFail && !call(entries.has, [own(mapping), key])) return undefined;
  try {
    return call(entries.get, [own(mapping), key]);
  } catch (error) {
    // Not there, or another thread took it out.
    if (error.kind === 'KeyError') return undefined;
    throw error;
  }
}

function* pairs(flat) {
  for (let i = 0; i < flat.length; i += 2) yield [flat[i], flat[i + 1]];
}

/** Lengths along dimensions. */
class Shape extends Sequence {
  constructor(given) {
    if (arguments[0] === TOKEN) {
      super(arguments[0], arguments[1], arguments[2]);
      return;
    }
    return adopt(Shape, new.target, call(SHAPE.new, [listed('new Shape', given)]));
  }

  get length() {
    return call(SHAPE['@len'], [own(this)]);
  }

  at(index) {
    return call(SHAPE['@at'], [own(this), fromEnd(index, this.length)]);
  }

  indexOf(value) {
    return items(own(this)).indexOf(value);
  }
}

for (const Class of [Array, List, Map, Dict, Shape]) objects.register(Class, `tenspan.${Class.name}`, []);

module.exports = { Array, List, Map, Dict, Shape };
