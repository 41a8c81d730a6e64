// What each worker of workers.test.mjs does.

import { parentPort, workerData } from 'node:worker_threads';

import { asarray, open, quantize, quantizeFile, zeros } from 'tenspan';

const { index, path, shared } = workerData;
const array = asarray(new Float32Array(shared));
array.data[index] = index + 1;

// Held until the worker ends, when the engine must let all of it go.
const file = open(path);
globalThis.kept = [array, zeros([1 << 16]), zeros([3]).data, quantize(new Float32Array(256), 'q4_k'), file, file.get('w').data];

let refused;
try {
  zeros([2]).reshape([3]);
} catch (error) {
  refused = error.code;
}
let steps = 0;
quantizeFile(path, `${path}.${index}`, 'q8_0', { progress: () => (steps += 1) });
parentPort.postMessage({ sum: file.get('w').tolist(), refused, told: steps > 0 });
if (index % 2) process.exit(0);
