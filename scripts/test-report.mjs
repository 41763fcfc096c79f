// Reads the reports of vitest for `.ci/run`. A file that failed runs once more by itself, when nothing else does: what passes then is unsteady.
//   node scripts/test-report.mjs failed REPORT             the files that failed, a line each; none where more than a few did
//   node scripts/test-report.mjs end STATUS REPORT [REPORT OF THE SECOND RUN]    what failed, what was unsteady, and the last line of CI
import { readFileSync } from 'node:fs';

/** More than these are no accident. */
const mostAgain = 6;

const [command, ...given] = process.argv.slice(2);
if (command === 'failed') printFailed(read(given[0]));
else if (command === 'end') printEnd(given[0] === '0', read(given[1]), read(given[2]));
else throw new Error('expected failed or end');

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function failedFiles(report) {
  return report.testResults.filter(({ status }) => status === 'failed');
}

function printFailed(report) {
  const files = report === undefined ? [] : failedFiles(report);
  if (files.length <= mostAgain) for (const { name } of files) console.log(name);
}

/** Files that do not even load, and a run that ends in an error of its own, count as failures: never 0 when vitest said no. */
function printEnd(isSuccess, first, second) {
  if (first === undefined) {
    console.log('0 passed, 1 failed');
    return;
  }
  const again = second?.testResults ?? [];
  const ranAgain = (file) => again.some(({ name }) => name === file.name);
  const files = [...first.testResults.filter((file) => !ranAgain(file)), ...again];
  for (const file of failedFiles({ testResults: files })) printFile('FAILED', file);
  for (const file of failedFiles(first)) {
    const isUnsteady = again.some(({ name, status }) => name === file.name && status === 'passed');
    if (isUnsteady) printFile('UNSTEADY, passed when it ran by itself', file);
  }
  const count = (status) => files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
  const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'));
  const failures = count('failed') + unloaded.length;
  console.log(`${count('passed')} passed, ${failures === 0 && !isSuccess ? 1 : failures} failed`);
}

function printFile(word, { name, message, assertionResults }) {
  console.log(`${word}: ${name}`);
  const tests = assertionResults.filter(({ status }) => status === 'failed');
  if (tests.length === 0) console.log(`  ${message}`);
  for (const { fullName, failureMessages } of tests) {
    console.log(`  ${fullName}\n    ${failureMessages.join('\n').slice(0, 600).replaceAll('\n', '\n    ')}`);
  }
}
