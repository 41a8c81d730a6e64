'use strict';
// What all classes have in common: the native handle in a private field, disposal, and how they are shown.

const { makeError } = require('./errors.cjs');
const native = require('./loader.cjs');

/** Proof that a constructor is called from here, with a handle. */
const TOKEN = Symbol('handle');

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Longest array that a summary shows whole. */
const SHOWN = 16;

/** Names of the properties in a summary, by class. */
const summaries = new Map();

let isNative, handleOf, keep, release;

/** An object that tenspan made. */
class NativeObject {
  #handle;
  #kept;

  constructor(token, handle) {
    if (token !== TOKEN) {
      throw makeError('TypeError', `${new.target.name} has no constructor: its objects come from other functions`);
    }
    this.#handle = handle;
  }

  static {
    isNative = (value) => #handle in value;

    /** The handle of an object in use. */
    handleOf = (object) => {
      if (typeof object !== 'object' || object === null || !(#handle in object)) {
        throw makeError('TypeError', 'a method of tenspan was called on an object that is not of its class');
      }
      if (object.#handle === undefined) {
        const message = `the ${object.constructor.name} was used after it was disposed of`;
        throw makeError('Disposed', message, { below: handleOf });
      }
      return object.#handle;
    };

    /** What `make` returned the first time it was asked for under this name. */
    keep = (object, name, make) => {
      handleOf(object);
      object.#kept ??= new Map();
      if (!object.#kept.has(name)) object.#kept.set(name, make());
      return object.#kept.get(name);
    };

    release = (object) => {
      const handle = object.#handle;
      if (handle === undefined) return;
      object.#handle = undefined;
      object.#kept = undefined;
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

module.exports = { TOKEN, NativeObject, DisposableObject, NamedValue, summaries, isNative, handleOf, keep };
