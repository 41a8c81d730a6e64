// Errors of tenspan, and errors that only pass through it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import {
  KeyError,
  Metadata,
  RuntimeError,
  ShapeMismatch,
  TenspanError,
  ValueError,
  asarray,
  getGlobalFunc,
  open,
  quantizeFile,
  registerError,
  registerTestingFuncs,
  save,
  zeros,
} from 'tenspan';

registerTestingFuncs();
const raise = getGlobalFunc('testing.raise');
const apply = getGlobalFunc('testing.apply');
const echo = getGlobalFunc('testing.echo');

const folder = mkdtempSync(join(tmpdir(), 'tenspan-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}

test('an error has a kind, a code and the caller on its stack', () => {
  const error = thrown(() => zeros([2, 3]).reshape([5]));
  assert.ok(error instanceof TenspanError && error instanceof Error);
  assert.ok(error instanceof ShapeMismatch);
  assert.equal(error.name, 'ShapeMismatch');
  assert.equal(error.kind, 'ShapeMismatch');
  assert.equal(error.code, 'ERR_TENSPAN_SHAPE_MISMATCH');
  assert.match(error.message, /shape \[5\].*6/);
  assert.match(error.stack.split('\n')[1], /Tensor\.reshape/);
  assert.match(error.stack, /errors\.test\.mjs/);
});

test('kinds that JavaScript has a class for are of that class', () => {
  const wrong = thrown(() => zeros('x'));
  assert.ok(wrong instanceof TypeError);
  assert.equal(wrong.code, 'ERR_TENSPAN_TYPE_ERROR');
  assert.match(wrong.message, /zeros: argument 0 \(`shape`\) wants a list.*found the string "x"/);
  assert.ok(thrown(() => zeros([2]).select(0, 5)) instanceof RangeError);
  assert.equal(thrown(() => zeros([-1])).kind, 'ValueError');
  assert.ok(thrown(() => zeros()) instanceof TypeError);
});

test('codes are the kinds in capitals', () => {
  const code = (work) => thrown(work).code;
  assert.equal(code(() => open(join(folder, 'absent.gguf'))), 'ERR_TENSPAN_OS_ERROR');
  writeFileSync(join(folder, 'bad.gguf'), 'GGUF\x09\0\0\0');
  assert.equal(code(() => open(join(folder, 'bad.gguf'))), 'ERR_TENSPAN_INVALID_FILE');
  assert.equal(code(() => zeros([3], { dtype: 'q4_k' })), 'ERR_TENSPAN_BLOCK_MISMATCH');
  assert.equal(code(() => new Metadata().typeOf('x')), 'ERR_TENSPAN_KEY_ERROR');
  assert.equal(code(() => zeros([1], { dtype: 'nonsense' })), 'ERR_TENSPAN_VALUE_ERROR');
});

test('an absurd size is an error, not a crash', () => {
  assert.throws(() => zeros([2 ** 50]), (error) => error.kind === 'MemoryError' || error.kind === 'OverflowError');
  assert.throws(() => zeros([2n ** 64n]), RangeError);
  assert.throws(() => zeros([2 ** 40, 2 ** 40]), RangeError);
  assert.throws(() => zeros([1.5]), TypeError);
});

function source() {
  const path = join(folder, 'source.safetensors');
  save(path, { a: asarray(new Float32Array(512)).reshape([2, 256]), b: asarray(new Float32Array(256)).reshape([1, 256]) });
  return path;
}

test('a callback is told of every step', () => {
  const seen = [];
  const reports = quantizeFile(source(), join(folder, 'q.gguf'), 'q8_0', { progress: (done, total) => seen.push([done, total]) });
  assert.ok(seen.length >= 2);
  const [done, total] = seen.at(-1);
  assert.equal(done, total);
  assert.deepEqual(reports.map(({ name, to }) => [name, to]), [['a', 'q8_0'], ['b', 'q8_0']]);
  assert.deepEqual(reports[0].shape, [2, 256]);
});

const THROWN = [new RangeError('mine'), { any: 'object' }, 'text', 42, null, undefined, Symbol('s'), () => 1];
for (const value of THROWN) {
  test(`a callback that throws ${typeof value} ${value === null} ends the work with that very value`, () => {
    let caught = 'nothing';
    let calls = 0;
    try {
      quantizeFile(source(), join(folder, 'never.gguf'), 'q8_0', {
        progress() {
          calls += 1;
          throw value;
        },
      });
    } catch (error) {
      caught = error;
    }
    assert.equal(caught, value);
    assert.equal(calls, 1);
  });
}

test('an error of tenspan thrown in a callback comes back as it was', () => {
  let inner;
  const outer = thrown(() =>
    quantizeFile(source(), join(folder, 'never.gguf'), 'q8_0', {
      progress() {
        inner = thrown(() => zeros([2]).reshape([3]));
        throw inner;
      },
    }),
  );
  assert.equal(outer, inner);
});

test('a callback may return anything', () => {
  for (const result of [undefined, 1, {}, new Date(), Promise.resolve()]) {
    quantizeFile(source(), join(folder, 'q.gguf'), 'q8_0', { progress: () => result });
  }
});

test('what is no function is refused', () => {
  assert.throws(() => quantizeFile(source(), join(folder, 'q.gguf'), 'q8_0', { progress: 3 }), TypeError);
});

test('each kind has a class', () => {
  const kinds = [
    ['ValueError', ValueError],
    ['KeyError', KeyError],
    ['RuntimeError', RuntimeError],
    ['ShapeMismatch', ShapeMismatch],
    ['TypeError', TypeError],
    ['IndexError', RangeError],
    ['OverflowError', RangeError],
  ];
  for (const [kind, Class] of kinds) {
    const error = thrown(() => raise(kind, 'told'));
    assert.ok(error instanceof Class, kind);
    assert.equal(error.kind, kind);
    assert.equal(error.message, 'told');
    assert.match(error.stack, /errors\.test\.mjs/);
  }
  assert.ok(thrown(() => raise('ValueError', 'x')) instanceof TenspanError);
});

test('a kind that nobody knows is a RuntimeError with its name', () => {
  const error = thrown(() => raise('SpecialError', 'x'));
  assert.ok(error instanceof RuntimeError);
  assert.deepEqual([error.name, error.kind, error.code], ['SpecialError', 'SpecialError', 'ERR_TENSPAN_SPECIAL_ERROR']);
});

test('a class may be registered for a kind', () => {
  class MineError extends Error {}
  assert.equal(registerError('MineError', MineError), MineError);
  const error = thrown(() => raise('MineError', 'x'));
  assert.ok(error instanceof MineError);
  assert.equal(error.kind, 'MineError');
  assert.throws(() => registerError('x', class {}), TypeError);
  assert.throws(() => registerError(5, Error), TypeError);
});

test('an exception comes home as the same object, through any number of languages', () => {
  class Custom extends RangeError {
    constructor(message, options) {
      super(message, options);
      this.detail = { any: 'thing' };
    }
  }
  const cause = new Error('the cause');
  for (const value of [new Custom('mine', { cause }), new Error('x'), 'text', 5, null, undefined, Symbol('s'), { a: 1 }]) {
    let caught = 'nothing';
    const rethrow = (n) => {
      if (n === 0) throw value;
      return apply(rethrow, n - 1);
    };
    try {
      apply(rethrow, 5);
    } catch (error) {
      caught = error;
    }
    assert.equal(caught, value);
  }
});

test('an error of core that passes through JavaScript stays the same object', () => {
  let inner;
  const outer = thrown(() =>
    apply(() => {
      inner = thrown(() => raise('KeyError', 'k'));
      throw inner;
    }),
  );
  assert.equal(outer, inner);
  assert.ok(outer instanceof KeyError);
});

test('errors are values too', () => {
  const mine = new TypeError('mine');
  assert.equal(echo(mine), mine);
  assert.equal(echo([mine]).at(0), mine);
  const theirs = thrown(() => raise('OSError', 'x'));
  assert.equal(echo(theirs), theirs);
});

test('errors whose members cannot be read are thrown all the same', () => {
  const odd = Object.defineProperties(new Error('x'), {
    // First: the engine writes the stack, and so reads the message, before it lets the property be replaced.
    stack: { get() { throw 3; } },
    message: { get() { throw 1; } },
    cause: { get() { throw 2; } },
    kind: { value: {} },
  });
  assert.equal(thrown(() => apply(() => { throw odd; })), odd);
  const circular = new Error('x');
  circular.cause = circular;
  assert.equal(thrown(() => apply(() => { throw circular; })), circular);
  const silent = { toString() { throw 1; } };
  assert.equal(thrown(() => apply(() => { throw silent; })), silent);
});

test('a panic is an error', () => {
  const error = thrown(() => getGlobalFunc('testing.panic')('on purpose'));
  assert.equal(error.kind, 'InternalError');
  assert.match(error.message, /on purpose/);
  assert.equal(echo(1), 1);
});
