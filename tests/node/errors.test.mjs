// Errors of tenspan, and errors that only pass through it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Metadata, TenspanError, asarray, open, quantizeFile, save, zeros } from 'tenspan';

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
  assert.equal(error.name, 'TenspanError');
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
  assert.match(wrong.message, /zeros: argument `shape` wants a list.*found the string "x"/);
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
