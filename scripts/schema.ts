// Prints what the outside sees, from the code: schema.graphql from the builder, operations.graphql from the routes of its fields,
// openapi.json from these and the rest.graphql files, the types of what the console asks of them, the form of a pack of evidence, the guards
// of tables, the lifecycles of nouns, the versions of protocols, and the gaps of the specification.
//   npm run schema         writes all of it
//   npm run schema:check   exits 1 when a committed file is not what would be written
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printed } from './printed.js';

const at = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

function committed(name: string): string {
  try {
    return readFileSync(at(name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Number of the first line in which two texts differ, from 1; 0 when they are the same. */
function firstDifference(a: string, b: string): number {
  if (a === b) return 0;
  const lines = b.split('\n');
  return a.split('\n').findIndex((line, index) => line !== lines[index]) + 1 || lines.length;
}

const checks = process.argv.includes('--check');
for (const [name, text] of Object.entries(printed)) {
  const line = firstDifference(text, committed(name));
  if (line === 0) continue;
  if (checks) {
    process.stderr.write(`${name} is not what the code says (line ${line}): run \`npm run schema\` and commit it\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(at(name), text);
    process.stdout.write(`${name} written\n`);
  }
}
