'use strict';
// What holds other values: how it is shown, and written as JSON. One that holds itself ends there.

const dynamic = require('./dynamic.cjs');
const { makeError } = require('./error.cjs');
const { DisposableObject, isAlive, own } = require('./objects.cjs');

const TEXT = dynamic.entry('Object.@text');

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The method that gives what stands for something in text. No name, since objects may have fields of any. */
const SHOWN = Symbol('shown');

/** What is being shown or written. */
const inside = new Set();

/** What is made of something, or `ends` when it is within itself. */
function within(held, make, ends) {
  if (inside.has(held)) return ends();
  inside.add(held);
  try {
    return make();
  } finally {
    inside.delete(held);
  }
}

function isCircular() {
  throw makeError('TypeError', 'what holds itself has no form in JSON', { below: isCircular });
}

/** A value as JSON has it. */
function plain(value) {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Compound)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value[SHOWN]();
}

/** Values by name as a plain object. */
function named(pairs) {
  const object = {};
  for (const [key, value] of pairs) {
    // Not by assignment: a name may be `__proto__`.
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return object;
}

/** Something that holds other values. */
class Compound extends DisposableObject {
  /** The text that every language has of it. */
  toString() {
    return dynamic.call(TEXT, [own(this)]);
  }

  [INSPECT](depth, options, inspect) {
    const { name } = this.constructor;
    if (!isAlive(this)) return `${name} <disposed>`;
    if (depth < 0) return `[${name}]`;
    const text = () => inspect(this[SHOWN](), { ...options, depth: options.depth === null ? null : options.depth - 1 });
    return within(this, () => `${name} ${text()}`, () => '[Circular]');
  }
}

module.exports = { Compound, INSPECT, SHOWN, within, isCircular, plain, named };
