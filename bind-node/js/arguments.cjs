'use strict';
// What JavaScript's manners ask of arguments and results, beyond the conversions of the addon.

const complex = require('./complex.cjs');
const { makeError, describe } = require('./error.cjs');
const { Raw } = require('./frame.cjs');
const lent = require('./lent.cjs');
const { handleOf, isNative } = require('./objects.cjs');

const NONE = Object.freeze({});

/** The options of a call; none when left out. A name that is not one of `names` is refused. */
function options(where, given, names) {
  if (given === undefined || given === null) return NONE;
  if (typeof given !== 'object' || Array.isArray(given) || isNative(given)) {
    const message = `${where}: options are an object with ${list(names)}, found ${describe(given)}`;
    throw makeError('TypeError', message, { below: options });
  }
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      const near = nearest(name, names);
      const hint = near ? `did you mean \`${near}\`?` : `there are ${list(names)}`;
      throw makeError('TypeError', `${where}: there is no option \`${name}\`; ${hint}`, { below: options });
    }
  }
  return given;
}

function list(names) {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** The name that is at most a third of its letters away, or that holds the wanted one. */
function nearest(wanted, names) {
  const limit = Math.floor(wanted.length / 3) + 1;
  const near = names
    .map((name) => [distance(wanted.toLowerCase(), name.toLowerCase()), name])
    .filter(([d, name]) => d <= limit || name.toLowerCase().includes(wanted.toLowerCase()))
    .sort(([a], [b]) => a - b);
  return near[0]?.[1];
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1);
    }
    row = next;
  }
  return row[b.length];
}

/** Any view or buffer as its bytes; other values as they are, for the addon to refuse. */
function toBytes(value) {
  return lent.toBytes(value) ?? value;
}

/** A value that the addon gets as it is. */
function toRaw(value) {
  return value === undefined || value === null ? value : new Raw(value);
}

/** Anything with entries as named values: plain objects, maps, files. Here two numbers are no complex one. */
function toNamed(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (typeof value.entries === 'function') return [...value.entries()].flat();
  return complex.parts(value) === undefined ? value : Object.entries(value).flat();
}

/** Functions of a source: a name, names, or pairs of a name and what it does. */
function toExports(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNative(value)) return value;
  return [...(typeof value.entries === 'function' ? value.entries() : Object.entries(value))];
}

/** As `toNamed`, but for an object of ours, which says itself what it holds. */
function toNamedOrOurs(value) {
  return typeof value === 'object' && value !== null && isNative(value) ? value : toNamed(value);
}

/** A function whose results nobody looks at. */
function toListener(value) {
  if (typeof value !== 'function') return value;
  return (...args) => {
    value(...args);
  };
}

/** Named values as a plain object. */
function fromNamed(flat, convert = (value) => value) {
  const object = {};
  for (let i = 0; i < flat.length; i += 2) {
    // Not by assignment: a name may be `__proto__`.
    const property = { value: convert(flat[i + 1]), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, flat[i], property);
  }
  return object;
}

/** Applies a conversion unless there is no value. */
function unlessNull(value, convert) {
  return value === null ? null : convert(value);
}

/** A position counted from the end when negative. */
function position(index, length) {
  const whole = Math.trunc(Number(index)) || 0;
  const found = whole < 0 ? whole + length : whole;
  if (found < 0 || found >= length) {
    throw makeError('IndexError', `position ${whole} is outside of ${length}`, { below: position });
  }
  return found;
}

module.exports = { NONE, handleOf, nearest, options, toBytes, toRaw, toNamed, toNamedOrOurs, toExports, toListener, fromNamed, unlessNull, position };
