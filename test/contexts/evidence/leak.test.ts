// What leaves and packs do not tell: no digest can be worked out by who has everything but the seeds, equal payments have nothing in common, and
// nobody but the payer's side finds a trace of what limits the payer.
import { createHash, createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newBudget } from '../../factories/budget.js';
import { newBuyer } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { filledTables } from '../../kept-platform.js';
import { enrol } from '../agents/identity.js';

const h = useHarness();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** What is said of the payer's limits, and nowhere else. */
const markers = ['Marker of a policy', '77.31', 'Marker of a description', '88.42', 'marker-of-metadata'];
let payer: Awaited<ReturnType<typeof newBuyer>>;
let payee: Awaited<ReturnType<typeof newBuyer>>;
let stranger: Awaited<ReturnType<typeof enrol>>;
let portal: string;
let portalOfPayer: string;
let paid: Json[];

beforeAll(async () => {
  [payer, payee, stranger] = [await newBuyer(h.test), await newBuyer(h.test), await enrol(h.test)];
  await h.test.make('/v1/policies', {
    name: markers[0],
    target: { type: 'account', id: payer.account.id },
    rules: [{ kind: 'max_amount', per: 'day', amount: markers[1], currency: 'USDC' }],
  });
  await newBudget(h.test, { name: markers[0], scope: { type: 'agent', id: payer.uuid }, amount: markers[3], currency: 'USDC' });
  const body = {
    type: 'internal',
    from_wallet_id: payer.wallet.id,
    to_wallet_id: payee.wallet.id,
    amount: '4.00',
    currency: 'USDC',
    description: markers[2],
    metadata: { note: markers[4] },
  };
  paid = [await h.test.make('/v1/transfers', body, { as: payer.token }), await h.test.make('/v1/transfers', body, { as: payer.token })];
  await h.test.patch(`/v1/accounts/${payee.account.id}`, { customer_reference: 'payee' });
  await h.test.patch(`/v1/accounts/${payer.account.id}`, { customer_reference: 'payer' });
  const portalOf = async (customer_reference: string) =>
    (await h.test.make('/v1/portal-tokens', { customer_reference, scopes: ['transfers:read'] })).token as string;
  portal = await portalOf('payee');
  portalOfPayer = await portalOf('payer');
});

const packOf = (transfer: Json, as = h.test.key) => h.test.get(`/v1/transfers/${transfer.id}/evidence`, { as });
/** A pack with all that its disclosures say. */
const openedText = (pack: Json): string =>
  JSON.stringify(pack) +
  pack.leaves.flatMap((leaf: Json) => leaf.disclosures.map((text: string) => Buffer.from(text, 'base64url').toString())).join(' ');
const paymentLeaf = (pack: Json): Json => pack.leaves.find(({ role }: Json) => role === 'payment');

/** The rows of the database as text, but for the columns that are named. */
async function rowsBut(columns: readonly string[]): Promise<Json[]> {
  const tables = await filledTables(h.platform);
  const read = tables.map(async ({ name }) => {
    const { rows } = await h.platform.database.pool.query<{ row: Json }>(`SELECT to_jsonb(t) - $1::text[] AS row FROM ${name} t`, [
      columns,
    ]);
    return rows.map(({ row }) => row);
  });
  return (await Promise.all(read)).flat();
}

/** Every value in there, in each way in which it could be bytes. */
function bytesIn(rows: readonly Json[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const note = (bytes: Buffer) => {
    for (const part of [bytes, bytes.subarray(0, 16), bytes.subarray(-16)]) if (part.length > 0) found.set(part.toString('hex'), part);
  };
  const walk = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const text = String(value);
    note(Buffer.from(text));
    for (const coding of ['hex', 'base64'] as const) note(Buffer.from(text.replace(/^\\x|-/g, ''), coding));
  };
  walk(rows);
  return found;
}

describe('the digests of a leaf', () => {
  it('share nothing with those of an equal payment', async () => {
    const [one, two] = (await Promise.all(paid.map((transfer) => packOf(transfer)))).map(({ body }) => paymentLeaf(body));
    const hashesOf = ({ written, sealed, disclosures }: Json): string[] => [...written, ...sealed, ...disclosures];
    expect(hashesOf(one).length).toBeGreaterThan(8);
    expect(hashesOf(one).filter((hash) => hashesOf(two).includes(hash))).toEqual([]);
  });

  it('cannot be worked out from anything but the seed', async () => {
    const { body: pack } = await packOf(paid[0] as Json);
    const leaf = paymentLeaf(pack);
    const parts = leaf.disclosures.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string, Json]);
    const digests = new Set([...leaf.written, ...leaf.sealed]);
    const texts = new Map<string, string>(
      leaf.disclosures.map((text: string, n: number) => [
        parts[n][1],
        Buffer.from(text, 'base64url')
          .toString()
          .slice(26 + parts[n][1].length + 2),
      ]),
    );
    /** True where the salts that follow from a seed make a digest of the leaf. */
    const opens = (seed: Uint8Array): boolean =>
      [...texts].some(([name, rest]) => {
        const hmac = createHmac('sha256', seed).update(name).digest().toString('base64url', 0, 16);
        const plain = Buffer.from(seed.subarray(0, 16)).toString('base64url');
        return [hmac, plain].some((salt) => digests.has(sha256(Buffer.from(`["${salt}","${name}"${rest}`).toString('base64url'))));
      });
    const { rows } = await h.platform.database.pool.query<{ seed: Buffer }>('SELECT seed FROM audit_entry WHERE seed IS NOT NULL');
    expect(rows.filter(({ seed }) => opens(seed))).toHaveLength(1);
    const others = bytesIn([
      ...(await rowsBut(['seed'])),
      { log: (await h.test.get('/v1/evidence')).body, config: h.platform.config.secretsKey },
    ]);
    expect(others.size).toBeGreaterThan(1_000);
    expect([...others.values()].filter((bytes) => opens(bytes)).map((bytes) => bytes.toString('hex'))).toEqual([]);
  });
});

describe('what limits the payer', () => {
  it('is in the pack of the payer’s tenant', async () => {
    const text = openedText((await packOf(paid[0] as Json)).body);
    expect(markers.filter((marker) => text.includes(marker))).toEqual(
      expect.arrayContaining(['77.31', '88.42', 'Marker of a description', 'marker-of-metadata']),
    );
  });

  it.each<[string, () => string | null]>([
    ['the agent that is paid', () => payee.token],
    ['a portal token of the customer that pays', () => portalOfPayer],
    ['whoever has a link', () => null],
  ])('is in no pack for %s', async (_who, credential) => {
    const [transfer] = paid as [Json];
    const as = credential();
    const link = as === null ? await h.test.make('/v1/evidence/links', { transfer_id: transfer.id }) : null;
    const token = String(link?.url).split('#')[1];
    const { status, body } = as === null ? await h.test.post('/v1/evidence/open', { token }, { as: null }) : await packOf(transfer, as);
    expect(status, JSON.stringify(body)).toBe(200);
    const text = openedText(body);
    expect(text).toContain('"money"');
    expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
    // The receipt shows the digests that the pack does.
    if (as !== null) {
      const receipt = JSON.stringify((await h.test.get(`/v1/transfers/${transfer.id}/receipt`, { as })).body);
      expect(markers.filter((marker) => receipt.includes(marker))).toEqual([]);
    }
  });

  // A transfer is shown to the customer that pays it (CONTRACT.md 18).
  it.each<[string, () => string]>([
    ['an agent that has no part in it', () => stranger.token],
    ['a portal token of the customer that is paid', () => portal],
  ])('is in nothing that %s gets', async (_who, credential) => {
    const [transfer] = paid as [Json];
    for (const what of ['evidence', 'receipt']) {
      const { status, body } = await h.test.get(`/v1/transfers/${transfer.id}/${what}`, { as: credential() });
      expect(status).toBe(404);
      expect(markers.filter((marker) => JSON.stringify(body).includes(marker))).toEqual([]);
    }
  });

  it('is in nothing that is published', async () => {
    await h.test.put('/v1/evidence', { publish: 'tiles' });
    const { tree_size: size } = (await h.test.get('/v1/evidence/head')).body.data;
    const { prefix } = (await h.test.get('/v1/evidence')).body.data;
    const { pathname } = new URL(prefix);
    const paths = ['', '/checkpoint', `/tile/0/000.p/${size}`, `/tile/entries/000.p/${size}`];
    const texts = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${h.test.url}${pathname}${path}`);
        expect(response.status, path).toBe(200);
        return Buffer.from(await response.arrayBuffer()).toString('latin1');
      }),
    );
    const all = texts.join(' ');
    expect([...markers, payer.wallet.id.slice(4), (paid[0] as Json).id].filter((marker) => all.includes(marker))).toEqual([]);
  });
});
