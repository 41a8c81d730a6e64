'use strict';
// The addon as this environment uses it: the frame of calls, the functions behind them, and what native code may ask.
// Nothing of this leaves the package.

const addon = require('./loader.cjs');

/** Sizes and tags are those in `src/bytes/frame.rs`. */
const RECORDS = 16;
const NUMBERS = 64;
const TAGS = { NONE: 0, NUMBER: 1, BOOL: 2, HANDLE: 3, LIST: 4, VALUE: 5, BYTES: 6, RAW: 7, COMPLEX: 8, LARGE: 9, OBJECT: 10 };

const buffer = new ArrayBuffer(RECORDS * 16 + NUMBERS * 8);

/** What native code may ask, by the numbers of `Ask` in `src/host.rs`. Each answer is put here by the module that has it. */
const ANSWERS = [];

function host(ask, a, b, c) {
  return ANSWERS[ask](a, b, c);
}

/** Some engines forbid array buffers over foreign memory; with this variable any does. */
const canShare = !process.env.TENSPAN_NO_EXTERNAL_BUFFERS;

const natives = addon.open(host, buffer, canShare, globalThis.Float16Array !== undefined);

module.exports = {
  ANSWERS,
  TAGS,
  RECORDS,
  NUMBERS,
  // Each record is four words or two numbers; the numbers of lists stand behind the records.
  words: new Int32Array(buffer),
  numbers: new Float64Array(buffer),
  // A call through the frame, one with typed arrays, one with any values; a function of core, a dynamic call; what is held.
  run: natives.run,
  runWith: natives.runWith,
  call: natives.call,
  invoke: natives.invoke,
  callDynamic: natives.callDynamic,
  address: natives.address,
  release: natives.release,
  watch: natives.watch,
  classKey: addon.classKey,
  indices: new Map(addon.methods().map((name, index) => [name, index])),
};
