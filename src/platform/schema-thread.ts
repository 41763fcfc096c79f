// The thread that JSON Schemas run in: it is asked for one list of checks at a time, by its checker alone (schema-checker.ts).
import { parentPort } from 'node:worker_threads';
import { type CheckedSchemas, checkSchemas, type SchemaCheck } from './json-schema.js';

/** What the thread says: it is warm, what it begins, what it found and how many milliseconds that took. */
export type ThreadNotice =
  | { kind: 'ready'; probeMs: number }
  | { kind: 'step'; path: SchemaCheck['path']; work: string }
  | { kind: 'checked'; checked: CheckedSchemas; tookMs: number };

/** A check whose work is known: a machine that takes long for it is busy with something else. */
const properties = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, { type: 'string', pattern: `^[a-z]{1,9}-${n}$` }]));
const value = Object.fromEntries(Object.keys(properties).map((name, n) => [name, `probe-${n}`]));
const probe: readonly SchemaCheck[] = ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'].map(
  ($schema) => ({ schema: { $schema, type: 'object', properties }, path: [], isGiven: true, values: [{ value, path: [] }] }),
);

/** The milliseconds that `work` takes. */
function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const runProbe = () => void checkSchemas(probe, () => {});
const say = (notice: ThreadNotice) => parentPort?.postMessage(notice);

parentPort?.on('message', (checks: readonly SchemaCheck[]) => {
  const began = performance.now();
  const checked = checkSchemas(checks, ({ path, work }) => say({ kind: 'step', path, work }));
  say({ kind: 'checked', checked, tookMs: performance.now() - began });
});
// The first run loads and compiles what every later one finds there.
runProbe();
say({ kind: 'ready', probeMs: timed(runProbe) });
