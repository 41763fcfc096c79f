// What anybody reads of a log that its tenant publishes: /.well-known/evidence/{log_id}.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { sealLine, writeLines } from '../../../src/platform/audit.js';
import { newId } from '../../../src/platform/schema/id.js';
import { type Json, useHarness } from '../../harness.js';
import { openNote } from './reader.js';

// A reader of logs asks for as many tiles as it likes here.
const h = useHarness({ env: { RATE_LIMIT_TILE: '1000000' } });
const hasGo = spawnSync('go', ['version']).status === 0;
const leastLines = 700;

let log: Json;
const below = async (rest: string) => {
  const { pathname } = new URL(log.prefix);
  const answer = await request(`${h.test.url}${pathname}${rest}`);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
};
const publish = (what: string) => h.test.put('/v1/evidence', { publish: what });

beforeAll(async () => {
  const { id: workspaceId } = await h.platform.database.unscoped.workspace.findFirstOrThrow({
    where: { tenantId: h.tenantId, environment: 'test' },
  });
  const at = h.clock.now();
  const nobody = {
    actorType: 'system',
    actorId: null,
    via: null,
    keyThumbprint: null,
    requestId: null,
    ip: null,
    changes: null,
    outcome: null,
  };
  const lines = Array.from({ length: leastLines }, () =>
    sealLine(workspaceId, { ...nobody, id: newId(at), at, action: 'test', resourceType: null, resourceId: null }),
  );
  await writeLines(h.platform.database, lines);
  log = (await h.test.get('/v1/evidence')).body.data;
});

describe('a published log', () => {
  it('404: while nothing is published, of another environment, and of nobody', async () => {
    for (const rest of ['', '/', '/checkpoint', '/tile/0/000']) expect((await below(rest)).status, rest).toBe(404);
    await publish('heads');
    const { pathname } = new URL(log.prefix);
    expect((await request(`${h.live.url}${pathname}/checkpoint`)).statusCode).toBe(404);
    expect((await request(`${h.test.url}/.well-known/evidence/log_00000000-0000-4000-8000-000000000000`)).statusCode).toBe(404);
    expect((await request(`${h.test.url}/.well-known/evidence/mine/checkpoint`)).statusCode).toBe(404);
  });

  it('200: the head alone', async () => {
    const head = (await h.test.get('/v1/evidence/head')).body.data;
    const { status, headers, body } = await below('/checkpoint');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/plain; charset=utf-8', 'no-store']);
    expect(body.toString()).toBe(head.checkpoint);
    expect(openNote(body.toString(), log.vkeys[0].vkey)).toMatchObject({ size: head.tree_size });
    expect(JSON.parse((await below('')).body.toString())).toMatchObject({ id: log.id, origin: log.origin, publish: 'heads' });
    expect((await below('/tile/0/000')).status).toBe(404);
  });

  it('200: tiles, full and at the edge of each head; 404 for all others', async () => {
    await publish('tiles');
    const { tree_size: size } = (await h.test.get('/v1/evidence/head')).body.data;
    expect(size).toBeGreaterThan(leastLines);
    expect((await below('/tile/0/000')).headers['x-ratelimit-limit']).toBe('1000000');
    const width = size % 256;
    const full = await below('/tile/0/001');
    expect([full.status, full.body.length, full.headers['content-type']]).toEqual([200, 8_192, 'application/octet-stream']);
    expect(full.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await below(`/tile/0/002.p/${width}`)).body.length).toBe(32 * width);
    expect((await below('/tile/1/000.p/2')).body.length).toBe(64);
    expect((await below('/tile/entries/000')).body.length).toBe(34 * 256);
    const strange = [
      ...[
        '0/003',
        `0/002.p/${width + 1}`,
        '0/002',
        '0/000.p/0',
        '0/000.p/256',
        '0/000.p/255',
        '1/000',
        '1/000.p/3',
        '2/000.p/1',
        '0/x000/000',
      ],
      ...[
        '0/x000/1',
        '0/0',
        '0/1000',
        '64/000',
        '00/000',
        '-1/000',
        'entries/003',
        `entries/002.p/${width + 1}`,
        '0/000.p/01',
        '0/x999/x999/x999/999',
      ],
    ];
    for (const tile of strange) expect((await below(`/tile/${tile}`)).status, tile).toBe(404);
  });

  it.skipIf(!hasGo)(
    'is read by golang.org/x/mod/sumdb',
    async () => {
      const { origin, pathname } = { origin: h.test.url, pathname: new URL(log.prefix).pathname };
      const program = path.join(import.meta.dirname, '..', '..', 'oracles', 'tlog', 'main.go');
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
      const { stdout } = await promisify(execFile)('go', ['run', program, `${origin}${pathname}`, log.vkeys[0].vkey], { env });
      expect(stdout).toMatch(/^7\d\d leaves, 200 pairs, \d+ tiles\n$/);
    },
    120_000,
  );
});
