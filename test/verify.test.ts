// Packs of evidence, and who checks them without us: the command of verify/, in an empty folder, and the same code in this process.
import { execFile } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../src/platform/canonical-json.js';
import { verifyPack } from '../verify/src/verify.js';
import { type Client, type Json, openWallet, useHarness } from './harness.js';

const harness = useHarness();
const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let command: string;

beforeAll(async () => {
  await run(process.execPath, [path.join(root, 'scripts/build.mjs'), '--verify']);
  const folder = await mkdtemp(path.join(tmpdir(), 'verify-'));
  command = path.join(folder, 'verify.mjs');
  await writeFile(command, await readFile(path.join(root, 'verify/dist/verify.mjs')));
});

/** The text of a pack, as it is sent. */
async function packOf(transferId: string, query = '', client: Client = harness.test): Promise<string> {
  const path = `/v1/transfers/${transferId}/evidence${query}`;
  expect((await client.get(path)).status).toBe(200);
  return (await fetch(client.url + path, { headers: { Authorization: `Bearer ${client.key}` } })).text();
}

/** Runs the command on a pack in an empty folder. */
async function verify(pack: string, ...options: string[]): Promise<{ code: number; printed: string }> {
  const folder = path.dirname(command);
  await writeFile(path.join(folder, 'pack.json'), pack);
  const ended = await run(process.execPath, [command, 'pack.json', ...options], { cwd: folder, env: {} }).catch((error) => error);
  return { code: ended.code ?? 0, printed: `${ended.stdout}${ended.stderr}` };
}

async function paid(amount = '4.00', body: Json = {}): Promise<{ transfer: Json; from: Json; to: Json }> {
  const [from, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
  const transfer = await harness.test.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: from.wallet.id,
    to_wallet_id: to.wallet.id,
    amount,
    currency: 'USD',
    ...body,
  });
  return { transfer, from, to };
}

describe('a pack', () => {
  it('of a plain payment is whole, and anchored in a key or a head that was kept', async () => {
    const { transfer, from } = await paid();
    const pack = await packOf(transfer.id);
    const own = await verify(pack);
    expect(own).toEqual({ code: 3, printed: expect.stringContaining(`Paid: 4.00 USD from wal_${from.wallet.id}`) });
    const { data: log } = (await harness.test.get('/v1/evidence')).body;
    expect(await verify(pack, '--key', log.vkeys[0].vkey)).toMatchObject({ code: 0 });
    const { checkpoint, tree_size: size } = (await harness.test.get('/v1/evidence/head')).body.data;
    const headFile = path.join(path.dirname(command), 'head');
    await writeFile(headFile, checkpoint);
    await paid();
    const later = await packOf(transfer.id, `?from_size=${size}`);
    expect(await verify(later, '--head', 'head')).toMatchObject({ code: 0 });
    // Without the proof nothing is anchored, and another key is refused.
    expect(await verify(await packOf(transfer.id), '--head', 'head')).toMatchObject({ code: 3 });
    const strange = 'example.com/log+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect(await verify(pack, '--key', strange)).toEqual({ code: 1, printed: expect.stringMatching(/^BROKEN at head/) });
  });

  it('is the same bytes whenever it is asked for, though everything changes that can', async () => {
    const { transfer, from, to } = await paid('4.00', { description: 'Rent', metadata: { a: 1 } });
    const { tree_size: size } = (await harness.test.get(`/v1/transfers/${transfer.id}/receipt`)).body.data;
    const before = await packOf(transfer.id, `?tree_size=${size}`);
    await harness.test.make('/v1/refunds', { original_transfer_id: transfer.id, amount: '1.00', reason: 'customer_request' });
    await harness.test.patch(`/v1/accounts/${from.account.id}`, { name: 'Someone else' });
    await harness.test.post(`/v1/wallets/${to.wallet.id}/freeze`, {});
    harness.clock.advance(86_400);
    expect(await packOf(transfer.id, `?tree_size=${size}`)).toBe(before);
  });

  it('says which limits held, who approved, what was refunded and what was delivered', async () => {
    const { transfer, from, to } = await limited();
    await harness.test.make(`/v1/transfers/${transfer.id}/delivery`, { sha256: 'AB'.repeat(32), media_type: 'text/plain' });
    const refund = await harness.test.post('/v1/refunds', {
      original_transfer_id: transfer.id,
      amount: '1.50',
      reason: 'customer_request',
    });
    expect(refund.status).toBe(201);
    const { code, printed } = await verify(await packOf(transfer.id));
    expect({ code, printed }).toEqual({ code: 3, printed: expect.stringContaining('WHOLE') });
    expect(printed).toMatch(/Limit of 100\.00 USD per day: 0\.00 used before, 4\.00 now/);
    expect(printed).toContain('Refunded: 1.50 USD');
    expect(printed).toContain(`Delivered, says the payee: SHA-256 ${'ab'.repeat(32)}`);
    for (const leg of ['posting', 'decision', 'limits', 'receipt', 'refund', 'delivery']) expect(printed.split('\n')[0]).toContain(leg);
    expect([from.wallet.id, to.wallet.id].every((id) => printed.includes(id))).toBe(true);
  });

  it('shows its payee nothing of the payer', async () => {
    const { transfer } = await limited('limit-of-the-payer');
    const { url } = await harness.test.make('/v1/evidence/links', { transfer_id: transfer.id });
    const { body } = await harness.test.post('/v1/evidence/open', { token: url.split('#')[1] });
    const pack = JSON.stringify(body);
    const seen = disclosed(pack);
    expect([...new Set(seen.map(([, name]) => name))]).toEqual(['money']);
    expect(await verify(pack)).toMatchObject({ code: 3 });
  });

  it('is refused for what is no payment yet, for what nobody may see, and for what makes no sense', async () => {
    const held = (await paid('1.00', { capture: 'manual' })).transfer;
    expect((await harness.test.get(`/v1/transfers/${held.id}/evidence`)).status).toBe(409);
    expect((await harness.test.get(`/v1/transfers/${held.id}/receipt`)).status).toBe(409);
    expect((await harness.test.post(`/v1/transfers/${held.id}/delivery`, { sha256: '0'.repeat(64) })).status).toBe(409);
    const { transfer } = await paid();
    expect((await harness.other.get(`/v1/transfers/${transfer.id}/evidence`)).status).toBe(404);
    for (const query of ['tree_size=0', 'tree_size=1e3', 'tree_size=-1', 'from_size=99999999', 'parts=', 'parts=mony', 'tree_size=1']) {
      const { status } = await harness.test.get(`/v1/transfers/${transfer.id}/evidence?${query}`);
      expect([query, status >= 400 && status < 500]).toEqual([query, true]);
    }
    const { body } = await harness.test.get(`/v1/transfers/${transfer.id}/evidence?parts=mony`);
    expect(body.details.fields[0].message).toContain('did you mean money');
  });
});

describe('what was delivered', () => {
  it('is said once by each side: the same again is the same, another hash is 409', async () => {
    const { transfer } = await paid();
    const say = (body: Json) => harness.test.post(`/v1/transfers/${transfer.id}/delivery`, body);
    const first = await say({ sha256: '1'.repeat(64) });
    expect(first.status).toBe(201);
    const again = await say({ sha256: '1'.repeat(64) });
    expect([again.status, again.body]).toEqual([200, { data: first.body.data, repeated: true }]);
    expect((await say({ sha256: '2'.repeat(64) })).status).toBe(409);
    expect((await say({ sha256: '2'.repeat(64), side: 'payer' })).status).toBe(201);
    expect((await say({ sha256: '3'.repeat(63) })).status).toBe(400);
    harness.clock.advance(31 * 86_400);
    expect((await say({ sha256: '1'.repeat(64) })).status).toBe(409);
  });
});

describe('a pack that was changed', () => {
  it('is broken or unreadable, whichever byte', async () => {
    const { transfer } = await paid();
    const pack = Buffer.from(await packOf(transfer.id));
    const passed: string[] = [];
    for (let at = 0; at < pack.length; at += process.env['SLOW'] ? 1 : 3) {
      const changed = Buffer.from(pack);
      changed[at] = (pack[at] ?? 0) ^ (1 << randomInt(8));
      const { outcome } = verifyPack(new TextDecoder().decode(changed));
      if (outcome !== 'broken' && outcome !== 'unreadable') passed.push(`${at}: ${pack.subarray(at - 20, at + 20)}`);
    }
    expect(passed).toEqual([]);
  });

  it.each<[name: string, leg: string, change: (pack: Json) => void]>([
    ['with a member that nobody knows', 'format', (pack) => Object.assign(pack, { more: 1 })],
    ['with a shorter proof', 'inclusion', ({ leaves }) => leaves[0].proof.pop()],
    ['with a longer proof', 'inclusion', ({ leaves }) => leaves[0].proof.push(leaves[0].proof[0])],
    ['at another place', 'inclusion', ({ leaves }) => Object.assign(leaves[0], { index: leaves[0].index + 1 })],
    ['beyond the tree', 'inclusion', ({ leaves }) => Object.assign(leaves.at(-1), { index: 99_999 })],
    ['with a part of another leaf', 'format', ({ leaves }) => leaves[0].disclosures.push(coded(['A'.repeat(22), 'money', {}]))],
    ['with a part that stands twice', 'format', ({ leaves }) => leaves[0].disclosures.push(leaves[0].disclosures[0])],
    ['with a free bit in base64', 'format', ({ leaves }) => Object.assign(leaves[0].written, { 0: freeBit(leaves[0].written[0]) })],
    [
      'with a second signature line',
      'head',
      (pack) => Object.assign(pack, { checkpoint: `${pack.checkpoint}— strange.example ${'A'.repeat(92)}\n` }),
    ],
    ['without the key of its log', 'head', ({ log }) => Object.assign(log, { vkeys: [] })],
    ['about another transfer', 'posting', ({ subject }) => Object.assign(subject, { id: `tx_${crypto.randomUUID()}` })],
    ['with no receipt', 'receipt', ({ attached }) => delete attached.receipt_jws],
    ['without the keys of the platform', 'receipt', ({ log }) => Object.assign(log, { jwks: { keys: [] } })],
  ])('%s is broken at %s', async (_name, leg, change) => {
    const { transfer } = await paid();
    const pack = JSON.parse(await packOf(transfer.id));
    change(pack);
    expect(verifyPack(canonicalJson(pack))).toMatchObject({ outcome: 'broken', leg });
  });

  it('in its spelling alone is broken; what is no pack is unreadable', async () => {
    const { transfer } = await paid();
    const pack = await packOf(transfer.id);
    const twice = pack.replace('"format":', '"format":"x","format":');
    const texts = [`${pack} `, twice, pack.replace('"role":"payment"', '"role" :"payment"')];
    for (const text of texts) expect(verifyPack(text)).toMatchObject({ outcome: 'broken', leg: 'format' });
    for (const text of ['', '{}', '[]', 'null', '{"format":"other"}', 'x'.repeat(400_000)])
      expect(verifyPack(text)).toMatchObject({ outcome: 'unreadable' });
    expect(await verify('{}')).toMatchObject({ code: 2 });
  });
});

describe('the verifier', () => {
  it('is one file of at most 80 KB that needs nothing but Node', async () => {
    const text = await readFile(command, 'utf8');
    expect(text.length).toBeLessThan(80 * 1024);
    const imported = [...text.matchAll(/(?:import|from)\s*["'`]([\w@:./-]+)["'`]/g)].map(([, name]) => name);
    expect(text).not.toMatch(/\brequire\(|\bimport\(/);
    expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([]);
    expect(imported).toContain('node:fs');
    expect((await run(process.execPath, [command, '--help'])).stdout).toContain('--key');
  });
});

/** A payment by an agent under a policy. */
async function limited(name = 'Limit'): Promise<{ transfer: Json; from: Json; to: Json }> {
  const [from, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
  await harness.test.make('/v1/policies', {
    name,
    target: { type: 'account', id: from.account.id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
  });
  const transfer = await harness.test.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: from.wallet.id,
    to_wallet_id: to.wallet.id,
    amount: '4.00',
    currency: 'USD',
  });
  return { transfer, from, to };
}

/** The parts that a pack shows, as salt, name and value. */
function disclosed(pack: string): [string, string, Json][] {
  const { leaves } = JSON.parse(pack);
  return leaves.flatMap(({ disclosures }: Json) =>
    disclosures.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())),
  );
}

const coded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The same 32 bytes in another spelling: the last character of 43 has two bits that no byte needs. */
function freeBit(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(text[42] ?? '');
  const other = `${text.slice(0, 42)}${alphabet[last + 1]}=`;
  expect(createHash('sha256').update(Buffer.from(other, 'base64')).digest()).toEqual(
    createHash('sha256').update(Buffer.from(text, 'base64')).digest(),
  );
  return other;
}
