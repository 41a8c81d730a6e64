'use strict';
// Errors by their kind: JavaScript's own classes where it has one, TenspanError for the rest.

const path = require('node:path');

/** An error of tenspan; `kind` says which. */
class TenspanError extends Error {}
Object.defineProperty(TenspanError.prototype, 'name', { value: 'TenspanError', writable: true, configurable: true });

/** Files through which calls go. */
const OURS = ['native', 'frame', 'host', 'objects', 'lent'].map((name) => path.join(__dirname, `${name}.cjs`));

const CLASSES = new Map([
  ['TypeError', TypeError],
  ['IndexError', RangeError],
  ['OverflowError', RangeError],
]);

/** `ShapeMismatch` → `ERR_TENSPAN_SHAPE_MISMATCH`. */
function code(kind) {
  const words = kind.replace('DType', 'Dtype').replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4');
  return `ERR_TENSPAN_${words.toUpperCase()}`;
}

/** Makes an error whose stack begins at the caller of `below`. */
function makeError(kind, message, { cause, below = makeError } = {}) {
  const Class = CLASSES.get(kind) ?? TenspanError;
  const error = cause === undefined ? new Class(message) : new Class(message, { cause });
  for (const [key, value] of [['kind', kind], ['code', code(kind)]]) {
    Object.defineProperty(error, key, { value, enumerable: true, writable: true, configurable: true });
  }
  Error.captureStackTrace?.(error, below);
  return withoutOurs(error);
}

/** The stack begins at the function that the user called: how that got into native code tells nothing. */
function withoutOurs(error) {
  const { stack } = error;
  if (typeof stack !== 'string') return error;
  const lines = stack.split('\n');
  const isOurs = (line) => OURS.some((file) => line.includes(file));
  const first = lines.findIndex((line) => line.startsWith('    at '));
  let last = first;
  while (last >= 0 && last < lines.length && isOurs(lines[last])) last++;
  if (last > first) error.stack = [...lines.slice(0, first), ...lines.slice(last)].join('\n');
  return error;
}

/** A value in a message: what it is, and for short ones which. */
function describe(value) {
  if (typeof value === 'string') return value.length <= 32 ? `the string ${JSON.stringify(value)}` : 'a string';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return 'an array';
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name && name !== 'Object' ? `a ${name}` : 'an object';
}

module.exports = { TenspanError, makeError, describe };
