'use strict';
// What all classes have in common: the number of a native value in a private field, disposal, and how they are shown.

const { makeError } = require('./error.cjs');
const lending = require('./lent.cjs');
const native = require('./native.cjs');

/** Proof that a constructor is called from here, with a handle. */
const TOKEN = Symbol('handle');

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Longest array that a summary shows whole. */
const SHOWN = 16;

/** Names of the properties in a summary, by class. */
const summaries = new Map();

/** Classes by their key in core, and what is called with `new` by the type of their values: the class, or for objects something else. */
const classes = new Map();
const byType = new Map();

/** The objects of values that are compared by name, by their number. */
const values = new Map();

/** Lets go of what an object held when the object is collected. One that was disposed of holds nothing any more. */
const collected = new FinalizationRegistry((handle) => native.release(handle));

let isNative, isAlive, numberOf, own, handleOf, ownHandle, keep, release;

/** An object that tenspan made. */
class NativeObject {
  #handle;
  #lent;
  #kept;

  /** `lent` is what is known of memory of JavaScript that the value looks at. */
  constructor(token, handle, lent) {
    if (token !== TOKEN) {
      throw makeError('TypeError', `${new.target.name} has no constructor: its objects come from other functions`);
    }
    this.#handle = handle;
    this.#lent = lent;
  }

  static {
    isNative = (value) => #handle in value;

    /** Whether something can be used: not an object that was disposed of. */
    isAlive = (value) => !(#handle in value) || value.#handle !== undefined;

    /** The number of the value that an object of ours holds, whether it can be used or not. */
    numberOf = (object) => object.#handle;

    /** The object that a method was called on, if it is one of ours. */
    own = (object) => {
      if (typeof object !== 'object' || object === null || !(#handle in object)) {
        throw makeError('TypeError', 'a method of tenspan was called on an object that is not of its class');
      }
      return object;
    };

    /** The number of the value that an object of ours holds, if it can be used. */
    handleOf = (object) => {
      if (object.#handle === undefined) {
        const message = `the ${object.constructor.name} was used after it was disposed of`;
        throw makeError('Disposed', message, { below: handleOf });
      }
      const lent = object.#lent;
      if (lent !== undefined) check(lent);
      return object.#handle;
    };

    /** The number of the value that an object holds on which a method was called. */
    ownHandle = (object) => handleOf(own(object));

    /** What `make` returned the first time it was asked for under this name. */
    keep = (object, name, make) => {
      ownHandle(object);
      object.#kept ??= new Map();
      if (!object.#kept.has(name)) object.#kept.set(name, make());
      return object.#kept.get(name);
    };

    release = (object) => {
      const handle = object.#handle;
      if (handle === undefined) return;
      object.#handle = undefined;
      object.#kept = undefined;
      object.#lent = undefined;
      native.release(handle);
    };
  }

  /** The properties as JSON has them: no elements, long lists by their length. */
  toJSON() {
    const summary = {};
    for (const name of summaries.get(this.constructor) ?? inherited(this)) {
      summary[name] = plain(this[name], name);
    }
    if (typeof this.keys === 'function') summary.keys = plain([...this.keys()]);
    return summary;
  }

  [INSPECT](depth, options, inspect) {
    const name = this.constructor.name;
    if (this.#handle === undefined) return `${name} <disposed>`;
    if (this.#lent !== undefined && lending.isGone(this.#lent)) return `${name} <its buffer was taken away>`;
    if (depth < 0) return `[${name}]`;
    return `${name} ${inspect(this.toJSON(), options)}`;
  }

  get [Symbol.toStringTag]() {
    return this.constructor.name;
  }
}

/** An object whose memory can be given back at once. */
class DisposableObject extends NativeObject {
  dispose() {
    release(this);
  }
}
if (Symbol.dispose) {
  const value = DisposableObject.prototype.dispose;
  Object.defineProperty(DisposableObject.prototype, Symbol.dispose, { value, writable: true, configurable: true });
}

/** A small value that is compared by its name: there is one object for each. */
class NamedValue extends NativeObject {
  toJSON() {
    return this.name;
  }

  toString() {
    return this.name;
  }

  [INSPECT]() {
    return `${this.constructor.name} ${this.name}`;
  }
}

/** Memory of JavaScript must still be there when it is used. */
function check(lent) {
  if (lending.isGone(lent)) throw lending.gone(lent.owner);
  lending.watch(lent);
}

/** Makes a class known. `shown` are the properties in its summaries. */
function register(Class, key, shown) {
  classes.set(key, Class);
  summaries.set(Class, shown);
}

/** Gives what a mapping has under a name also as a member, where its class has none of that name. */
function giveMembers(Class) {
  const { prototype } = Class;
  const target = Object.create(Object.getPrototypeOf(prototype));
  const get = (_, name, object) => {
    if (typeof name !== 'string' || name in target) return Reflect.get(target, name, object);
    return isNative(object) ? object.get(name) : undefined;
  };
  Object.setPrototypeOf(prototype, new Proxy(target, { get }));
}

/** The object of a value of a type, known by its number. */
function wrap(type, handle, lent) {
  const Class = byType.get(type) ?? find(type);
  if (Class.prototype instanceof NamedValue) return named(Class, handle);
  const object = new Class(TOKEN, handle, lent);
  collected.register(object, handle);
  return object;
}

function find(type) {
  const Class = classes.get(native.classKey(type));
  if (Class === undefined) addClass(type);
  else byType.set(type, Class);
  return byType.get(type);
}

/** Whether a class is known by its key in core. */
function isRegistered(key) {
  return classes.has(key);
}

/** Sets what is called with `new` for values of a type. */
function setClass(type, make) {
  byType.set(type, make);
}

/** Sets it for a type that has no class yet; put here by object.cjs. */
let addClass = () => undefined;

function setAutomatic(add) {
  addClass = add;
}

function named(Class, handle) {
  let value = values.get(handle);
  if (value === undefined) values.set(handle, (value = new Class(TOKEN, handle)));
  return value;
}

/** The names of the nearest class that has any: a class of the user's is none of ours. */
function inherited(object) {
  let Class = object.constructor;
  while (Class && !summaries.has(Class)) Class = Object.getPrototypeOf(Class);
  return summaries.get(Class) ?? [];
}

function plain(value) {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.length > SHOWN ? `${value.length} items` : value.map(plain);
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (typeof value === 'object' && value !== null && isNative(value)) return value.toJSON();
  return value;
}

module.exports = {
  TOKEN,
  collected,
  NativeObject,
  DisposableObject,
  NamedValue,
  isNative,
  isAlive,
  numberOf,
  own,
  handleOf,
  ownHandle,
  keep,
  register,
  giveMembers,
  isRegistered,
  setClass,
  setAutomatic,
  wrap,
};
