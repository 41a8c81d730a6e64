'use strict';
// Values that native code holds, each by a number, and what is told of those that were thrown.

const { makeError, kindOf, addFrames, frames, returns, standsFor } = require('./error.cjs');
const { collected } = require('./objects.cjs');
const { ANSWERS } = require('./native.cjs');

const kept = new Map();
let last = 0;

/** Causes of causes that are told. */
const MOST_CAUSES = 16;

function keep(value) {
  kept.set(++last, value);
  return last;
}

/** What is kept by a number. */
function held(number) {
  if (!kept.has(number)) throw makeError('InternalError', `nothing is kept by the number ${number}`);
  return kept.get(number);
}

/** What other languages are told of something that was thrown, and of each of its causes. */
function describe(thrown) {
  const told = [];
  let value = thrown;
  do {
    const known = returns(value);
    if (known !== undefined) {
      told.push([known]);
      break;
    }
    told.push(about(value));
    value = read(value, 'cause');
  } while (value instanceof Error && told.length < MOST_CAUSES);
  return told;
}

function about(value) {
  if (!(value instanceof Error)) return ['RuntimeError', text(value), ''];
  return [String(kindOf(value)), text(read(value, 'message')), frames(read(value, 'stack'))];
}

/** A property; none when it cannot be read. */
function read(object, name) {
  try {
    return object instanceof Error ? object[name] : undefined;
  } catch {
    return undefined;
  }
}

function text(value) {
  try {
    return typeof value === 'symbol' ? value.toString() : `${value}`;
  } catch {
    return 'a value that cannot be shown';
  }
}

const KEEP = 11;
const KEPT = 12;
const FORGET = 13;
const DESCRIBE = 14;
const RETURNS = 15;
const FRAMES = 19;
const KEY = 20;
ANSWERS[KEEP] = keep;
ANSWERS[KEPT] = held;
ANSWERS[FORGET] = (numbers) => {
  for (const number of numbers) kept.delete(number);
};
ANSWERS[DESCRIBE] = describe;
ANSWERS[RETURNS] = (error, number) => {
  standsFor(error, number);
  collected.register(error, number);
};

ANSWERS[FRAMES] = addFrames;
ANSWERS[KEY] = (error, key) => {
  Object.defineProperty(error, 'key', { value: key, enumerable: true, writable: true, configurable: true });
};

module.exports = { keep, held };
