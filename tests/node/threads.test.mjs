// Functions of JavaScript called from other threads: native ones and workers. None of it hangs.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { getGlobalFunc, registerGlobalFunc, registerTestingFuncs, removeGlobalFunc, zeros } from 'tenspan';

registerTestingFuncs();
const timeout = 60_000;

/** A worker of caller.mjs, and what it answers. */
function worker(data) {
  const made = new Worker(new URL('caller.mjs', import.meta.url), { workerData: data });
  const answers = [];
  const waiting = [];
  made.on('message', (message) => (waiting.length > 0 ? waiting.shift()(message) : answers.push(message)));
  const next = () => (answers.length > 0 ? answers.shift() : new Promise((resolve) => waiting.push(resolve)));
  const ask = (message) => {
    made.postMessage(message);
    return next();
  };
  const end = () => new Promise((resolve) => made.on('exit', resolve).postMessage({ do: 'end' }));
  return { next, ask, end, made };
}

/** Runs a program that must end by itself. */
function program(source, env = {}) {
  const run = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', source], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 50_000,
  });
  assert.equal(run.signal, null, `${run.signal} ${run.stderr}`);
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim();
}

const SETUP = `
  import { getGlobalFunc, registerGlobalFunc, registerTestingFuncs, zeros } from 'tenspan';
  registerTestingFuncs();
  const testing = (name) => getGlobalFunc('testing.' + name);
`;

test('a function of core runs in another thread', { timeout }, () => {
  const inThread = getGlobalFunc('testing.apply_in_thread');
  assert.equal(inThread(getGlobalFunc('testing.add_one'), 4), 5);
  const error = (() => {
    try {
      return inThread(getGlobalFunc('testing.raise'), 'KeyError', 'k');
    } catch (error) {
      return error;
    }
  })();
  assert.equal(error.kind, 'KeyError');
});

test('a thread that this one waits for gets an error when it calls back, and does not wait for ever', { timeout }, () => {
  const said = program(
    `${SETUP}
    let ran = 0;
    try {
      testing('apply_in_thread')(() => (ran += 1));
      console.log('no error');
    } catch (error) {
      console.log(error.kind, /waits for this one/.test(error.message), ran);
    }
    console.log(testing('apply')(() => 'still works'));`,
    { TENSPAN_PATIENCE_MS: '300' },
  );
  assert.equal(said, 'RuntimeError true 0\nstill works');
});

test('a function that another thread lets go of is freed', { timeout }, () => {
  const said = program(`${SETUP}
    let freed = 0;
    const registry = new FinalizationRegistry(() => (freed += 1));
    (() => {
      for (let i = 0; i < 50; i++) {
        const f = () => i;
        registry.register(f, i);
        testing('keep')(f);
        testing('keep')([{ f }, new (class { f = f })()]);
      }
    })();
    console.log(testing('release')());
    for (let i = 0; i < 50 && freed < 45; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      globalThis.gc();
    }
    console.log(freed >= 45);`);
  assert.equal(said, '100\ntrue');
});

test('a process that registered functions ends', { timeout }, () => {
  assert.equal(program(`${SETUP} registerGlobalFunc('node.stays', () => 1); testing('keep')(() => 1); console.log('done');`), 'done');
});

test('a function of this thread runs here when a worker calls it', { timeout }, async () => {
  const seen = [];
  registerGlobalFunc('node.here', (...args) => {
    seen.push(args);
    return args.length;
  });
  const { ask, end } = worker({});
  assert.deepEqual(await ask({ do: 'call', name: 'node.here', args: [1, 'two', [3]] }), { result: 3 });
  assert.equal(seen.length, 1);
  assert.deepEqual(seen[0].slice(0, 2), [1, 'two']);
  assert.equal(seen[0][2].at(0), 3);
  removeGlobalFunc('node.here');
  await end();
});

test('what a function throws comes to the worker by its kind, and home as itself', { timeout }, async () => {
  const mine = new TypeError('mine');
  registerGlobalFunc('node.throws', () => {
    throw mine;
  });
  let caught;
  registerGlobalFunc('node.through', (name) => {
    try {
      getGlobalFunc(name)();
    } catch (error) {
      caught = error;
    }
  });
  const { ask, end } = worker({ register: 'node.worker.rethrows', calls: 'node.throws' });
  assert.deepEqual(await ask({ do: 'call', name: 'node.throws', args: [] }), { name: 'TypeError', kind: 'TypeError', message: 'mine' });
  // Here → the worker → here → the worker → here: the very object that was thrown.
  getGlobalFunc('node.through')('node.worker.rethrows');
  assert.equal(caught, mine);
  for (const name of ['node.throws', 'node.through']) removeGlobalFunc(name);
  await end();
});

test('a function of a worker runs there, and workers and this thread call each other in turn', { timeout }, async () => {
  const { next, end } = worker({ register: 'node.worker.add', adds: true });
  assert.equal(await next(), 'ready');
  const add = getGlobalFunc('node.worker.add');
  assert.equal(add(2, 3), 5);
  registerGlobalFunc('node.down', (n) => (n === 0 ? 'bottom' : getGlobalFunc('node.worker.down')(n - 1)));
  assert.equal(getGlobalFunc('node.worker.down')(20), 'bottom');
  assert.equal(add(zeros([2]), 1), 'not numbers');
  await end();
  removeGlobalFunc('node.down');
  assert.throws(() => add(2, 3), (error) => error.kind === 'RuntimeError' && /has ended/.test(error.message));
  removeGlobalFunc('node.worker.add');
  removeGlobalFunc('node.worker.down');
});

test('workers call functions of each other from all sides', { timeout }, async () => {
  const workers = Array.from({ length: 3 }, (_, i) => worker({ register: `node.side${i}`, adds: true }));
  for (const { next } of workers) assert.equal(await next(), 'ready');
  const rounds = workers.map(({ ask }, i) => ask({ do: 'many', name: `node.side${(i + 1) % 3}`, count: 200 }));
  for (const answer of await Promise.all(rounds)) assert.deepEqual(answer, { sum: 20_100 });
  for (const { end } of workers) await end();
  for (let i = 0; i < 3; i++) removeGlobalFunc(`node.side${i}`);
});

test('a worker that is ended in the middle of a call leaves an error, not a hang', { timeout }, async () => {
  const { next, made } = worker({ register: 'node.worker.sleeps', sleeps: true });
  assert.equal(await next(), 'ready');
  const caller = worker({});
  const answer = caller.ask({ do: 'call', name: 'node.worker.sleeps', args: [] });
  assert.equal(await next(), 'sleeping');
  await made.terminate();
  const { kind } = await answer;
  assert.ok(kind !== undefined, 'an error');
  await caller.end();
  removeGlobalFunc('node.worker.sleeps');
});
