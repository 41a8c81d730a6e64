// What a call of a function costs in Node, beside npm koffi in the same run. Prints one JSON object: figures in ns, bars, whether
// they hold.

import koffi from 'koffi';
import { List, Map as TenMap, getGlobalFunc, registerTestingFuncs, zeros } from 'tenspan';

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

// A function of three numbers that every system has.
const fma = koffi.load(process.platform === 'win32' ? 'ucrtbase.dll' : 'libm.so.6').func('double fma(double, double, double)');

registerTestingFuncs();
const [nop, count, echo, apply, repeat] = ['nop', 'count', 'echo', 'apply', 'repeat'].map((name) => getGlobalFunc(`testing.${name}`));
const tensor = zeros([4]);
const list = new List([1, 2, 3]);
const map = new TenMap({ a: 1, b: 2, c: 3 });
const same = (x) => x;
const names = { fma, nop, count, echo, apply, repeat, tensor, list, map, same };

const ns = measure(loops(names, {
  'nothing': 'i',
  'f()': '(nop(), i)',
  'f(number)': '(nop(i), i)',
  'f(3 numbers)': 'count(i, 2.5, 3)',
  'f(3 numbers), koffi': 'fma(i, 2.5, 3)',
  'f(tensor)': '(nop(tensor), i)',
  'f(3 tensors)': '(nop(tensor, tensor, tensor), i)',
  'echo(number)': 'echo(i)',
  'echo(tensor)': '(echo(tensor), i)',
  'echo("hello")': 'echo("hello").length',
  'callback(number)': 'apply(same, i)',
  'callback, each further time': 'repeat(same, 10) / 10',
  'list.at(1)': 'list.at(1)',
  'map.get("b")': 'map.get("b")',
}));
ns['callback, each further time'] = Math.round(ns['callback, each further time']) / 10;
const bars = {
  'f(3 numbers) <= koffi': ns['f(3 numbers)'] <= ns['f(3 numbers), koffi'],
  'f(tensor) <= 60': ns['f(tensor)'] <= 60,
};
console.log(JSON.stringify({ node: process.version, ns, bars }, null, 2));
