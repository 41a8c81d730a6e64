// An independent judge of the spec: npm `webidl2` parses every file and applies the rules of WebIDL.
//
// Usage: node judge.mjs [folder]; without one, the spec of the project. Prints what is wrong and fails.

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { parse, validate } from 'webidl2';

// `[Exposed]` names the global objects of a browser that get an interface. There are none here.
const NOT_OURS = new Set(['require-exposed']);

const folder = process.argv[2] ?? fileURLToPath(new URL('../../spec', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.webidl')).sort();
const problems = [];
const trees = [];
for (const name of files) {
  try {
    trees.push(parse(readFileSync(join(folder, name), 'utf8'), { sourceName: `spec/${name}` }));
  } catch (error) {
    problems.push(error.message);
  }
}
if (problems.length === 0) {
  const rules = validate(trees).filter((problem) => !NOT_OURS.has(problem.ruleName));
  problems.push(...rules.map((problem) => `${problem.ruleName}: ${problem.message}`));
}
if (files.length === 0) problems.push(`${folder} holds no .webidl files`);
for (const problem of problems) console.error(problem);
console.log(`webidl2: ${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
