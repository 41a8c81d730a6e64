// What each worker of threads.test.mjs does.

import { parentPort, workerData } from 'node:worker_threads';

import { getGlobalFunc, registerGlobalFunc } from 'tenspan';

const { register, calls, adds, sleeps } = workerData;

if (register && calls) registerGlobalFunc(register, () => getGlobalFunc(calls)());
if (adds) {
  registerGlobalFunc(register, (a, b) => (typeof a === 'number' ? a + b : 'not numbers'));
  registerGlobalFunc(
    `${register.replace(/\.\w+$/, '')}.down`,
    (n) => (n === 0 ? 'bottom' : getGlobalFunc('node.down')(n - 1)),
    { override: true },
  );
  parentPort.postMessage('ready');
}
if (sleeps) {
  registerGlobalFunc(register, () => {
    parentPort.postMessage('sleeping');
    for (;;);
  });
  parentPort.postMessage('ready');
}

function call(name, args) {
  try {
    return { result: getGlobalFunc(name)(...args) };
  } catch ({ name, kind, message }) {
    return { name, kind, message };
  }
}

function many(name, count) {
  const f = getGlobalFunc(name);
  let sum = 0;
  for (let i = 1; i <= count; i++) sum = f(sum, i);
  return { sum };
}

parentPort.on('message', (message) => {
  if (message.do === 'end') return parentPort.close();
  parentPort.postMessage(message.do === 'many' ? many(message.name, message.count) : call(message.name, message.args));
});
