'use strict';
// Errors by their kind: JavaScript's own classes where it has one, a class of each other kind that is a TenspanError.

const path = require('node:path');

const KINDS = require('./generated/kinds.cjs');

/** An error of tenspan; `kind` says which. */
class TenspanError extends Error {}
nameClass(TenspanError, 'TenspanError');

/** Files through which calls go. */
const FILES = [
  ...['compound', 'container', 'define', 'dynamic', 'frame', 'function', 'host', 'identity', 'kept', 'lent', 'native'],
  ...['object', 'objects', 'types'],
];
const OURS = FILES.map((name) => path.join(__dirname, `${name}.cjs`));

/** Kinds that JavaScript has a class for. */
const BUILTIN = { TypeError, IndexError: RangeError, OverflowError: RangeError };

/** Classes by kind: first those of the package, later whatever was registered. */
const classes = new Map(Object.entries(BUILTIN));

/** The classes of the other kinds, by name. */
const named = {};
for (const kind of KINDS) {
  if (Object.hasOwn(BUILTIN, kind)) continue;
  named[kind] = makeClass(kind, TenspanError);
  classes.set(kind, named[kind]);
}

/** Kinds by the classes that were registered for them. */
const kinds = new Map();

/** The numbers of errors of core, by the error objects that stand for them. */
const standing = new WeakMap();

function makeClass(kind, Base) {
  return nameClass({ [kind]: class extends Base {} }[kind], kind);
}

function nameClass(Class, name) {
  Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
  return Class;
}

/** Makes errors of a kind, and those that other languages raise, errors of this class; and errors of this class of that kind. */
function registerError(kind, Class) {
  if (typeof kind !== 'string' || kind === '') {
    throw makeError('TypeError', `a kind of errors is a text, found ${describe(kind)}`, { below: registerError });
  }
  if (typeof Class !== 'function' || !(Class.prototype instanceof Error)) {
    const message = `errors of the kind ${kind} need a class that extends Error, found ${describe(Class)}`;
    throw makeError('TypeError', message, { below: registerError });
  }
  classes.set(kind, Class);
  kinds.set(Class, kind);
  return Class;
}

/** The class of a kind; one of its own for a kind that nobody knows, which is a RuntimeError. */
function classOf(kind) {
  let Class = classes.get(kind);
  if (Class === undefined) {
    Class = makeClass(kind, named.RuntimeError ?? TenspanError);
    classes.set(kind, Class);
  }
  return Class;
}

/** The kind by which other languages know an error. */
function kindOf(error) {
  for (let Class = error.constructor; typeof Class === 'function'; Class = Object.getPrototypeOf(Class)) {
    if (kinds.has(Class)) return kinds.get(Class);
  }
  if (typeof error.kind === 'string' && error.kind !== '') return error.kind;
  if (error instanceof TypeError) return 'TypeError';
  if (error instanceof RangeError) return 'ValueError';
  const { name } = error;
  return typeof name === 'string' && name !== '' && name !== 'Error' ? name : 'RuntimeError';
}

/** The frames of a stack as other languages write them, the most recent first. */
function frames(stack) {
  if (typeof stack !== 'string') return '';
  const lines = [];
  for (const line of stack.split('\n')) {
    const found = /^ {4}at (?:(.*) \()?(?:file:\/\/)?(.+?):(\d+):\d+\)?$/.exec(line);
    if (found) lines.push(`  File "${found[2]}", line ${found[3]}, in ${found[1] ?? '<anonymous>'}\n`);
  }
  return lines.join('');
}

/** Puts the frames of other languages into the stack of an error: they are more recent than those of JavaScript. */
function addFrames(error, text) {
  const { stack } = error;
  if (typeof stack !== 'string') return;
  const added = [];
  for (const line of text.split('\n')) {
    const found = /^ {2}File "(.*)", line (\d+), in (.*)$/.exec(line);
    if (found) added.push(`    at ${found[3]} (${found[1]}:${found[2]})`);
  }
  const lines = stack.split('\n');
  const first = lines.findIndex((line) => line.startsWith('    at '));
  lines.splice(first < 0 ? lines.length : first, 0, ...added);
  error.stack = lines.join('\n');
}

/** `ShapeMismatch` → `ERR_TENSPAN_SHAPE_MISMATCH`. */
function code(kind) {
  const words = kind.replace('DType', 'Dtype').replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4');
  return `ERR_TENSPAN_${words.toUpperCase()}`;
}

/** Makes an error whose stack begins at the caller of `below`. */
function makeError(kind, message, { cause, below = makeError } = {}) {
  const Class = classOf(kind);
  const error = cause === undefined ? new Class(message) : new Class(message, { cause });
  for (const [key, value] of [['kind', kind], ['code', code(kind)]]) {
    Object.defineProperty(error, key, { value, enumerable: true, writable: true, configurable: true });
  }
  Error.captureStackTrace?.(error, below);
  return withoutOurs(error);
}

/** Notes that an error object stands for an error of core: thrown again, it is that. */
function standsFor(error, number) {
  standing.set(error, number);
}

/** The number of the error of core that an error object stands for. */
function returns(error) {
  return typeof error === 'object' && error !== null ? standing.get(error) : undefined;
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

module.exports = { TenspanError, ...named, registerError, makeError, describe, kindOf, addFrames, frames, standsFor, returns };
