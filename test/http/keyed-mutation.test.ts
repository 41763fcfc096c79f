// For which mutations of GraphQL an Idempotency-Key is kept (CONTRACT.md 0 "Idempotency").
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type NewDatabase, newDatabase } from '../new-database.js';
import { seen } from './note.js';
import { asAda, openPlatform, type RunningServer, recordingLogger, send, startServer } from './notes.js';

let database: NewDatabase;
let server: RunningServer;
const { log, lines } = recordingLogger();

beforeAll(async () => {
  database = await newDatabase();
  server = await startServer({ platform: openPlatform({ databaseUrl: database.url, log }) });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
afterEach(() => {
  lines.length = 0;
});

const mutation = 'mutation ($t: String!) { writeNote(input: {bodyText: $t}) { id text } }';
const keyed = (key: string) => ({ ...asAda, 'idempotency-key': key });

describe('an Idempotency-Key', () => {
  it('is kept for no mutation that has no effect, or that @skip or @include leaves out', async () => {
    const headers = keyed(randomUUID());
    expect((await send(server.url, 'mutation { rehearse }', headers)).body).toEqual({ data: { rehearse: 'A note would be written.' } });
    const leftOut = [
      mutation.replace(') { id text }', ') @skip(if: true) { id text }'),
      mutation.replace(') { id text }', ') @include(if: false) { id text }'),
      'mutation ($t: String!) { ...written @skip(if: true) } fragment written on Mutation { writeNote(input: {bodyText: $t}) { id text } }',
      'mutation ($t: String!, $skip: Boolean = true) { ... @skip(if: $skip) { writeNote(input: {bodyText: $t}) { id text } } }',
    ];
    const before = seen.runs;
    for (const query of leftOut) expect((await send(server.url, query, headers, { t: 'left out' })).body).toEqual({ data: {} });
    expect(seen.runs).toBe(before);
    expect(lines).toEqual([]);
    const runs = await send(server.url, leftOut[3] ?? '', headers, { t: 'runs', skip: false });
    expect(runs.body.data).toMatchObject({ writeNote: { text: 'runs' } });
    const again = await send(server.url, leftOut[3] ?? '', headers, { t: 'runs', skip: false });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('leaves a directive or variable that is wrong to the execution', async () => {
    for (const wrong of ['@skip', '@skip(if: "yes")', '@skip(if: $missing)']) {
      const query = mutation.replace(') { id text }', `) ${wrong} { id text }`);
      expect((await send(server.url, query, keyed(randomUUID()), { t: 'wrong' })).status).toBe(400);
    }
    expect((await send(server.url, mutation, keyed(randomUUID()), { t: 5 })).status).toBe(400);
  });
});
