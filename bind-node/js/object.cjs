'use strict';
// Objects of classes that any language or a compiled module defines, as objects of classes of JavaScript.

const { Compound, INSPECT, SHOWN, within, isCircular, plain, named } = require('./compound.cjs');
const dynamic = require('./dynamic.cjs');
const { makeError, describe } = require('./error.cjs');
const native = require('./native.cjs');
const objects = require('./objects.cjs');
const { REPR_OFF, typeOf, typeBehind, typeOfClass, stand, setRoot } = require('./types.cjs');

const { call, entry } = dynamic;
const { TOKEN, own } = objects;

const TYPE_KEY = entry('Object.typeKey');
const GET = entry('Object.get');
const SET = entry('Object.set');
const CALL = entry('Object.call');
const COPY = entry('Object.copy');
const EQUAL = entry('Object.@equal');
const COMPARE = entry('Object.@compare');

/** An object of a class that any language or a compiled module defined. */
class Object extends Compound {
  constructor() {
    if (arguments[0] === TOKEN) {
      super(TOKEN, arguments[1], arguments[2]);
      return;
    }
    return make(new.target, arguments);
  }

  /** Makes an object of its fields by their names. */
  static from(fields) {
    return as(this, standsFor(this).fromNamed(byName(fields)));
  }

  get typeKey() {
    return call(TYPE_KEY, [own(this)]);
  }

  get(name) {
    return call(GET, [own(this), name]);
  }

  set(name, value) {
    call(SET, [own(this), name, value]);
  }

  call(name, args = []) {
    return call(CALL, [own(this), name, [...args]]);
  }

  copy() {
    const copy = call(COPY, [own(this)]);
    Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(this));
    return copy;
  }

  equals(other) {
    return call(EQUAL, [own(this), other]);
  }

  compare(other) {
    return call(COMPARE, [own(this), other]);
  }

  toJSON() {
    const pairs = () => [...fieldsOf(this)].map(([name, value]) => [name, plain(value)]);
    return within(own(this), () => named(pairs()), isCircular);
  }

  [INSPECT](depth, options, inspect) {
    if (depth >= 0 && objects.isAlive(this) && typeBehind(this)?.hasText) return super.toString();
    return super[INSPECT](depth, options, inspect);
  }

  [SHOWN]() {
    return named(shownFieldsOf(this));
  }

  /** Instances of a class that stands for a type are also those whose type is derived from it, whatever their class. */
  static [Symbol.hasInstance](value) {
    if (Reflect.apply(isOrdinaryInstance, this, [value])) return true;
    if (typeof this !== 'function' || typeof value !== 'object' || value === null || !objects.isNative(value)) return false;
    const wanted = typeOfClass(this);
    return wanted !== undefined && typeBehind(value)?.is(wanted) === true;
  }
}

const isOrdinaryInstance = Function.prototype[Symbol.hasInstance];

/** Names and values of all fields. */
function* fieldsOf(object) {
  const type = typeBehind(object);
  if (type === undefined) return;
  for (const { name, get } of type.everyField()) yield [name, get(own(object))];
}

/** Names and values of the fields that are shown. One that cannot be read is left out. */
function* shownFieldsOf(object) {
  for (const { name, bits, get } of typeBehind(object)?.everyField() ?? []) {
    if (bits & REPR_OFF) continue;
    try {
      yield [name, get(object)];
    } catch {
      // As in the texts of other languages.
    }
  }
}

/** Fields by their names, also two that would be those of a complex number. */
function byName(fields) {
  if (typeof fields !== 'object' || fields === null || typeof fields.entries === 'function') return fields;
  return Array.isArray(fields) ? fields : new globalThis.Map(globalThis.Object.entries(fields));
}

/** The type that a class stands for, itself or by what it is derived from. */
function standsFor(Class) {
  const type = typeBehind(Class.prototype);
  if (type !== undefined) return type;
  const message = `${Class.name} stands for no type of objects; registerObject makes it stand for one`;
  throw makeError('TypeError', message, { below: standsFor });
}

/** A new object of a class. What is not given at the end has its default. */
function make(Class, given) {
  let count = given.length;
  while (count > 0 && given[count - 1] === undefined) count--;
  const { create } = standsFor(Class);
  return as(Class, count === given.length ? create(...given) : create(...[...given].slice(0, count)));
}

/** An object as one of a class of the user's, which may be derived from the one that stands for its type. */
function as(Class, object) {
  if (!globalThis.Object.prototype.isPrototypeOf.call(Class.prototype, object)) {
    Reflect.setPrototypeOf(object, Class.prototype);
  }
  return object;
}

// Which class objects of a type get.

/** Classes, and whether they were made by themselves, by type. */
const classes = new Map();

/** The class of a type: the one that is registered, or one that is made for it. */
function classOf(type) {
  return classes.get(type)?.Class ?? makeClass(type);
}

function makeClass(type) {
  const Parent = type.parent === undefined ? Object : classOf(type.parent);
  const name = type.key.slice(type.key.lastIndexOf('.') + 1);
  const Class = { [name]: class extends Parent {} }[name];
  return put(type, Class, true);
}

function put(type, Class, isAutomatic) {
  stand(Class, type);
  classes.set(type, { Class, isAutomatic });
  objects.setClass(type.index, bare(Class));
  return Class;
}

/** What makes objects of a class when it is called with `new`: the constructor of the class, which is the user's, does not run. */
function bare(Class) {
  return function (...args) {
    return Reflect.construct(Object, args, Class);
  };
}

/** Makes a class stand for a type. */
function registerObject(key, Class) {
  const refuse = (kind, message) => makeError(kind, message, { below: registerObject });
  if (typeof key !== 'string') throw refuse('TypeError', `the key of a type is a text, found ${describe(key)}`);
  checkClass(key, Class);
  const type = typeOf(key);
  const registered = classes.get(type);
  if (registered?.Class === Class && !registered.isAutomatic) return Class;
  if (registered?.isAutomatic === false || native.classKey(type.index) !== key || objects.isRegistered(key)) {
    const name = registered?.isAutomatic === false ? `, for the class ${registered.Class.name}` : '';
    throw refuse('ValueError', `the type \`${key}\` is registered already${name}`);
  }
  const base = typeBehind(Class.prototype);
  if (base !== undefined && (!type.is(base) || typeOfClass(Class) !== undefined)) {
    const what = typeOfClass(Class) === undefined ? 'is derived from a class that stands' : 'stands';
    const message = `the class ${Class.name} ${what} for \`${base.key}\`, so it cannot stand for \`${key}\``;
    throw refuse('TypeError', message);
  }
  put(type, Class, false);
  if (registered !== undefined) replace(registered.Class, Class);
  return Class;
}

/** Objects that came along before the class of their type was registered get its members. */
function replace(Old, Class) {
  if (Class.prototype instanceof Old) return;
  for (const holder of [Old, Old.prototype]) {
    for (const name of Reflect.ownKeys(holder)) {
      if (!KEPT.has(name)) Reflect.deleteProperty(holder, name);
    }
  }
  Reflect.setPrototypeOf(Old, Class);
  Reflect.setPrototypeOf(Old.prototype, Class.prototype);
}

/** What every class has of its own. */
const KEPT = new Set(['constructor', 'prototype', 'name', 'length']);

/** A class that may stand for a type. */
function checkClass(key, Class) {
  if (typeof Class === 'function' && Class.prototype instanceof Object) return Class;
  const found = typeof Class === 'function' && Class.name !== '' ? Class.name : describe(Class);
  const message = `a class that extends tenspan.Object is wanted for \`${key}\`, found ${found}`;
  throw makeError('TypeError', message, { below: checkClass });
}

setRoot(Object);
objects.register(Object, 'tenspan.Object', []);
objects.setAutomatic((index) => {
  classOf(typeOf(index));
});

module.exports = { Object, checkClass, registerObject };
