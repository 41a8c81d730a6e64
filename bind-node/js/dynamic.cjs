'use strict';
// Calls whose values keep what they are: of functions, and of the members of containers.
//
// As in frame.cjs, no code of the user runs between the first record and the native call.

const { types } = require('node:util');

const complex = require('./complex.cjs');
const { makeError, describe } = require('./error.cjs');
const { entry, started } = require('./frame.cjs');
const { escape, find, findAmong, identify } = require('./identity.cjs');
const lent = require('./lent.cjs');
const { ANSWERS, TAGS, RECORDS, words, numbers, callDynamic, invoke: invokeNative, watch } = require('./native.cjs');
const { keep, held } = require('./kept.cjs');
const { isAlive, isNative, handleOf, numberOf, wrap } = require('./objects.cjs');

const { NONE, NUMBER, BOOL, HANDLE, VALUE, OBJECT } = TAGS;

/** What is called when it is no entry, as in `src/dynamic.rs`. */
const FUNCTION = -1;
const CONVERT = -2;

/** What becomes of a result. */
const SPREAD = 1;
const WRAP = 2;

/** What `put` returns: a plain value that is packed, an object that is, or what is not. */
const PLAIN = 0;
const OWN = 1;
const OTHER = RECORDS;

/** Packs an argument, if it can be; positions count from 1. Each `typeof` stands by itself, as in frame.cjs. */
function put(at, value) {
  const word = at << 2;
  if (typeof value === 'number') {
    words[word] = NUMBER;
    numbers[(at << 1) + 1] = value;
    return PLAIN;
  }
  if (value === undefined || value === null) {
    words[word] = NONE;
    return PLAIN;
  }
  if (typeof value === 'boolean') {
    words[word] = BOOL;
    words[word + 2] = value ? 1 : 0;
    words[word + 3] = 0;
    return PLAIN;
  }
  if (typeof value === 'object' && isNative(value)) {
    numbers[(at << 1) + 1] = handleOf(value);
    words[word] = HANDLE;
    return OWN;
  }
  words[word] = VALUE;
  return OTHER;
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

/**
 * The arguments of the packed call that runs. They are not in the table of identities, since most functions keep nothing, but a
 * function of JavaScript that runs within the call may be given them.
 */
let passing0;
let passing1;
let passing2;

function invokePacked(handle, count) {
  started();
  numbers[1] = handle;
  words[1] = count;
  return invokeNative();
}

function invoke0(handle) {
  return finish(invokePacked(handle, 0));
}

function invoke1(handle, callee, a) {
  // Numbers, of which most calls are: no call to pack each.
  if (typeof a === 'number') {
    words[4] = NUMBER;
    numbers[3] = a;
    return finish(invokePacked(handle, 1));
  }
  if (typeof a === 'object' && a !== null && isNative(a)) return invokeOwn(handle, a);
  if (put(1, a) === PLAIN) return finish(invokePacked(handle, 1));
  return call(FUNCTION, [callee, a]);
}

/** A call with one object of ours. */
function invokeOwn(handle, a) {
  numbers[3] = handleOf(a);
  words[4] = HANDLE;
  passing0 = a;
  try {
    const value = invokePacked(handle, 1);
    if (words[4] !== 0) escape(a);
    return finish(value);
  } finally {
    passing0 = undefined;
  }
}

function invoke2(handle, callee, a, b) {
  if (typeof a === 'number' && typeof b === 'number') {
    words[4] = NUMBER;
    numbers[3] = a;
    words[8] = NUMBER;
    numbers[5] = b;
    return finish(invokePacked(handle, 2));
  }
  const how = put(1, a) + put(2, b);
  if (how === PLAIN) return finish(invokePacked(handle, 2));
  if (how >= OTHER) return call(FUNCTION, [callee, a, b]);
  passing0 = a;
  passing1 = b;
  try {
    return finishWith(invokePacked(handle, 2), a, b);
  } finally {
    passing0 = passing1 = undefined;
  }
}

function invoke3(handle, callee, a, b, c) {
  if (typeof a === 'number' && typeof b === 'number' && typeof c === 'number') {
    words[4] = NUMBER;
    numbers[3] = a;
    words[8] = NUMBER;
    numbers[5] = b;
    words[12] = NUMBER;
    numbers[7] = c;
    return finish(invokePacked(handle, 3));
  }
  const how = put(1, a) + put(2, b) + put(3, c);
  if (how === PLAIN) return finish(invokePacked(handle, 3));
  if (how >= OTHER) return call(FUNCTION, [callee, a, b, c]);
  passing0 = a;
  passing1 = b;
  passing2 = c;
  try {
    return finishWith(invokePacked(handle, 3), a, b, c);
  } finally {
    passing0 = passing1 = passing2 = undefined;
  }
}

/** Runs a function of JavaScript within a call: what that was given may get to others, and must still be there afterwards. */
function within(work) {
  const given = [passing0, passing1, passing2];
  passing0 = passing1 = passing2 = undefined;
  for (const value of given) escape(value);
  try {
    const result = work();
    lent.checkWatched();
    for (const value of given) check(value);
    return result;
  } finally {
    [passing0, passing1, passing2] = given;
  }
}

/** Memory that an object looks at must be there. One that was disposed of holds none. */
function check(value) {
  if (typeof value === 'object' && value !== null && isNative(value) && isAlive(value)) handleOf(value);
}

/** Calls a function of JavaScript with the arguments that core packed. */
function callPacked(work) {
  switch (words[1]) {
    case 0:
      return work();
    case 1:
      return work(unpack(1));
    case 2:
      return work(unpack(1), unpack(2));
    case 3:
      return work(unpack(1), unpack(2), unpack(3));
    default:
      return work(...Array.from({ length: words[1] }, (_, i) => unpack(i + 1)));
  }
}

/** A number, a truth or nothing. */
function unpack(at) {
  const word = at << 2;
  switch (words[word]) {
    case NUMBER:
      return numbers[(at << 1) + 1];
    case BOOL:
      return words[word + 2] !== 0;
    default:
      return null;
  }
}

/**
 * Calls a function of JavaScript within a call of core, with a list of arguments or with those that are packed. The result is
 * packed, or `[result]`; what is thrown is `[undefined, thrown]`.
 */
function callBack(number, args) {
  try {
    const work = held(number);
    const result = within(() => (args === undefined ? callPacked(work) : work(...args)));
    started();
    // An object needs more than a look: whoever gets it may give it to others.
    return put(0, result) === PLAIN ? undefined : [result];
  } catch (error) {
    return [undefined, error];
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
  if (typeof value === 'function') return handleOfFunction(value) ?? [keep(value), nameOf(value)];
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

const CALL = 4;
const GIVE = 16;
const FIND = 17;
ANSWERS[CALL] = callBack;
ANSWERS[GIVE] = give;
ANSWERS[FIND] = (at) => find(at) ?? (at === 0 ? undefined : findAmong([passing0, passing1, passing2], at));

module.exports = { SPREAD, WRAP, call, convert, items, entry, invoke, invoke0, invoke1, invoke2, invoke3, setHandleOfFunction };
