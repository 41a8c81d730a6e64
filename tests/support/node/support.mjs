// What printed cases are made of: checks, files, logs. Results go to the file that TENSPAN_CASE_LOG names.

import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import * as tenspan from '../../../bind-node/js/index.mjs';

export { tenspan };

/** What callbacks were called with. */
export class Log {
  calls = [];

  add(...values) {
    this.calls.push(values);
  }

  get length() {
    return this.calls.length;
  }
}

export const last = (log) => log.calls.at(-1) ?? null;

/** A result in the form that comparisons take. */
function plain(value) {
  if (value === undefined) return null;
  if (value instanceof tenspan.DType) return value.name;
  if (value instanceof Log) return plain(value.calls);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof tenspan.Array || value instanceof tenspan.List || value instanceof tenspan.Shape) return plain([...value]);
  if (value instanceof tenspan.Map || value instanceof tenspan.Dict) return plain([...value.entries()]);
  if (typeof value === 'function') return 'a function';
  return value;
}

const isNumber = (value) => typeof value === 'number' || typeof value === 'bigint';

function equal(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  // `==` compares numbers and bigints by their exact values.
  if (isNumber(a) && isNumber(b)) return a == b || (Number.isNaN(a) && Number.isNaN(b));
  if (isComplex(a) && isComplex(b)) return equal(a.re, b.re) && equal(a.im, b.im);
  return a === b;
}

const isComplex = (value) => value !== null && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).join() === 're,im';

function isNear(a, b, tolerance) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isNear(item, b[i], tolerance));
  if (isNumber(a) && isNumber(b) && Number.isFinite(Number(a)) && Number.isFinite(Number(b))) {
    const [x, y] = [Number(a), Number(b)];
    return Math.abs(x - y) <= tolerance * Math.max(Math.abs(x), Math.abs(y), 1);
  }
  if (isComplex(a) && isComplex(b)) return isNear(a.re, b.re, tolerance) && isNear(a.im, b.im, tolerance);
  return equal(a, b);
}

/** The kind of an error: its own, or the name of the class that stands for it. */
const kindOf = (error) => error?.kind ?? error?.name ?? typeof error;

const show = (value) => inspect(value, { depth: 8, breakLength: Infinity });

/** Counts what a case has looked at: one that looks at nothing has shown nothing. */
class Check {
  looked = 0;
  values = new Map();

  /** Goes through values; a failure names the one it happened with. */
  *each(name, values) {
    for (const value of values) {
      this.values.set(name, value);
      yield value;
    }
    this.values.delete(name);
  }

  #look(holds, message) {
    this.looked += 1;
    assert.ok(holds, message);
  }

  equal(found, wanted) {
    this.#look(equal(plain(found), plain(wanted)), `found ${show(plain(found))}, wanted ${show(plain(wanted))}`);
  }

  differs(found, other) {
    this.#look(!equal(plain(found), plain(other)), `${show(plain(found))} is not wanted`);
  }

  less(found, limit) {
    this.#look(found < limit, `${show(found)} is not less than ${show(limit)}`);
  }

  greater(found, limit) {
    this.#look(found > limit, `${show(found)} is not greater than ${show(limit)}`);
  }

  near(found, wanted, tolerance) {
    this.#look(isNear(plain(found), plain(wanted), tolerance), `${show(plain(found))} is not near ${show(plain(wanted))}`);
  }

  throws(kind, part, work) {
    this.looked += 1;
    let error;
    try {
      work();
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error !== undefined, `${kind} was expected, nothing was thrown`);
    assert.equal(kindOf(error), kind, `${kindOf(error)} was thrown, wanted ${kind}: ${error.message}`);
    assert.ok(error.message.includes(part), `"${part}" is not in "${error.message}"`);
  }
}

/** Runs a case; `fails` says why it is known to fail, and then it must. */
export function run(concept, name, fails, body) {
  const check = new Check();
  let failure = null;
  try {
    body(check);
    assert.ok(check.looked > 0, 'the case looked at nothing');
  } catch (error) {
    failure = error;
  }
  const results = fails === null ? ['passed', 'failed'] : ['passed unexpectedly', 'failed as expected'];
  record(concept, name, results[failure === null ? 0 : 1]);
  if (fails === null && failure !== null) {
    if (check.values.size === 0) throw failure;
    const values = Array.from(check.values, ([variable, value]) => `${variable} = ${value}`).join(', ');
    throw new Error(`with ${values}: ${failure.message}`, { cause: failure });
  }
  if (fails !== null && failure === null) throw new Error(`passes, though it is skipped because: ${fails}`);
}

function record(concept, name, result) {
  const path = process.env.TENSPAN_CASE_LOG;
  if (path) appendFileSync(path, `${JSON.stringify({ concept, case: name, result })}\n`);
}

/** A path that no file has yet, in a folder of its own. */
export const temp = (name) => join(mkdtempSync(join(tmpdir(), 'tenspan-case-')), name);

/** The path of a file of tests/vectors. */
export const vector = (name) => join(fileURLToPath(new URL('../../vectors/', import.meta.url)), name);

export const read = (path) => new Uint8Array(readFileSync(path));
export const write = (path, data) => writeFileSync(path, data);
export const exists = (path) => existsSync(path);
/** Bytes: where a function takes any value, a typed array would be a tensor. */
export const bytes = (items) => Buffer.from(items);
export const keys = (map) => [...map.keys()];

/** The value of a key that must be there: `get` of a JavaScript map gives `undefined` for one that is not. */
export function lookup(map, key) {
  const value = map.get(key);
  if (value === undefined) fail('KeyError', `there is no \`${key}\``);
  return value;
}

export const len = (value) => value.length ?? value.size;
export const item = (value, position) => (value.at ? value.at(position) : value[position]);

/** The position of a value; `indexOf` gives -1 for one that is not there. */
export function positionOf(sequence, value) {
  const found = sequence.indexOf(value);
  return found === -1 ? null : found;
}

/** The function to try things with that is registered as `testing.name`. */
export function native(name) {
  tenspan.registerTestingFuncs();
  return tenspan.getGlobalFunc(`testing.${name}`);
}

export function fill(mapping, count) {
  for (let key = 0; key < count; key++) mapping.set(key, key * key);
}
export const range = (start, stop) => Array.from({ length: stop - start }, (_, i) => start + i);
export const repeat = (value, times) => Array.from({ length: times }, () => value);

/** A complex number. */
export const complex = (re, im) => ({ re, im });

/** The sum of two whole numbers, exact. */
export const plus = (a, b) => BigInt(a) + BigInt(b);

/** Lets go of an object now, where Rust and C++ destroy theirs. */
export const release = (object) => object.dispose();

/** Throws an error of a kind, as a callback of a user would. */
export function fail(kind, message) {
  throw Object.assign(new Error(message), { kind });
}
