// What a call costs in Node, beside npm simsimd in the same run. Prints one JSON object: figures in ns, bars, whether they hold.

import simsimd from 'simsimd';
import { asarray, dot, getNumThreads, setNumThreads, zeros } from 'tenspan';

const FAST = { fast: true };
const BURST = 2000;
const ROUNDS = 400;

/** ns that a call takes in a burst of them. */
function burst(work) {
  const start = process.hrtime.bigint();
  work(BURST);
  return Number(process.hrtime.bigint() - start) / BURST;
}

/** Loops over an expression, each compiled by itself: one function for all would cost a call more. */
function loops(names, expressions) {
  const entries = Object.entries(expressions).map(([name, expression]) => {
    const code = `let sink = 0; for (let i = 0; i < n; i++) sink += ${expression}; return sink;`;
    const loop = new Function(...Object.keys(names), 'n', code);
    return [name, (n) => loop(...Object.values(names), n)];
  });
  return Object.fromEntries(entries);
}

/** For each work the lowest tenth of its bursts, which take turns so that all meet the same machine. */
function measure(works) {
  const names = Object.keys(works);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) for (let i = 0; i < 20; i++) burst(works[name]);
  for (let i = 0; i < ROUNDS; i++) for (const name of names) samples[name].push(burst(works[name]));
  const low = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 10)];
  return Object.fromEntries(names.map((name) => [name, Math.round(low(samples[name]) * 10) / 10]));
}

const array = (n) => Float32Array.from({ length: n }, (_, i) => Math.sin(i));
const [a4, b4, a1536, b1536] = [array(4), array(4), array(1536), array(1536)];
const [t4, u4, t1536, u1536] = [zeros([4]), zeros([4]), zeros([1536]), zeros([1536])];
t1536.data.set(a1536);
u1536.data.set(b1536);
const lent = asarray(a4);
const threads = getNumThreads();
const names = { a4, b4, a1536, b1536, t4, u4, t1536, u1536, lent, threads, dot, getNumThreads, setNumThreads, simsimd, FAST };

const ns = measure(loops(names, {
  'nothing': 'i',
  'no argument': 'getNumThreads()',
  'a number': 'setNumThreads(threads)',
  'a tensor': 't4.ndim',
  'a tensor over an array': 'lent.ndim',
  'two tensors: dot of 4': 'dot(t4, u4)',
  'two tensors: dot of 1536': 'dot(t1536, u1536)',
  'shape': 't4.shape.length',
  'rows': 't4.rows(0, 2) === null',
  'arrays: dot of 4': 'dot(a4, b4)',
  'arrays: dot of 4, simsimd': 'simsimd.dot(a4, b4)',
  'arrays: dot of 1536': 'dot(a1536, b1536)',
  'arrays: dot of 1536, fast': 'dot(a1536, b1536, FAST)',
  'arrays: dot of 1536, simsimd': 'simsimd.dot(a1536, b1536)',
}));
const bars = {
  'a number <= 45': ns['a number'] <= 45,
  'a tensor <= 60': ns['a tensor'] <= 60,
  'dot of 4 <= simsimd': ns['arrays: dot of 4'] <= ns['arrays: dot of 4, simsimd'],
  'dot of 1536 <= simsimd': ns['arrays: dot of 1536'] <= ns['arrays: dot of 1536, simsimd'],
};
console.log(JSON.stringify({ node: process.version, ns, bars }, null, 2));
