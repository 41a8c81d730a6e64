'use strict';
// What native code asks of JavaScript about values, and what printed modules need: calls, entries, classes.

const { types } = require('node:util');

// Answers native code, as this does.
require('./dynamic.cjs');
const complex = require('./complex.cjs');
const { makeError, describe } = require('./error.cjs');
const { call0, callOn, call1, call2, call3, call4, callRows, call, entry } = require('./frame.cjs');
const lent = require('./lent.cjs');
const { ANSWERS } = require('./native.cjs');
const { NamedValue, isNative, handleOf, register, giveMembers, wrap } = require('./objects.cjs');

/** What `new` returns: the object as one of a class of the user's, if `new` was called on such a class. */
function adopt(Class, target, object) {
  if (target !== Class && !(object instanceof NamedValue)) Object.setPrototypeOf(object, target.prototype);
  return object;
}

function failure(kind, message, cause) {
  return makeError(kind, message, { cause, below: failure });
}

/** What an object is to core: an array of items or of names and values, or a typed array. */
function standIn(object) {
  const array = lent.toArray(object);
  if (array !== undefined) return array;
  if (types.isBoxedPrimitive(object)) return object.valueOf();
  if (types.isMap(object)) return [...object].flat();
  if (typeof object[Symbol.iterator] === 'function') return [...object];
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return Object.entries(object).flat();
  throw makeError('TypeError', `${describe(object)} cannot be passed to tenspan`);
}

const WRAP = 0;
const HANDLE = 1;
const ERROR = 2;
const OBJECT = 3;
const COMPLEX = 10;
ANSWERS[WRAP] = wrap;
ANSWERS[HANDLE] = (object) => (isNative(object) ? handleOf(object) : undefined);
ANSWERS[ERROR] = failure;
ANSWERS[OBJECT] = standIn;
ANSWERS[COMPLEX] = complex.parts;

module.exports = { call0, callOn, call1, call2, call3, call4, callRows, call, entry, register, giveMembers, adopt };
