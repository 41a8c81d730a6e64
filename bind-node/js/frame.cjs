'use strict';
// Calls: arguments packed into the frame, a native function, the result read from it.
//
// No code of the user runs between the first record and the native call, which reads the frame before anything
// else, nor between the result and its reading. Lists alone may run some while they are read (a getter, a proxy): that is
// noticed by the count of calls, and the arguments are then packed anew, the lists as values.

const { kindOf, watching } = require('./lent.cjs');
const { TAGS, RECORDS, NUMBERS, words, numbers, run, runWith, watch, call: callNative, indices } = require('./native.cjs');
const { isNative, handleOf, ownHandle, wrap } = require('./objects.cjs');

const { NONE, NUMBER, BOOL, HANDLE, LIST, VALUE, BYTES, RAW, COMPLEX, LARGE } = TAGS;

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

/** Packs an argument; positions count from 1. Each `typeof` stands by itself: the engine compiles these to tests of a type. */
function put(at, value) {
  const word = at << 2;
  if (typeof value === 'number') {
    words[word] = NUMBER;
    numbers[(at << 1) + 1] = value;
    return PACKED;
  }
  if (value === undefined || value === null) {
    words[word] = NONE;
    return PACKED;
  }
  if (typeof value === 'object') return putObject(at, value);
  if (typeof value === 'boolean') {
    words[word] = BOOL;
    numbers[(at << 1) + 1] = value ? 1 : 0;
    return PACKED;
  }
  words[word] = VALUE;
  words[word + 1] = 0;
  return OTHER;
}

function putObject(at, value) {
  const word = at << 2;
  // First what is told without a look at the shape of the object, of which there are many.
  const kind = kindOf(value);
  if (kind !== undefined) {
    words[word] = VALUE;
    words[word + 1] = kindNumber(kind);
    return ARRAY;
  }
  if (isNative(value)) {
    numbers[(at << 1) + 1] = handleOf(value);
    words[word] = HANDLE;
    return PACKED;
  }
  if (Array.isArray(value) && putList(at, value)) return PACKED;
  words[word] = VALUE;
  words[word + 1] = 0;
  return OTHER;
}

/** One more than what Node-API calls a kind of typed array; 0 for kinds that are not known yet. */
function kindNumber(kind) {
  switch (kind) {
    case 'Float32Array':
      return 8;
    case 'Float64Array':
      return 9;
    case 'Int8Array':
      return 1;
    case 'Uint8Array':
      return 2;
    case 'Uint8ClampedArray':
      return 3;
    case 'Int16Array':
      return 4;
    case 'Uint16Array':
      return 5;
    case 'Int32Array':
      return 6;
    case 'Uint32Array':
      return 7;
    case 'BigInt64Array':
      return 10;
    case 'BigUint64Array':
      return 11;
    case 'Float16Array':
      return 12;
    default:
      return 0;
  }
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
    case LARGE:
      return watched(words[1], numbers[1], value);
    case LIST:
      return list(words[1]);
    case COMPLEX:
      return { re: numbers[1], im: numbers[LISTS] };
    default:
      return value;
  }
}

function watched(type, handle, lent) {
  const object = wrap(type, handle, lent);
  watch(object, handle);
  return object;
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

/** Notes that something else uses the frame. */
function started() {
  calls++;
}

function call0(index) {
  calls++;
  head(index, 0);
  return finish(run());
}

/** A call of a method without arguments. */
function callOn(index, object) {
  calls++;
  numbers[3] = ownHandle(object);
  words[4] = HANDLE;
  head(index, 1);
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

/** A call with two rows and two options: most rows are typed arrays, and most options left out. */
function callRows(index, a, b, fast, out) {
  const x = kindOf(a);
  const y = kindOf(b);
  if (x === undefined || y === undefined || fast !== undefined || out !== undefined) return call4(index, a, b, fast, out);
  calls++;
  words[4] = VALUE;
  words[5] = kindNumber(x);
  words[8] = VALUE;
  words[9] = kindNumber(y);
  words[12] = NONE;
  words[16] = NONE;
  head(index, 4);
  return finish(runWith(a, b));
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

/** The index of an entry. */
function entry(name) {
  const index = indices.get(name);
  if (index === undefined) throw new Error(`the addon has no entry ${name}`);
  return index;
}

module.exports = { Raw, started, call0, callOn, call1, call2, call3, call4, callRows, call, entry };
