'use strict';
// Types of objects: what is known of them, and which class stands for which.

const dynamic = require('./dynamic.cjs');
const { makeError } = require('./error.cjs');
const { own } = require('./objects.cjs');

const TYPE = dynamic.entry('Object.@type');

/** Bits of fields, as in the type table. */
const WRITABLE = 1;
const DEFAULT_IS_FACTORY = 1 << 5;
const REPR_OFF = 1 << 6;
const COMPARE_OFF = 1 << 7;

/** Members that no class gets: JavaScript gives these names a meaning of its own. */
const RESERVED = new Set(['constructor', 'then', '__proto__']);
const RESERVED_STATIC = new Set(['prototype', 'name', 'length']);

/** What is known of a type, by its index. */
const known = new Map();

/** The types that classes stand for, by their prototypes. */
const standing = new WeakMap();

/** A type of objects. `hasText` when it says itself how they are shown. */
class ObjectType {
  constructor(key, index, parent, create, fromNamed, fields, methods, hasText) {
    this.key = key;
    this.index = index;
    this.parent = parent;
    this.create = create;
    this.fromNamed = fromNamed;
    this.fields = fields;
    this.methods = methods;
    this.hasText = hasText;
  }

  /** Whether it is another type or derived from it. */
  is(other) {
    for (let type = this; type !== undefined; type = type.parent) {
      if (type === other) return true;
    }
    return false;
  }

  /** All fields, those of ancestors first. */
  *everyField() {
    if (this.parent !== undefined) yield* this.parent.everyField();
    yield* this.fields;
  }
}

/** The type of an index or a key. */
function typeOf(which) {
  const found = known.get(which);
  if (found !== undefined) return found;
  const [key, index, parent, create, fromNamed, fields, methods, hasText] = dynamic.call(TYPE, [which], dynamic.SPREAD);
  if (!known.has(index)) {
    const ancestor = parent === null ? undefined : typeOf(parent);
    const members = [fields.map(field), methods.map(method)];
    known.set(index, new ObjectType(key, index, ancestor, create, fromNamed, ...members, hasText));
  }
  return known.get(index);
}

function field(described) {
  const [name, bits, get, set] = dynamic.items(described);
  return { name, bits, get, set };
}

function method(described) {
  const [name, isStatic, work] = dynamic.items(described);
  return { name, isStatic, work };
}

/** The type that the nearest class stands for, along prototypes. */
function typeBehind(prototype) {
  for (let at = prototype; at !== null; at = Reflect.getPrototypeOf(at)) {
    const type = standing.get(at);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** The type that a class itself stands for. */
function typeOfClass(Class) {
  return standing.get(Class.prototype);
}

/** Makes a class stand for a type: it gets the fields and methods that it has not, of ancestors too that no class stands for from which
 * it is derived. */
function stand(Class, type) {
  const { prototype } = Class;
  const inherited = typeBehind(Reflect.getPrototypeOf(prototype));
  for (let of = type; of !== undefined && of !== inherited; of = of.parent) {
    for (const one of of.fields) give(prototype, one.name, accessor(of, one));
    for (const one of of.methods) {
      if (one.isStatic) giveStatic(Class, one);
      else give(prototype, one.name, memberOf(one));
    }
  }
  standing.set(prototype, type);
}

function give(prototype, name, descriptor) {
  if (!RESERVED.has(name) && !has(prototype, name)) Reflect.defineProperty(prototype, name, descriptor);
}

/** Whether a class of the user's has a member: one that stands for no type, and is above all that do. */
function has(prototype, name) {
  for (let at = prototype; at !== ROOT.prototype && !standing.has(at); at = Reflect.getPrototypeOf(at)) {
    if (Object.hasOwn(at, name)) return true;
  }
  return false;
}

function giveStatic(Class, { name, work }) {
  if (RESERVED_STATIC.has(name) || Object.hasOwn(Class, name)) return;
  const { value } = Reflect.getOwnPropertyDescriptor({ [name]: (...args) => work(...args) }, name);
  Reflect.defineProperty(Class, name, { value, writable: true, configurable: true });
}

/** A field as a property. */
function accessor(type, { name, get, set }) {
  const refuse = () => makeError('TypeError', `\`${name}\` of \`${type.key}\` is read-only`, { below: refuse });
  const holder = {
    get [name]() {
      return get(own(this));
    },
    set [name](value) {
      if (set === null) throw refuse();
      set(own(this), value);
    },
  };
  return { ...Reflect.getOwnPropertyDescriptor(holder, name), enumerable: false };
}

function memberOf({ name, work }) {
  const holder = {
    [name](...args) {
      return work(own(this), ...args);
    },
  };
  return { ...Reflect.getOwnPropertyDescriptor(holder, name), enumerable: false };
}

/** The class that all others are derived from; put here by object.cjs. */
let ROOT;

function setRoot(Class) {
  ROOT = Class;
}

module.exports = { WRITABLE, DEFAULT_IS_FACTORY, REPR_OFF, COMPARE_OFF, typeOf, typeBehind, typeOfClass, stand, setRoot };
