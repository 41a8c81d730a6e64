'use strict';
// Memory of JavaScript that tensors look at: what is known of it, and whether it is still there.

const { types } = require('node:util');

const { makeError, describe } = require('./error.cjs');
const { ANSWERS } = require('./native.cjs');

// Own properties of an object cannot stand before these, as they can before a name.
const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (object) => get.call(object);
};
const TypedArray = Object.getPrototypeOf(Uint8Array);
const lengthOf = getter(ArrayBuffer.prototype, 'byteLength');
const kindOf = getter(TypedArray.prototype, Symbol.toStringTag);
const ofArray = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(TypedArray.prototype, name));
const ofView = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(DataView.prototype, name));
const { values } = TypedArray.prototype;

/** Objects that an array of their bytes was made for. */
const sources = new WeakMap();

function gone(object) {
  return makeError('BufferError', `the buffer of ${describe(object)} was transferred or made smaller`);
}

/** Buffer, position and length in bytes of a typed array or a DataView; an error when they are not there any more. */
function place(view) {
  const isArray = kindOf(view) !== undefined;
  try {
    // Engines report the length of what is gone as 0; only an iteration tells it from nothing.
    if (isArray) Reflect.apply(values, view, []);
    return (isArray ? ofArray : ofView).map((get) => get(view));
  } catch {
    throw gone(view);
  }
}

/** A typed array over all that a typed array, a DataView or a buffer shows; undefined for other objects. */
function toArray(object) {
  if (ArrayBuffer.isView(object)) {
    const [buffer, offset, length] = place(object);
    return kindOf(object) === undefined ? stand(object, new Uint8Array(buffer, offset, length)) : object;
  }
  if (!types.isAnyArrayBuffer(object)) return undefined;
  try {
    return stand(object, new Uint8Array(object));
  } catch {
    throw gone(object);
  }
}

/** The bytes that a typed array, a DataView or a buffer shows; undefined for other objects. */
function toBytes(object) {
  const array = toArray(object);
  return array === undefined || kindOf(array) === 'Uint8Array' ? array : new Uint8Array(...place(array));
}

function stand(source, array) {
  sources.set(array, source);
  return array;
}

/** What is known of an object whose memory is lent to a tensor. */
function lend(object) {
  const array = toArray(object);
  if (array === undefined) return { owner: object, buffer: undefined, offset: 0, end: 0 };
  const [buffer, offset, length] = place(array);
  return { owner: sources.get(array) ?? array, buffer, offset, end: offset + length };
}

/** Whether memory that was lent is not there any more. That of a SharedArrayBuffer always is. */
function isGone({ buffer, end }) {
  return buffer !== undefined && types.isArrayBuffer(buffer) && lengthOf(buffer) < end;
}

/** Constructors by the numbers that Node-API gives to typed arrays. */
const ARRAYS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];

/** An array over part of a buffer that was lent; null when there is no such part, or it is not aligned. */
function show({ buffer, offset }, { type, start, length }) {
  const Array = ARRAYS[type];
  const first = offset + start;
  const isInside = first >= 0 && first + length * Array.BYTES_PER_ELEMENT <= buffer.byteLength;
  return isInside && first % Array.BYTES_PER_ELEMENT === 0 ? new Array(buffer, first, length) : null;
}

/** The memory of a `Float16Array` as bits; undefined for other arrays. */
function halves(array) {
  if (kindOf(array) !== 'Float16Array') return undefined;
  const [buffer, offset, length] = place(array);
  return new Uint16Array(buffer, offset, length / 2);
}

/** What the running calls in which functions of the user may run look at: each `{ lent, next }`. */
let watched;

/** Marks the end of what a call looks at. */
const NOTHING = { lent: undefined, next: undefined };

/** Begins a call in which functions of the user may run, and so give memory away; the result is for `leave`. */
function enter() {
  const outer = watched;
  watched = NOTHING;
  return outer;
}

/** Ends such a call. */
function leave(outer) {
  watched = outer;
}

/** Runs such a call. */
function watching(work) {
  const outer = enter();
  try {
    return work();
  } finally {
    leave(outer);
  }
}

/** Notes memory that the running call looks at. */
function watch(lent) {
  if (watched !== undefined) watched = { lent, next: watched };
}

/** To be called when a function of the user ran within a call: what is gone must not be read any more. */
function checkWatched() {
  for (let at = watched; at !== undefined && at !== NOTHING; at = at.next) {
    if (isGone(at.lent)) throw gone(at.lent.owner);
  }
}

const LEND = 5;
const WATCH = 6;
const HALVES = 7;
const SHOW = 8;
const ARRAY = 9;
ANSWERS[LEND] = (object) => {
  const lent = lend(object);
  return () => lent;
};
ANSWERS[WATCH] = (array) => watch(lend(array));
ANSWERS[HALVES] = halves;
ANSWERS[SHOW] = show;
ANSWERS[ARRAY] = toArray;

module.exports = { kindOf, toArray, toBytes, gone, isGone, enter, leave, watch, watching, checkWatched };
