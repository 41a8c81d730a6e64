'use strict';
// The object that stands for an object of core: one while it is alive, known by the address of the latter.
//
// An object of JavaScript holds the object of core, so that the address is nobody else's while the entry can be found. Plain
// tensors never get here: only what was passed to a function or put into a container may come back.

const { ANSWERS, address, release } = require('./native.cjs');
const { isAlive, isNative, numberOf, wrap } = require('./objects.cjs');

/** Objects by address. */
const objects = new Map();

/** What is in the table. */
const known = new WeakSet();

const collected = new FinalizationRegistry((at) => {
  if (objects.get(at)?.deref() === undefined) objects.delete(at);
});

/** The object for an address, if one can be used. */
function find(at) {
  const object = objects.get(at)?.deref();
  return object !== undefined && isAlive(object) ? object : undefined;
}

/** That of the given values which stands for the object at an address; it is in the table from now on. */
function findAmong(values, at) {
  for (const value of values) {
    if (isPlain(value) && address(numberOf(value)) === at) {
      remember(value, at);
      return value;
    }
  }
  return undefined;
}

/** Whether a value is an object of ours that can be used and is not in the table. */
function isPlain(value) {
  return typeof value === 'object' && value !== null && isNative(value) && !known.has(value) && isAlive(value);
}

function remember(object, at) {
  if (at === 0) return;
  objects.set(at, new WeakRef(object));
  known.add(object);
  collected.register(object, at);
}

/** Notes an object that others hold from now on; other values are left alone. */
function escape(value) {
  if (isPlain(value)) remember(value, address(numberOf(value)));
}

/** The object for the value of a handle at an address: the one there is, or a new one. */
function identify(type, handle, at, lent) {
  const found = find(at);
  if (found !== undefined) {
    release(handle);
    return found;
  }
  const object = wrap(type, handle, lent);
  remember(object, at);
  return object;
}

const REMEMBER = 18;
ANSWERS[REMEMBER] = remember;

module.exports = { escape, find, findAmong, identify };
