'use strict';
// Calls: arguments packed into the frame, a native function, the result read from it.
//
// No code of the user runs between the first record and the native call, which reads the frame before anything
// else, nor between the result and its reading. Lists alone may run some while they are read (a getter, a proxy): that is
// noticed by the count of calls, and the arguments are then packed anew, the lists as values.

const { watching } = require('./lent.cjs');
const { TAGS, RECORDS, NUMBERS, words, numbers, run, runWith, call: callNative, indices } = require('./native.cjs');
const { isNative, handleOf, wrap } = require('./objects.cjs');

const { NONE, NUMBER, BOOL, HANDLE, LIST, VALUE, BYTES, RAW } = TAGS;
const { isView } = ArrayBuffer;
/** Some engines have such arrays, and no number for them in Node-API. */
const Halves = globalThis.Float16Array;

/** What `put` returns: packed, a typed array that has to be passed, or another value that has to be. */
const PACKED = 0;
const ARRAY = 1;
const OTHER = RECORDS;

/** First number of lists in the frame. */
const LISTS = RECORDS * 2;

let calls = 0;
let listed = 0;

/** A value that is passed as it is. */
class Raw {
  constructor(value) {
    this.value = value;
  }
}

/** Packs an argument; positions count from 1. */
function put(at, value) {
  const word = at << 2;
  switch (typeof value) {
    case 'number':
      words[word] = NUMBER;
      numbers[(at << 1) + 1] = value;
      return PACKED;
    case 'undefined':
      words[word] = NONE;
      return PACKED;
    case 'boolean':
      words[word] = BOOL;
      numbers[(at << 1) + 1] = value ? 1 : 0;
      return PACKED;
    case 'object':
      return putObject(at, value);
    default:
      words[word] = VALUE;
      return OTHER;
  }
}

function putObject(at, value) {
  const word = at << 2;
  if (value === null) {
    words[word] = NONE;
    return PACKED;
  }
  if (isNative(value)) {
    numbers[(at << 1) + 1] = handleOf(value);
    words[word] = HANDLE;
    return PACKED;
  }
  if (Array.isArray(value) && putList(at, value)) return PACKED;
  words[word] = VALUE;
  return isView(value) && !(Halves !== undefined && value instanceof Halves) ? ARRAY : OTHER;
}

function putList(at, list) {
  const count = list.length;
  const first = listed;
  if (first + count > NUMBERS) return false;
  for (let i = 0; i < count; i++) {
    const item = list[i];
    if (typeof item !== 'number') return false;
    numbers[LISTS + first + i] = item;
  }
  listed = first + count;
  const word = at << 2;
  words[word] = LIST;
  words[word + 1] = count;
  words[word + 2] = first;
  words[word + 3] = 0;
  return true;
}

/** Reads the result of a call. */
function finish(value) {
  switch (words[0]) {
    case NUMBER:
      return numbers[1];
    case NONE:
      return null;
    case BOOL:
      return words[2] !== 0;
    case HANDLE:
      return wrap(words[1], numbers[1], value);
    case LIST:
      return list(words[1]);
    default:
      return value;
  }
}

function list(count) {
  const items = [];
  for (let i = 0; i < count; i++) items.push(numbers[LISTS + i]);
  return items;
}

function head(index, count) {
  words[0] = index;
  words[1] = count;
}

function call0(index) {
  calls++;
  head(index, 0);
  return finish(run());
}

function call1(index, a) {
  const mine = ++calls;
  listed = 0;
  const how = put(1, a);
  if (how >= OTHER || mine !== calls) return call(index, [a]);
  head(index, 1);
  return finish(how === PACKED ? run() : runWith(a));
}

function call2(index, a, b) {
  const mine = ++calls;
  listed = 0;
  const how = put(1, a) + put(2, b);
  if (how >= OTHER || mine !== calls) return call(index, [a, b]);
  head(index, 2);
  return finish(how === PACKED ? run() : runWith(a, b));
}

function call3(index, a, b, c) {
  const mine = ++calls;
  listed = 0;
  const how = put(1, a) + put(2, b) + put(3, c);
  if (how >= OTHER || mine !== calls) return call(index, [a, b, c]);
  head(index, 3);
  return finish(how === PACKED ? run() : runWith(a, b, c));
}

function call4(index, a, b, c, d) {
  const mine = ++calls;
  listed = 0;
  const how = put(1, a) + put(2, b) + put(3, c) + put(4, d);
  if (how >= OTHER || mine !== calls) return call(index, [a, b, c, d]);
  head(index, 4);
  return finish(how === PACKED ? run() : runWith(a, b, c, d));
}

/** Any call. In `bytes` a bit is set for each argument that is bytes rather than a tensor. */
function call(index, args, bytes = 0) {
  if (args.some((arg) => typeof arg === 'function')) return watching(() => callAny(index, args, bytes));
  return callAny(index, args, bytes);
}

function callAny(index, args, bytes) {
  calls++;
  const values = [];
  for (let i = 0; i < args.length; i++) {
    const at = i + 1;
    const arg = args[i];
    if (Array.isArray(arg)) {
      words[at << 2] = VALUE;
    } else if (arg instanceof Raw) {
      words[at << 2] = RAW;
    } else if (put(at, arg) !== PACKED && (bytes >> i) & 1) {
      words[at << 2] = BYTES;
    }
    values.push(words[at << 2] === RAW ? arg.value : arg);
  }
  head(index, args.length);
  return finish(callNative(values));
}

/** The indices of entries, by the part of their name behind `prefix`. */
function entries(prefix, names) {
  // A plain object: the optimizer knows what stands in one.
  const found = {};
  for (const name of names) {
    const index = indices.get(prefix + name);
    if (index === undefined) throw new Error(`the addon has no entry ${prefix}${name}`);
    found[name] = index;
  }
  return found;
}

module.exports = { Raw, call0, call1, call2, call3, call4, call, entries };
