// The programs of the guide that are in JavaScript run as they stand there.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const guide = readFileSync(new URL('../../docs/memory.md', import.meta.url), 'utf8');
const programs = guide.split('```js\n').slice(1).map((part) => part.split('\n```', 1)[0]);

test('the guide has a program', () => assert.ok(programs.length > 0));

for (const [index, program] of programs.entries()) {
  test(`program ${index} of the guide runs`, async () => {
    // A module beside this one, so that it finds the package.
    const file = new URL(`guide-${process.pid}-${index}.mjs`, import.meta.url);
    writeFileSync(file, program);
    try {
      await import(file);
    } finally {
      rmSync(fileURLToPath(file));
    }
  });
}
