// Keys that rotate while processes with old, both and new settings serve (CONTRACT.md 24).
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/platform/ctx.js';
import { createLogger } from '../../../src/platform/log.js';
import { masterKey, openRing, ringOf, wrap } from '../../../src/platform/secrets/key-ring.js';
import { type DataKeyRow, withdrawDataKey, writeProcess } from '../../../src/platform/secrets/key-row.js';
import { resealing } from '../../../src/platform/secrets/resealing.js';
import { retire, rotateData, rotateMaster, secretsStatus } from '../../../src/platform/secrets/rotation.js';
import { sealedColumns } from '../../../src/platform/secrets/sealed-column.js';
import { decryptBytes, keyOf, Vault } from '../../../src/platform/secrets/vault.js';
import { closePlatform, openPlatform, type RunningServer, startServer } from '../../../src/server.js';
import { newHolder } from '../../factories/mandate.js';
import { newMppSession } from '../../factories/mpp.js';
import { type Json, useHarness } from '../../harness.js';
import { readFiles } from '../../source.js';

const harness = useHarness();
const newKey = () => randomBytes(32).toString('hex');
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  // Every test begins under one master key.
  await harness.platform.database.pool.query('DELETE FROM data_key_wrap WHERE master <> $1', [masterKey(first()).name]);
});

/** The master key with which the database of the harness began. */
const first = () => harness.platform.config.secretsKey ?? '';

interface Keys {
  secretsKey: string;
  secretsKeysOld?: string[];
}

const configWith = ({ secretsKey, secretsKeysOld = [] }: Keys) => {
  const { config } = harness.platform;
  return { ...config, databaseUrl: config.databaseUrl ?? '', secretsKey, secretsKeysOld, port: 0, sandboxPort: 0 };
};

/** A command with these settings. */
async function commandWith(keys: Keys): Promise<Platform> {
  const platform = await openPlatform({ config: configWith(keys), log: createLogger('silent'), clock: harness.clock });
  opened.push(() => closePlatform(platform));
  return platform;
}

/** Another process with these settings. */
async function serverWith(keys: Keys): Promise<RunningServer> {
  const server = await startServer({ config: configWith(keys), log: createLogger('silent'), clock: harness.clock, pollMs: 0 });
  opened.push(() => server.stop());
  return server;
}

const get = async (server: RunningServer, path: string) => {
  const answer = await fetch(`${server.urls.test}${path}`, { headers: { Authorization: `Bearer ${harness.test.key}` } });
  return { status: answer.status, body: (await answer.json()) as Json };
};

const refresh = ({ database, vault, config }: Platform) =>
  openRing(database.pool, vault, { secretsKey: config.secretsKey ?? '', secretsKeysOld: config.secretsKeysOld });

const silence = () => {};

/** Seals everything again, as a worker does. */
async function resealAll(platform: Platform): Promise<void> {
  for (let n = 0; n < 1_000; n += 1) if ((await resealing.run(platform)) === null) return;
  throw new Error('sealing again came to no end');
}

describe('a master key', () => {
  it('is replaced while processes with old, both and new settings serve; the old one then opens nothing', async () => {
    const holder = await newHolder(harness.test);
    const next = newKey();
    const both = await serverWith({ secretsKey: next, secretsKeysOld: [first()] });
    const page = await harness.test.get('/v1/accounts?limit=1');
    const command = await commandWith({ secretsKey: next, secretsKeysOld: [first()] });
    expect(await rotateMaster(command)).toBe(masterKey(next).name);
    const fresh = await serverWith({ secretsKey: next });
    for (const server of [both, fresh]) {
      expect((await get(server, '/ready')).status).toBe(200);
      expect((await get(server, `/v1/ap2/mandates/${holder.mandate.id}`)).body.data.mandate_jwt).toBe(holder.mandate.mandate_jwt);
      expect((await get(server, `/v1/accounts?limit=1&starting_after=${page.body.pagination.next_cursor}`)).status).toBe(200);
    }
    const status = await secretsStatus(command);
    expect(status.masters).toEqual(
      expect.arrayContaining([
        { name: masterKey(first()).name, inSettings: true, wraps: 2 },
        { name: masterKey(next).name, inSettings: true, wraps: 2 },
      ]),
    );
    await retire(command, masterKey(first()).name, false);
    const old = await openPlatform({ config: configWith({ secretsKey: first() }), log: createLogger('silent') });
    opened.push(() => closePlatform(old));
    expect(old.vault.canSeal).toBe(false);
    expect(() => old.vault.seal('a', 'b')).toThrow('cannot be unwrapped');
    // What follows goes on with the key of the harness.
    await rotateMaster(await commandWith({ secretsKey: first(), secretsKeysOld: [next] }));
  });

  it('is not retired while it is the only one, while a process knows no other, and where nobody knows it', async () => {
    const next = newKey();
    const command = await commandWith({ secretsKey: next, secretsKeysOld: [first()] });
    const { name } = masterKey(first());
    await expect(retire(command, name, false)).rejects.toThrow('is the only master key of the data key');
    await rotateMaster(command);
    const { pool } = harness.platform.database;
    const id = '019cadfd-8900-7000-8000-000000000001';
    await writeProcess(pool, { id, version: '0.2.0', role: 'api', keyIds: [name, '1'] });
    await expect(retire(command, name, true)).rejects.toThrow('restart it with the new settings');
    await pool.query("UPDATE process SET seen_at = now() - interval '61 s' WHERE id = $1", [id]);
    await expect(retire(command, name, false)).rejects.toThrow('give --force');
    await pool.query('DELETE FROM process WHERE id = $1', [id]);
    await expect(retire(command, '00000000', false)).rejects.toThrow('wraps no data key');
  });

  it('that opens nothing keeps a process from being ready, and is refused by rotate', async () => {
    const stranger = await serverWith({ secretsKey: newKey() });
    expect((await get(stranger, '/ready')).body).toMatchObject({ status: 'not_ready', checks: { secrets: { status: 'failed' } } });
    await expect(rotateMaster(await commandWith({ secretsKey: newKey() }))).rejects.toThrow('put that key into SECRETS_KEYS_OLD');
  });
});

describe('a data key', () => {
  it('is replaced: everything is sealed again, and the old one is retired', async () => {
    const holder = await newHolder(harness.test);
    const { voucher } = await newMppSession(harness.test);
    const hook = await harness.test.make('/v1/webhooks', { url: 'https://hooks.example.com/a', events: ['*'] });
    const { body: page } = await harness.test.get('/v1/accounts?limit=1');
    const command = await commandWith({ secretsKey: first() });
    const before = (await secretsStatus(command)).dataKeys.find(({ state }) => state === 'current')?.id ?? 0;
    const made = await rotateData(command, silence);
    expect(made).toBe(before + 1);
    await refresh(harness.platform);
    // A cursor of before is good, and what older keys have sealed is opened.
    expect((await harness.test.get(`/v1/accounts?limit=1&starting_after=${page.pagination.next_cursor}`)).status).toBe(200);
    expect((await harness.test.get(`/v1/ap2/mandates/${holder.mandate.id}`)).body.data.mandate_jwt).toBe(holder.mandate.mandate_jwt);
    await expect(retire(command, String(before), true)).rejects.toThrow(/still seals \d+ in/);
    await resealAll(harness.platform);
    const status = await secretsStatus(command);
    expect(status.dataKeys.find(({ id }) => id === before)?.sealed).toEqual({});
    expect(status.dataKeys.find(({ id }) => id === made)?.sealed).toMatchObject({ 'mandate.sealed_jwt': expect.any(Number) });
    await expect(retire(command, String(before), true)).rejects.toThrow('a process may still seal with');
    await harness.platform.database.pool.query("UPDATE data_key SET ended_at = now() - interval '61 s' WHERE id = $1", [before]);
    await expect(retire(command, String(before), false)).rejects.toThrow('may live for 24 h');
    await retire(command, String(before), true);
    await refresh(harness.platform);
    expect(harness.platform.vault.ring.keys.has(before)).toBe(false);
    expect((await harness.test.get(`/v1/ap2/mandates/${holder.mandate.id}`)).body.data.mandate_jwt).toBe(holder.mandate.mandate_jwt);
    expect((await voucher({ amount: '1.00' })).status).toBe(201);
    expect((await harness.test.post(`/v1/webhooks/${hook.id}/rotate-secret`, {})).status).toBe(200);
    // What the old one has signed counts no more.
    expect((await harness.test.get(`/v1/accounts?limit=1&starting_after=${page.pagination.next_cursor}`)).status).toBe(400);
  });

  it('seals nothing before every living process knows it', async () => {
    const { pool } = harness.platform.database;
    const id = '019cadfd-8900-7000-8000-000000000002';
    await writeProcess(pool, { id, version: '0.2.0', role: 'worker', keyIds: [masterKey(first()).name, '1'] });
    const command = await commandWith({ secretsKey: first() });
    const current = command.vault.ring.current;
    const told: string[] = [];
    const rotating = rotateData(command, (text) => {
      told.push(text);
      expect(keyOf(command.vault.seal('a', 'b'))).toBe(current);
      void pool.query("UPDATE process SET key_ids = key_ids || (SELECT max(id)::text FROM data_key WHERE state = 'new') WHERE id = $1", [
        id,
      ]);
    });
    expect(await rotating).toBeGreaterThan(current);
    expect(told).toEqual(['waiting for 1 of 1 processes to know the key']);
    await pool.query('DELETE FROM process WHERE id = $1', [id]);
  });

  it('is not made while a process of a release before lives, which could not open what it seals', async () => {
    const { config } = harness.platform;
    const before = new pg.Client({ connectionString: config.databaseUrl ?? '', application_name: 'agent-payments' });
    await before.connect();
    try {
      await expect(rotateData(await commandWith({ secretsKey: first() }), silence)).rejects.toThrow(
        '1 connections of a process of version before 0.2.0 cannot open what a data key seals: end what is older than 0.2.0 first',
      );
    } finally {
      await before.end();
    }
  });

  it('that two commands make at once is one that seals, and is not taken back once it does', async () => {
    const commands = [await commandWith({ secretsKey: first() }), await commandWith({ secretsKey: first() })];
    const newest = Math.max(...(await Promise.all(commands.map((command) => rotateData(command, silence)))));
    const { pool } = harness.platform.database;
    await withdrawDataKey(pool, newest);
    const { dataKeys } = await secretsStatus(await commandWith({ secretsKey: first() }));
    expect(dataKeys.filter(({ state }) => state === 'current' || state === 'new').map(({ id }) => id)).toEqual([newest]);
  });

  it('leaves a secret that changes meanwhile as it is, and one that it cannot open', async () => {
    const { database, vault } = harness.platform;
    const hook = await harness.test.make('/v1/webhooks', { url: 'https://hooks.example.com/b', events: ['*'] });
    const damaged = Buffer.concat([Buffer.from('APV1'), Buffer.from([0, 0, 0, 1]), randomBytes(40)]);
    await database.pool.query('UPDATE webhook SET previous_sealed_secret = $1 WHERE id = $2', [damaged, hook.id.slice(-36)]);
    await rotateData(await commandWith({ secretsKey: first() }), silence);
    await refresh(harness.platform);
    await resealAll(harness.platform);
    const { rows } = await database.pool.query('SELECT sealed_secret, previous_sealed_secret FROM webhook WHERE id = $1', [
      hook.id.slice(-36),
    ]);
    expect(keyOf(rows[0].sealed_secret)).toBe(vault.ring.current);
    expect(rows[0].previous_sealed_secret).toEqual(damaged);
    await database.pool.query('UPDATE webhook SET previous_sealed_secret = NULL WHERE id = $1', [hook.id.slice(-36)]);
  });
});

describe('a sealed value', () => {
  it('is one of before as long as the key is that of a release before, whose processes have to open it', () => {
    const [before, other] = [masterKey(newKey()), masterKey(newKey())];
    const row = (id: number, state: DataKeyRow['state'], key: Buffer): DataKeyRow => {
      const wraps = { [before.name]: wrap(before, id, key).toString('hex') };
      return { id, state, createdAt: new Date(), endedAt: null, endedSeconds: null, wraps };
    };
    const sealedWith = (rows: DataKeyRow[]) => {
      const vault = new Vault(before.key.toString('hex'));
      vault.use(ringOf([before], rows));
      const sealed = vault.seal('secret', 'row');
      expect(vault.open(sealed, 'row')).toBe('secret');
      return sealed;
    };
    const sealed = sealedWith([row(1, 'current', before.key)]);
    expect(keyOf(sealed)).toBeUndefined();
    expect(decryptBytes(before.key, sealed, Buffer.from('row')).toString()).toBe('secret');
    expect(keyOf(sealedWith([row(1, 'current', other.key)]))).toBe(1);
    expect(keyOf(sealedWith([row(1, 'old', before.key), row(2, 'current', other.key)]))).toBe(2);
  });

  it('is of its row, its key and its bytes', () => {
    const { vault } = harness.platform;
    const sealed = vault.seal('secret', 'row');
    expect(vault.open(sealed, 'row')).toBe('secret');
    expect(() => vault.open(sealed, 'other')).toThrow();
    expect(() => vault.open(sealed.subarray(0, -1), 'row')).toThrow();
    for (const at of [5, 7, 9, 22, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => vault.open(changed, 'row'), `byte ${at}`).toThrow();
    }
  });

  it('stands in a column that is declared', () => {
    const declared = harness.platform.extensions.of(sealedColumns).map(({ column }) => column);
    const lines = readFiles(['prisma/schema'], ['.prisma']).flatMap(({ text }) => text.split('\n'));
    const sealed = lines.filter((line) => /^ {2}(\w*[sS]ealed\w*|clientSecret|payload) +Bytes/.test(line));
    const columns = sealed.map((line) => /@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(' ')[0]);
    expect(columns.length).toBeGreaterThan(12);
    expect(columns.filter((column) => !declared.includes(column ?? ''))).toEqual([]);
  });
});
