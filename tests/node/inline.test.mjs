// Inline modules: sources of C++ that are compiled while a program runs.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { CompileFailed, cpp } from 'tenspan';

const buildDirectory = mkdtempSync(join(tmpdir(), 'tenspan-inline-'));
after(() => rmSync(buildDirectory, { recursive: true }));

// Modules are loaded on Linux so far.
const options = process.platform === 'linux' ? {} : { skip: 'modules are loaded on Linux' };

const KERNEL = `
using tenspan::kernel::TensorView;

void add_one(TensorView x, TensorView y) {
  TENSPAN_CHECK_EQ(x.size(), y.size()) << "x and y must be of one size";
  for (std::int64_t i = 0; i < x.size(); ++i) y.data<float>()[i] = x.data<float>()[i] + 1;
}
std::int64_t twice(std::int64_t x) { return 2 * x; }
`;

test('an inline module is compiled and called', options, () => {
  const functions = { add_one: 'Adds one.', twice: '' };
  const module = cpp.loadInline('hello', KERNEL, { functions, buildDirectory });
  const x = Float32Array.of(1, 2, 3);
  const y = new Float32Array(3);
  module.add_one(x, y);
  assert.deepEqual([...y], [2, 3, 4]);
  assert.equal(module.twice(21), 42);
  assert.equal(module.getFunctionDoc('add_one'), 'Adds one.');
  assert.throws(() => module.add_one(x, new Float32Array(2)), { kind: 'AssertionError', message: /of one size/ });
  assert.throws(() => module.twice('a'), { kind: 'TypeError', message: /twice: argument 0 wants an integer/ });
});

test('what is compiled already is found again', options, () => {
  const options = { functions: ['twice'], buildDirectory };
  const path = cpp.buildInline('again', [KERNEL], options);
  const made = statSync(path).mtimeMs;
  assert.equal(cpp.buildInline('again', KERNEL, { ...options, functions: 'twice' }), path);
  assert.equal(statSync(path).mtimeMs, made);
});

test('the output of the compiler is in the error', options, () => {
  const broken = () => cpp.buildInline('broken', '\nint f() { return nonsense; }', { functions: 'f', buildDirectory });
  assert.throws(broken, (error) => error instanceof CompileFailed && /broken\.cpp:2:\d+: error: .*nonsense/.test(error.message));
});

test('files are compiled', options, () => {
  const source = join(buildDirectory, 'half.cpp');
  writeFileSync(source, '#include <tenspan/kernel.hpp>\nTENSPAN_EXPORT(half, [](double x) { return x / 2; });\n');
  assert.equal(cpp.load('files', source, { buildDirectory }).half(5), 2.5);
  assert.throws(() => cpp.build('files', [], { buildDirectory }), { kind: 'ValueError' });
});
