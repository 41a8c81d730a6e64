'use strict';
// Calls whose values keep what they are: of functions, and of the members of containers.
//
// As in frame.cjs, no code of the user runs between the first record and the native call.

const { types } = require('node:util');

const complex = require('./complex.cjs');
const { makeError, describe } = require('./errors.cjs');
const { entry, started } = require('./frame.cjs');
const { escape, identify, pass, passed } = require('./identity.cjs');
const lent = require('./lent.cjs');
const { ANSWERS, TAGS, RECORDS, words, numbers, callDynamic, invoke: invokeNative, watch } = require('./native.cjs');
const { isNative, handleOf, numberOf, wrap } = require('./objects.cjs');

const { NONE, NUMBER, BOOL, HANDLE, VALUE, OBJECT } = TAGS;

/** What is called when it is no entry, as in `src/dynamic.rs`. */
const FUNCTION = -1;
const CONVERT = -2;

/** What becomes of a result. */
const SPREAD = 1;
const WRAP = 2;

/** Packs an argument, if it can be; positions count from 1. */
function put(at, value) {
  const word = at << 2;
  switch (typeof value) {
    case 'number':
      words[word] = NUMBER;
      numbers[(at << 1) + 1] = value;
      return true;
    case 'undefined':
      words[word] = NONE;
      return true;
    case 'boolean':
      words[word] = BOOL;
      words[word + 2] = value ? 1 : 0;
      words[word + 3] = 0;
      return true;
    case 'object':
      if (value === null) {
        words[word] = NONE;
        return true;
      }
      if (isNative(value)) {
        numbers[(at << 1) + 1] = handleOf(value);
        words[word] = HANDLE;
        return true;
      }
  }
  words[word] = VALUE;
  return false;
}

/** Reads a result. */
function finish(value) {
  switch (words[0]) {
    case NUMBER:
      return numbers[1];
    case NONE:
      return null;
    case BOOL:
      return words[2] !== 0;
    case OBJECT:
      return words[5] === 0 ? identify(words[1], numbers[1], numbers[3], value) : large(numbers[1], value);
    case HANDLE:
      return wrap(words[1], numbers[1], value);
    default:
      return value;
  }
}

/** The object of a result that holds much memory, which is looked after if it is a new one. */
function large(handle, lent) {
  const object = identify(words[1], handle, numbers[3], lent);
  if (numberOf(object) === handle) watch(object, handle);
  return object;
}

/** Reads the result of a call after which others may hold its arguments. */
function finishWith(value, a, b, c) {
  if (words[4] !== 0) {
    escape(a);
    escape(b);
    escape(c);
  }
  return finish(value);
}

function head(handle, count) {
  numbers[1] = handle;
  words[1] = count;
}

function invoke0(handle) {
  const outer = lent.enter();
  try {
    started();
    head(handle, 0);
    return finish(invokeNative());
  } finally {
    lent.leave(outer);
  }
}

function invoke1(handle, callee, a) {
  const outer = lent.enter();
  const above = pass(a);
  try {
    started();
    if (!put(1, a)) return callAny(FUNCTION, [callee, a], 0);
    head(handle, 1);
    return finishWith(invokeNative(), a);
  } finally {
    passed(above);
    lent.leave(outer);
  }
}

function invoke2(handle, callee, a, b) {
  const outer = lent.enter();
  const above = pass(a, b);
  try {
    started();
    if (!(put(1, a) && put(2, b))) return callAny(FUNCTION, [callee, a, b], 0);
    head(handle, 2);
    return finishWith(invokeNative(), a, b);
  } finally {
    passed(above);
    lent.leave(outer);
  }
}

function invoke3(handle, callee, a, b, c) {
  const outer = lent.enter();
  const above = pass(a, b, c);
  try {
    started();
    if (!(put(1, a) && put(2, b) && put(3, c))) return callAny(FUNCTION, [callee, a, b, c], 0);
    head(handle, 3);
    return finishWith(invokeNative(), a, b, c);
  } finally {
    passed(above);
    lent.leave(outer);
  }
}

/** Calls a function with any number of arguments. */
function invoke(callee, args) {
  return call(FUNCTION, [callee, ...args]);
}

/** Calls an entry, by its index. */
function call(index, args, mode = 0) {
  const outer = lent.enter();
  try {
    return callAny(index, args, mode);
  } finally {
    lent.leave(outer);
  }
}

function callAny(index, args, mode) {
  // The first is the function or the container itself.
  for (let i = index === CONVERT ? 0 : 1; i < args.length; i++) escape(args[i]);
  started();
  const packed = Math.min(args.length, RECORDS - 1);
  for (let i = 0; i < packed; i++) put(i + 1, args[i]);
  words[0] = index;
  words[1] = mode;
  return finish(callDynamic(args));
}

/** A value as all languages see it: arrays, maps and functions become those of tenspan. */
function convert(value) {
  return call(CONVERT, [value], WRAP);
}

/** The items of a sequence as they are now. */
function items(sequence) {
  return call(CONVERT, [sequence], SPREAD);
}

// What objects are to other languages.

const PROTOCOLS = ['object', 'value', 'int', 'float', 'opaque'].map((name) => [name, Symbol.for(`tenspan.${name}`)]);

/** Forms, as in `src/dynamic/read.rs`. */
const FORM = { OPAQUE: 0, VALUE: 1, MAP: 2, INT: 3, FLOAT: 4, POINTER: 5, ERROR: 6, ARRAY: 7, BYTES: 8, COMPLEX: 9 };

const ONLY_HERE = [FORM.OPAQUE];

/** Finds out what an object, a function or a text is. */
function give(value) {
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'function') return handleOfFunction(value) ?? nameOf(value);
  if (isNative(value)) {
    escape(value);
    return handleOf(value);
  }
  for (const [name, symbol] of PROTOCOLS) {
    if (typeof value[symbol] === 'function') return stated(name, value[symbol](), value);
  }
  if (Buffer.isBuffer(value)) return [FORM.BYTES, value];
  const array = lent.toArray(value);
  if (array !== undefined) return [FORM.ARRAY, array];
  if (types.isNativeError(value) || value instanceof Error) return [FORM.ERROR];
  if (types.isMap(value)) return [FORM.MAP, [...value].flat(1)];
  if (types.isBoxedPrimitive(value)) return [FORM.VALUE, value.valueOf()];
  const parts = complex.parts(value);
  if (parts !== undefined) return [FORM.COMPLEX, parts];
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  // An object that says how to iterate it is more than names and values.
  return isPlain && !(Symbol.iterator in value)
    ? [FORM.MAP, Object.entries(value).flat(1)]
    : ONLY_HERE;
}

/** What an object says of itself by a method of a protocol. */
function stated(protocol, result, object) {
  const refuse = (wanted) => {
    const message = `Symbol.for('tenspan.${protocol}') of ${describe(object)} wants to return ${wanted}, found ${describe(result)}`;
    return makeError('TypeError', message, { below: give });
  };
  switch (protocol) {
    case 'object': {
      const handle = typeof result === 'function' ? handleOfFunction(result) : undefined;
      if (handle !== undefined) return handle;
      if (typeof result === 'object' && result !== null && isNative(result)) {
        escape(result);
        return handleOf(result);
      }
      throw refuse('an object of tenspan');
    }
    case 'int':
      if (typeof result === 'bigint' || Number.isInteger(result)) return [FORM.INT, result];
      throw refuse('a whole number');
    case 'float':
      if (typeof result === 'number') return [FORM.FLOAT, result];
      throw refuse('a number');
    case 'opaque':
      if (typeof result === 'bigint' || Number.isSafeInteger(result)) return [FORM.POINTER, BigInt(result)];
      throw refuse('an address');
    default:
      return [FORM.VALUE, result];
  }
}

/** A text without half a character. */
function checkText(text) {
  if (text.isWellFormed()) return text;
  throw makeError('ValueError', 'a string with half of a surrogate pair cannot be passed to tenspan', { below: checkText });
}

/** The name of a function, if it has one that is a text. */
function nameOf(value) {
  const name = Object.getOwnPropertyDescriptor(value, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

/** Put here by function.cjs. */
let handleOfFunction = () => undefined;

function setHandleOfFunction(find) {
  handleOfFunction = find;
}

const GIVE = 16;
ANSWERS[GIVE] = give;

module.exports = { SPREAD, WRAP, call, convert, items, entry, invoke, invoke0, invoke1, invoke2, invoke3, setHandleOfFunction };
