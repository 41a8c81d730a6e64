'use strict';
// Calls into the addon, and the one function by which the addon asks JavaScript for something.

const { types } = require('node:util');
const { markAsUntransferable } = require('node:worker_threads');

const { makeError, describe } = require('./errors.cjs');
const native = require('./loader.cjs');
const { TOKEN, NamedValue, handleOf, isNative, summaries } = require('./objects.cjs');

/** Classes by their key in core, and the values that were made of those which are values. */
const classes = new Map();
const values = new Map();

const indices = new Map(native.methods().map((name, index) => [name, index]));

/** The numbers are those of `Ask` in `src/host.rs`. */
const ANSWERS = [wrap, (name) => values.get(name), failure, standIn, guard, keeper, pin, halves];

function host(ask, a, b, c) {
  return ANSWERS[ask](a, b, c);
}

/** Calls an entry by its index. In `bytes` a bit is set for each argument that is bytes rather than a tensor. */
function call(index, args, bytes = 0) {
  return native.call(host, index, args, bytes);
}

/** The indices of entries, by the part of their name behind `prefix`. */
function entries(prefix, names) {
  const found = Object.create(null);
  for (const name of names) {
    const index = indices.get(prefix + name);
    if (index === undefined) throw new Error(`the addon has no entry ${prefix}${name}`);
    found[name] = index;
  }
  return found;
}

/** Makes a class known to the addon. `shown` are the properties in its summaries. */
function register(Class, key, shown) {
  classes.set(key, Class);
  summaries.set(Class, shown);
}

/** What `new` returns: the object as one of a class of the user's, if `new` was called on such a class. */
function adopt(Class, target, object) {
  if (target !== Class && !(object instanceof NamedValue)) Object.setPrototypeOf(object, target.prototype);
  return object;
}

function wrap(key, handle) {
  const Class = classes.get(key);
  if (Class === undefined) throw makeError('TypeError', `there is no class for ${key}`);
  const object = new Class(TOKEN, handle);
  if (!(object instanceof NamedValue)) return object;
  const { name } = object;
  if (!values.has(name)) values.set(name, object);
  return values.get(name);
}

function failure(kind, message, cause) {
  return makeError(kind, message, { cause, below: call });
}

/** What an object is to core: a handle, an array of items or of names and values, or a typed array. */
function standIn(object) {
  if (isNative(object)) return handleOf(object);
  if (ArrayBuffer.isView(object)) return new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
  if (types.isAnyArrayBuffer(object)) return new Uint8Array(object);
  if (types.isBoxedPrimitive(object)) return object.valueOf();
  if (types.isMap(object)) return [...object].flat();
  if (typeof object[Symbol.iterator] === 'function') return [...object];
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return Object.entries(object).flat();
  throw makeError('TypeError', `${describe(object)} cannot be passed to tenspan`, { below: call });
}

/** A function that reports what was thrown instead of throwing it. */
function guard(work) {
  return (args) => {
    try {
      return [work(...args)];
    } catch (error) {
      return [undefined, () => error];
    }
  };
}

/** A function that keeps an array alive; none when its memory may shrink under a tensor. */
function keeper(array) {
  return array.buffer.resizable ? null : () => array;
}

/** Memory that a tensor looks at must not be given to another thread or another buffer. */
function pin({ buffer }) {
  if (types.isSharedArrayBuffer(buffer)) return;
  markAsUntransferable(buffer);
  for (const name of ['transfer', 'transferToFixedLength']) {
    if (name in buffer && !Object.hasOwn(buffer, name)) {
      const value = () => {
        throw makeError('BufferError', 'the buffer is in use by a tensor and cannot be transferred');
      };
      Object.defineProperty(buffer, name, { value, configurable: true });
    }
  }
}

function halves(array) {
  const { Float16Array } = globalThis;
  if (Float16Array === undefined || !(array instanceof Float16Array)) return undefined;
  return new Uint16Array(array.buffer, array.byteOffset, array.length);
}

module.exports = { call, entries, register, adopt };
