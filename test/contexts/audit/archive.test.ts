// Archives of the audit log: entries leave the database only when a file has them, the log goes on from the first that is kept, and a file is checked
// by itself.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveTo, checkFile } from '../../../src/cli/audit-command.js';
import { sweepArchived } from '../../../src/contexts/audit/archive.sql.js';
import { currentLog } from '../../../src/contexts/evidence/head.js';
import { wrongHead } from '../../../src/contexts/evidence/head-check.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';

const h = useHarness({ env: { RETENTION_AUDIT_DAYS: '400' } });
const day = 86_400;
let folder: string;
let old: { transfer: Json; account: Json };
let keptHead: string;

const fileOf = (name: string) => path.join(folder, name);
const headNow = async (): Promise<string> => (await h.test.get('/v1/evidence/head')).body.data.checkpoint;
const archive = async (name: string) => archiveTo(await ownCtx(), fileOf(name), () => {});
const count = async () =>
  Number(
    (await query(h, 'SELECT count(*) FROM audit_entry e JOIN workspace w ON w.id = e.workspace_id AND w.tenant_id = $1', [h.tenantId]))[0]
      ?.count,
  );

async function ownCtx() {
  const where = { tenantId_environment: { tenantId: h.tenantId, environment: 'test' as const } };
  const workspace = workspaceOf(await h.platform.database.unscoped.workspace.findUniqueOrThrow({ where }));
  return systemCtx(h.platform, workspace, { action: 'audit.archive', resourceType: 'audit_log' });
}

/** The rest of a file after one of its lines was changed. */
async function altered(name: string, change: (lines: string[]) => string[]): Promise<string> {
  const lines = (await readFile(fileOf('first'), 'utf8')).trimEnd().split('\n');
  await writeFile(fileOf(name), `${change(lines).join('\n')}\n`);
  return fileOf(name);
}

const edit = (lines: string[], n: number, change: (line: Json) => void): string[] => {
  const line = JSON.parse(lines.at(n) ?? '');
  change(line);
  return lines.with(n, JSON.stringify(line));
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'payments-archive-'));
  const [payer, payee] = [await openWallet(h.test, { funded: '100.00' }), await openWallet(h.test)];
  const transfer = await h.test.make('/v1/transfers', transferBody(payer.wallet, payee.wallet, '4.00'));
  const account = await h.test.make('/v1/accounts', { type: 'person', name: 'Ada Marker', email: 'ada@marker.example' });
  await h.test.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
  old = { transfer, account };
  keptHead = await headNow();
  await h.test.make('/v1/accounts', { type: 'business', name: 'Later' });
  await headNow();
  h.clock.advance(399 * day);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an archive', () => {
  it('is not written while no entry is old enough', async () => {
    await expect(archive('early')).rejects.toThrow('No signed head is older than 400 days');
    await expect(stat(fileOf('early'))).rejects.toThrow('ENOENT');
    await expect(query(h, 'DELETE FROM audit_entry')).rejects.toThrow('audit_entry rows are immutable');
  });

  it('has every entry up to a signed head, and leaves an entry of its own', async () => {
    h.clock.advance(2 * day);
    await h.test.make('/v1/accounts', { type: 'business', name: 'New' });
    const before = await count();
    const made = await archive('first');
    expect(made).toMatchObject({ first_leaf: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await stat(fileOf('first'))).mode & 0o777).toBe(0o600);
    expect(await count()).toBe(before + 1);
    const [own] = (await h.test.get('/v1/audit-log?action=audit.archive')).body.data;
    expect(own).toMatchObject({ resource_type: 'audit_log', resource_id: String(made.end) });

    expect(await sweepArchived(h.platform, 1_000)).toBe(made.end);
    expect(await sweepArchived(h.platform, 1_000)).toBe(0);
    expect(await count()).toBe(before + 1 - made.end);
    await expect(query(h, 'DELETE FROM audit_entry')).rejects.toThrow('audit_entry rows are immutable');
  });

  it('is where checks of the log begin from then on', async () => {
    const { body } = await h.test.get('/v1/audit-log/verify');
    const { end, sha256 } = await checkFile(fileOf('first'), keptHead);
    expect(body.data).toMatchObject({ valid: true, from_checkpoint: { leaf_index: end, archived_sha256: sha256 } });
    expect(body.data.checked).toBe(body.data.tree.size - end);
    const ctx = await ownCtx();
    expect(await wrongHead(ctx, await currentLog(ctx))).toBeNull();
  });

  it('has what a receipt or a proof of before needs: 409 `archived`', async () => {
    const { sha256, end } = await checkFile(fileOf('first'), undefined);
    for (const target of [
      `/v1/transfers/${old.transfer.id}/receipt`,
      `/v1/transfers/${old.transfer.id}/evidence`,
      '/v1/evidence/leaves/0',
    ]) {
      const { status, body } = await h.test.get(target);
      expect([target, status]).toEqual([target, 409]);
      expect(body).toMatchObject({
        code: 'state_conflict',
        details: { reason: 'archived', archived_sha256: sha256, first_kept_leaf: end },
      });
    }
    expect((await h.test.get(`/v1/evidence/leaves/${end}`)).status).toBe(200);
    const [payer, payee] = [await openWallet(h.test, { funded: '9.00' }), await openWallet(h.test)];
    const paid = await h.test.make('/v1/transfers', transferBody(payer.wallet, payee.wallet, '1.00'));
    expect((await h.test.get(`/v1/transfers/${paid.id}/evidence`)).status).toBe(200);
  });

  it('is followed by one that begins where it ended', async () => {
    const { end, sha256 } = await checkFile(fileOf('first'), undefined);
    await expect(archive('second')).rejects.toThrow('No signed head is older than 400 days and has entries that are not archived yet.');
    const later = await headNow();
    h.clock.advance(401 * day);
    await expect(archive('first')).rejects.toThrow('EEXIST');
    expect(await checkFile(fileOf('first'), undefined)).toMatchObject({ end, sha256 });
    const made = await archive('second');
    expect(made.first_leaf).toBe(end);
    const [start = ''] = (await readFile(fileOf('second'), 'utf8')).split('\n');
    expect(JSON.parse(start)).toMatchObject({ previous_sha256: sha256 });
    expect(await checkFile(fileOf('second'), later)).toMatchObject({ checked: made.end - end, compared: expect.any(Number) });
    while ((await sweepArchived(h.platform, 1_000)) > 0);
    expect((await h.test.get('/v1/audit-log/verify')).body.data).toMatchObject({ valid: true, from_checkpoint: { leaf_index: made.end } });
  });

  it('lets nothing leave where the file cannot be written', async () => {
    await headNow();
    h.clock.advance(401 * day);
    const before = await count();
    await expect(archiveTo(await ownCtx(), path.join(folder, 'no', 'such', 'folder'), () => {})).rejects.toThrow('ENOENT');
    expect(await sweepArchived(h.platform, 1_000)).toBe(0);
    expect(await count()).toBe(before);
  });

  it('is noted once where two are written at once', async () => {
    await headNow();
    h.clock.advance(401 * day);
    const ended = await Promise.allSettled([archive('one'), archive('other')]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const there = await Promise.allSettled(['one', 'other'].map((name) => stat(fileOf(name))));
    expect(there.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('has entries whose content was erased before, and says which entries name these', async () => {
    await h.test.post(`/v1/accounts/${old.account.id}/erase`, { reason: 'asked' });
    const later = await h.test.make('/v1/accounts', { type: 'person', name: 'Bo Marker', email: 'bo@marker.example' });
    await h.test.patch(`/v1/accounts/${later.id}`, { status: 'closed' });
    await headNow();
    await h.test.post(`/v1/accounts/${later.id}/erase`, {});
    await h.runDue();
    expect((await h.test.get('/v1/erasures')).body.data.map((one: Json) => one.status)).toEqual(['done', 'done']);
    await headNow();
    h.clock.advance(401 * day);
    await archive('erased');
    const found = await checkFile(fileOf('erased'), undefined);
    expect(found.erased).toBeGreaterThan(0);
    expect(found.named_elsewhere).toEqual([]);
    expect(await readFile(fileOf('erased'), 'utf8')).not.toContain('bo@marker.example');
    expect((await h.test.get('/v1/audit-log/verify')).body.data.valid).toBe(true);
  });
});

describe('a check of a file', () => {
  it('needs no database, and compares a head that was kept', async () => {
    expect(await checkFile(fileOf('first'), keptHead)).toMatchObject({ first_leaf: 0, erased: 0, named_elsewhere: [] });
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    [
      'an entry that says something else',
      (lines) => edit(lines, 3, ({ line }) => Object.assign(line, { action: 'deleteWallet' })),
      'Line 4: aud_',
    ],
    [
      'another time',
      (lines) => edit(lines, 3, ({ line }) => Object.assign(line, { at: '2026-03-02T10:00:00.001Z' })),
      'is not as it was written',
    ],
    [
      'another amount beside it',
      (lines) =>
        edit(
          lines,
          lines.findIndex((line) => line.includes('"money"')),
          ({ written }) => Object.assign(written[0], { value: '{}' }),
        ),
      'is not as it was written',
    ],
    ['an entry less', (lines) => lines.toSpliced(3, 1), 'Line 4: leaf 2 is missing.'],
    ['an entry twice', (lines) => lines.toSpliced(3, 0, lines[3] ?? ''), 'Line 5: leaf 3 is missing.'],
    ['two entries in another order', (lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''), 'Line 4: leaf 2 is missing.'],
    ['no end', (lines) => lines.slice(0, -1), 'the file is cut off.'],
    ['a line that is cut', (lines) => [...lines.slice(0, 4), (lines[4] ?? '').slice(0, 80)], 'Line 5: it is not JSON.'],
    ['something behind its end', (lines) => [...lines, lines[3] ?? ''], 'something stands behind the end.'],
    [
      'another end',
      (lines) => edit(lines, -1, (line) => Object.assign(line, { end: line.end - 1 })),
      'it says that the file ends before leaf',
    ],
    [
      'a seed of its own',
      (lines) => edit(lines, 3, (line) => Object.assign(line, { seed: Buffer.alloc(16).toString('base64') })),
      'is not as it was written',
    ],
    [
      'a digest of its own',
      (lines) => edit(lines, 3, (line) => Object.assign(line, { w: Buffer.alloc(32).toString('base64') })),
      'is not as it was written',
    ],
    ['a member that there is not', (lines) => edit(lines, 3, (line) => Object.assign(line, { more: 1 })), 'it is no line of an archive'],
    ['another kind of file', () => ['{"id":1}'], 'it is no line of an archive'],
    ['nothing', () => [''], 'it is not JSON'],
    [
      'peaks of another tree',
      (lines) => edit(lines, 0, (line) => Object.assign(line, { first_leaf: 1, peaks: [Buffer.alloc(32).toString('base64')] })),
      'leaf 1 is missing.',
    ],
    ['another key', (lines) => edit(lines, 0, (line) => Object.assign(line, { keys: [] })), 'is no checkpoint that a key of the log'],
  ])('finds %s', async (_what, change, message) => {
    await expect(checkFile(await altered('altered', change), undefined)).rejects.toThrow(message);
  });

  it('says that there is no such file', async () => {
    await expect(checkFile(fileOf('nowhere'), undefined)).rejects.toThrow('ENOENT');
  });

  it('finds an entry whose content was taken out by another hand', async () => {
    const blank = (lines: string[]) =>
      edit(
        lines,
        lines.findIndex((line) => line.includes('ada@marker.example')),
        (line) => {
          Object.assign(line.line, { changes: null, ip: null, request_id: null });
          Object.assign(line, { seed: null, kept: { by: line.line.id, salts: {}, digests: {} } });
        },
      );
    await expect(checkFile(await altered('blank', blank), undefined)).rejects.toThrow('is not as it was written');
  });

  it('refuses a head that it cannot compare', async () => {
    const later = await headNow();
    await expect(checkFile(fileOf('first'), later)).rejects.toThrow('this file can be held against heads of more than 0 and at most');
    await expect(checkFile(fileOf('first'), 'no head')).rejects.toThrow('The head that was given is no checkpoint of a log.');
    const forged = keptHead.replace(/\n\d+\n/, '\n1\n');
    await expect(checkFile(fileOf('first'), forged)).rejects.toThrow('is no checkpoint that a key of the log');
  });
});
