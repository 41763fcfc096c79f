// One key, one effect, through REST-like handlers and through GraphQL (CONTRACT.md 0 "Idempotency").
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../src/http/state.js';
import { sweepClaims } from '../../src/ledger/sweep.js';
import { addSeconds, type Clock } from '../../src/platform/clock.js';
import type { Ctx } from '../../src/platform/ctx.js';
import type { Answer } from '../../src/platform/idempotency.js';
import { type NewDatabase, newDatabase } from '../new-database.js';
import { seen, writeNote } from './note.js';
import { asAda, openPlatform, type RunningServer, recordingLogger, send, startServer, workspaceId } from './notes.js';

let database: NewDatabase;
let server: RunningServer;
let other: RunningServer;
let hold: Promise<void> | undefined;
let now = new Date();
const clock: Clock = { now: () => now };
const { log, lines } = recordingLogger();

/** POST /notes {text, dryPen?, secret?}: what src/rest does with an operation, by hand. */
function notes(keys: () => RunningServer): Handler {
  return async (http) => {
    const body = JSON.parse(http.get('X-Body') || '{}') as { text: string; dryPen?: boolean; careless?: boolean };
    const ctx = http.state.ctx as Ctx;
    const run = async (): Promise<Answer> => {
      await hold;
      if (body.careless === true) return { status: 200, body: {}, secretless: () => ({}) };
      const note = await writeNote(ctx, body.text, body.dryPen);
      const secret = ctx.idempotency?.replayOf === undefined ? { secret: 'whsec_once' } : {};
      return { status: 201, body: { data: { ...note, ...secret } }, secretless: () => ({ data: note }) };
    };
    const key = http.req.headers['idempotency-key'] as string | undefined;
    const answer = await keys().keys.run(ctx, { key, operation: `POST ${http.path}`, content: body }, run);
    http.status = answer.status;
    http.type = 'application/json';
    if (answer.replayed === true) http.set('Idempotent-Replayed', 'true');
    http.body = answer.body as object;
  };
}

beforeAll(async () => {
  database = await newDatabase();
  const open = () => openPlatform({ databaseUrl: database.url, clock, log });
  server = await startServer({ platform: open(), handler: notes(() => server) });
  other = await startServer({ platform: open(), handler: notes(() => other) });
});
afterAll(async () => {
  await server.close();
  await other.close();
  await database.drop();
});
afterEach(() => {
  hold = undefined;
  now = new Date();
  lines.length = 0;
});

async function write(key: string | undefined, body: object, to = server, headers: Record<string, string> = asAda, path = '/notes') {
  const response = await fetch(to.url + path, {
    method: 'POST',
    headers: { ...headers, 'x-body': JSON.stringify(body), ...(key === undefined ? {} : { 'idempotency-key': key }) },
  });
  const replayed = response.headers.get('idempotent-replayed');
  return {
    status: response.status,
    replayed,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as { data: { id: string; text: string; secret?: string }; code?: string; details?: object },
  };
}
const rowsOf = async () =>
  (await server.platform.database.pool.query('SELECT * FROM claim LEFT JOIN keyed_answer USING (workspace_id, expires_at, key)')).rows as {
    body: string | null;
    reference: string;
  }[];
const stored = (id: string) =>
  expect.poll(async () => (await rowsOf()).find(({ reference }) => reference === id)?.body ?? '').toContain(id);

describe('2xx', () => {
  it('a second call has no second effect and the same answer, secrets left out', async () => {
    const key = randomUUID();
    const first = await write(key, { text: 'a' });
    expect(first).toMatchObject({ status: 201, replayed: null, body: { data: { text: 'a', secret: 'whsec_once' } } });
    await stored(first.body.data.id);
    const { id, text } = first.body.data;
    expect(await write(key, { text: 'a' })).toMatchObject({ status: 201, replayed: 'true', body: { data: { id, text } } });
    expect(await write(`"${key}"`, { text: 'a' }, other)).toMatchObject({ status: 201, replayed: 'true', body: { data: { id, text } } });
    expect(JSON.stringify(await rowsOf())).not.toContain('whsec_');
    const { rows } = await server.platform.database.pool.query("SELECT count(*)::int AS n FROM event WHERE data ->> 'text' = 'a'");
    expect(rows[0]).toEqual({ n: 1 });
  });

  it('renders from the reference when the body was never stored', async () => {
    const key = randomUUID();
    const first = await write(key, { text: 'b' });
    await stored(first.body.data.id);
    await server.platform.database.pool.query('DELETE FROM keyed_answer');
    const again = await write(key, { text: 'b' });
    expect(again).toMatchObject({ status: 201, replayed: 'true' });
    expect(again.body.data).toEqual({ id: first.body.data.id, text: 'b' });
  });

  it('fifty at once have one effect', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => write(key, { text: 'c' }, n % 2 === 0 ? server : other)));
    const { rows } = await server.platform.database.pool.query("SELECT count(*)::int AS n FROM event WHERE data ->> 'text' = 'c'");
    expect(rows[0]).toEqual({ n: 1 });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'idempotency_in_flight',
      details: { retry: { same_key: true } },
    });
  });

  it('scopes a key by actor and by operation', async () => {
    const key = randomUUID();
    const ids = [
      await write(key, { text: 'd' }),
      await write(key, { text: 'd' }, server, { authorization: 'Bearer pk_live_bob' }),
      await write(key, { text: 'd' }, server, { authorization: 'Bearer sess_ada' }),
      await write(key, { text: 'd' }, server, asAda, '/other-notes'),
    ].map(({ body }) => body.data.id);
    expect(new Set(ids).size).toBe(4);
  });

  it('takes members in any order for the same request', async () => {
    const key = randomUUID();
    const first = await write(key, { text: 'e', dryPen: false });
    expect((await write(key, { dryPen: false, text: 'e' })).body.data.id).toBe(first.body.data.id);
  });

  it('lets a key be used again after a day', async () => {
    const key = randomUUID();
    const writtenAt = now;
    const first = await write(key, { text: 'f' });
    await stored(first.body.data.id);
    now = addSeconds(writtenAt, 86_399);
    expect((await write(key, { text: 'f' })).replayed).toBe('true');
    now = addSeconds(writtenAt, 86_402);
    const later = await write(key, { text: 'f' });
    expect(later).toMatchObject({ status: 201, replayed: null });
    expect(later.body.data.id).not.toBe(first.body.data.id);
  });

  it('ignores the key of a caller without a credential', async () => {
    const handled = await write(randomUUID(), { careless: true }, server, {});
    expect(handled).toMatchObject({ status: 200, replayed: null });
    expect(lines).toEqual([]);
  });

  it('tells the log of a mutation that forgot its key', async () => {
    await write(randomUUID(), { careless: true });
    expect(lines).toMatchObject([{ level: 50, msg: 'a mutation took effect without recording its Idempotency-Key' }]);
  });
});

describe('400', () => {
  it('for a key that is none', async () => {
    for (const key of ['""', 'x'.repeat(256), '"  "']) {
      expect(await write(key, { text: 'g' })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', details: { fields: [{ path: 'Idempotency-Key' }] } },
      });
    }
    expect((await write('x'.repeat(255), { text: 'g' })).status).toBe(201);
  });
});

describe('409', () => {
  it('while the first call runs, without waiting for it', async () => {
    const key = randomUUID();
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = write(key, { text: 'h' });
    await expect.poll(async () => (await write(key, { text: 'h' })).status).toBe(409);
    expect((await write(key, { text: 'h' })).retryAfter).toBe('1');
    release();
    expect((await first).status).toBe(201);
  });
});

describe('422', () => {
  it('when the key was used for another request', async () => {
    const key = randomUUID();
    await write(key, { text: 'i' });
    expect(await write(key, { text: 'other' })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('a refusal is not kept: the same key may be tried again', async () => {
    const key = randomUUID();
    expect(await write(key, { text: 'j', dryPen: true })).toMatchObject({ status: 422, body: { code: 'insufficient_ink' } });
    expect(await write(key, { text: 'j', dryPen: false })).toMatchObject({ status: 201, replayed: null });
  });
});

describe('503', () => {
  it('when the database is away', async () => {
    const alone = await startServer({ platform: openPlatform({ log }), handler: notes(() => alone) });
    expect(await write(randomUUID(), { text: 'k' }, alone)).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { code: 'dependency_unavailable' },
    });
    await alone.close();
  });
});

describe('the sweep', () => {
  it('deletes what has expired and nothing else, a bounded number at a time', async () => {
    const kept = await write(randomUUID(), { text: 'l' });
    const { pool } = server.platform.database;
    await pool.query(`INSERT INTO claim (workspace_id, kind, key, fingerprint, reference, expires_at)
      SELECT '${workspaceId}', 'idempotency_key', 'expired ' || n, 'x', 'expired', now() - interval '1 second' FROM generate_series(1, 15) n`);
    await pool.query(`INSERT INTO claim (workspace_id, kind, key) VALUES ('${workspaceId}', 'reference', 'for ever')`);
    expect(await sweepClaims(server.platform, 10)).toBe(10);
    expect(await sweepClaims(server.platform, 10)).toBe(5);
    expect(await sweepClaims(server.platform, 10)).toBe(0);
    expect((await rowsOf()).map(({ reference }) => reference)).toContain(kept.body.data.id);
    expect((await pool.query("SELECT FROM claim WHERE kind = 'reference'")).rowCount).toBe(1);
  });
});

describe('GraphQL', () => {
  const mutation = 'mutation ($t: String!) { writeNote(input: {bodyText: $t}) { id text } }';
  const keyed = (key: string) => ({ ...asAda, 'idempotency-key': key });

  it('runs a mutation once and replays it', async () => {
    const key = randomUUID();
    const before = seen.runs;
    const first = await send(server.url, mutation, keyed(key), { t: 'm' });
    expect(first).toMatchObject({ status: 200, body: { data: { writeNote: { text: 'm' } } } });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const again = await send(other.url, mutation, keyed(key), { t: 'm' });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(seen.runs).toBeGreaterThan(before);
    expect((await send(server.url, mutation, keyed(key), { t: 'n' })).body.errors?.[0]?.extensions['code']).toBe('idempotency_key_reused');
  });

  it('never stores a body with a secret, and replays without it', async () => {
    const key = randomUUID();
    const query = 'mutation { writeNote(input: {bodyText: "sealed"}) { id seal } }';
    const first = await send(server.url, query, keyed(key));
    const id = (first.body.data as { writeNote: { id: string } }).writeNote.id;
    expect(first.body.data).toEqual({ writeNote: { id, seal: `whsec_${id.replace('evt_', '')}` } });
    await server.keys.close();
    expect((await rowsOf()).find(({ reference }) => `evt_${reference}` === id)?.body).toBeNull();
    const again = await send(server.url, query, keyed(key));
    expect(again.body.data).toEqual({ writeNote: { id, seal: null } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('wants exactly one mutation in a document with a key', async () => {
    const field = 'writeNote(input: {bodyText: "two"}) { id }';
    for (const query of [`mutation { a: ${field} b: ${field} }`, `mutation a { ${field} } mutation b { ${field} }`, '{ me }']) {
      const { status, body } = await send(server.url, query, keyed(randomUUID()));
      expect(status).toBe(400);
      expect(body.errors?.[0]?.extensions['code']).toBe('validation_failed');
    }
  });

  it('does not keep a refusal, and ignores the key of a public mutation', async () => {
    const key = randomUUID();
    const refused = await send(server.url, 'mutation { writeNote(input: {bodyText: "o", dryPen: true}) { id } }', keyed(key));
    expect(refused).toMatchObject({ status: 422, body: { data: null, errors: [{ extensions: { code: 'insufficient_ink' } }] } });
    expect((await send(server.url, mutation, keyed(key), { t: 'o' })).status).toBe(200);
    expect((await send(server.url, 'mutation { signIn }', keyed(randomUUID()))).body).toEqual({ data: { signIn: 'welcome' } });
    expect(lines).toEqual([]);
  });

  it('answers a keyed mutation of a graphql-sse client as events', async () => {
    const key = randomUUID();
    const call = () =>
      fetch(`${server.url}/graphql/stream`, {
        method: 'POST',
        headers: { ...keyed(key), 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: mutation, variables: { t: 'p' } }),
      }).then((response) => response.text());
    const first = await call();
    expect(first).toMatch(/^:\n\nevent: next\ndata: \{"data":\{"writeNote":\{.*\n\nevent: complete\ndata:\n\n$/);
    expect(await call()).toBe(first);
  });
});
