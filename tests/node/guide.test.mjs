// The programs of the guides and of the reference that are in JavaScript run as they stand there.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const guides = new URL('../../docs/', import.meta.url);
// Modules are loaded on Linux so far.
const skipped = process.platform === 'linux' ? [] : ['modules.md', 'reference/object.md'];
const pages = [...readdirSync(guides), ...readdirSync(new URL('reference/', guides)).map((page) => `reference/${page}`)];
let count = 0;

for (const guide of pages) {
  if (!guide.endsWith('.md') || skipped.includes(guide)) continue;
  const text = readFileSync(new URL(guide, guides), 'utf8');
  const programs = text.split('```js\n').slice(1).map((part) => part.split('\n```', 1)[0]);
  for (const [index, program] of programs.entries()) {
    count++;
    test(`program ${index} of ${guide} runs`, async () => {
      // A module beside this one, so that it finds the package.
      const file = new URL(`guide-${process.pid}-${guide.replace('/', '-')}-${index}.mjs`, import.meta.url);
      writeFileSync(file, program);
      try {
        await import(file);
      } finally {
        rmSync(fileURLToPath(file));
      }
    });
  }
}

test('there are programs', () => assert.ok(count >= 9));
