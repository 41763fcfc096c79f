// Logs and receipts as programs of others read them, where these are installed: trees of RFC 9162, and SD-JWT (RFC 9901).
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyTree, rootOf, withLeaf } from '../../../src/contexts/audit/tree.js';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { rfc9162, sdJwt } from '../../oracles/installed.js';

const h = useHarness();

interface Trees {
  treeHead(entries: Uint8Array[]): Promise<Uint8Array>;
  leaf(entry: Uint8Array): Promise<Uint8Array>;
  inclusionProof(entry: Uint8Array, entries: Uint8Array[]): Promise<{ inclusion_path: Uint8Array[] }>;
  verifyInclusionProof(root: Uint8Array, leaf: Uint8Array, proof: object): Promise<boolean>;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A transfer under a limit, so that its leaf has figures. */
async function limited(): Promise<Json> {
  const [from, to] = [await openWallet(h.test, { funded: '100.00' }), await openWallet(h.test)];
  await h.test.make('/v1/policies', {
    name: 'Limit',
    target: { type: 'account', id: from.account.id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
  });
  return h.test.make('/v1/transfers', transferBody(from.wallet, to.wallet, '4.00'));
}

describe.skipIf(rfc9162 === undefined)('@transmute/rfc9162', () => {
  let trees: Trees;
  beforeAll(() => {
    trees = createRequire(import.meta.url)(rfc9162 as string).RFC9162;
  });

  it('has the same root for each number of leaves up to 130', async () => {
    const entries: Uint8Array[] = [];
    let tree = emptyTree;
    for (let n = 1; n <= 130; n += 1) {
      const entry = createHash('sha256').update(`${n}`).digest();
      entries.push(new Uint8Array(entry));
      tree = withLeaf(tree, createHash('sha256').update(Buffer.of(0)).update(entry).digest());
      expect(hex(await trees.treeHead(entries)), `${n} leaves`).toBe(hex(rootOf(tree)));
    }
  });

  it('makes the proof of each leaf of a log, and the root of its head', async () => {
    const { from, to } = await twoWallets(h.test);
    for (const amount of ['1.00', '2.00', '3.00']) await h.test.make('/v1/transfers', transferBody(from, to, amount));
    const head = (await h.test.get('/v1/evidence/head')).body.data;
    const size = head.tree_size;
    const leaves: Json[] = [];
    for (let n = 0; n < size; n += 1) leaves.push((await h.test.get(`/v1/evidence/leaves/${n}?tree_size=${size}`)).body.data);
    const entries = leaves.map(({ entry }) => new Uint8Array(Buffer.from(entry, 'base64')));
    expect(size).toBeGreaterThan(8);
    expect(hex(await trees.treeHead(entries))).toBe(head.root_hash);
    for (const [n, { leaf_hash: hash, inclusion_proof: proof }] of leaves.entries()) {
      const entry = entries[n] as Uint8Array;
      expect(hex(await trees.leaf(entry))).toBe(hash);
      const { inclusion_path: path } = await trees.inclusionProof(entry, entries);
      expect(proof).toEqual(path.map((one) => Buffer.from(one).toString('base64')));
    }
  });
});

describe.skipIf(sdJwt === undefined)('@sd-jwt/core', () => {
  interface Instance {
    verify(text: string): Promise<{ payload: Json; header: Json }>;
  }
  let sdJwts: Instance;
  let keys: JsonWebKey[];

  beforeAll(async () => {
    const { SDJwtInstance } = (await import(sdJwt as string)) as { SDJwtInstance: new (config: object) => Instance };
    ({ keys } = (await h.test.get('/.well-known/jwks.json', { as: null })).body);
    sdJwts = new SDJwtInstance({
      hashAlg: 'sha-256',
      hasher: (text: string) => new Uint8Array(createHash('sha256').update(text).digest()),
      verifier: (text: string, signature: string) =>
        keys.some((key) => {
          const publicKey = createPublicKey({ key, format: 'jwk' });
          return verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
        }),
    });
  });

  it('opens a receipt with disclosures of its leaf, and refuses one that was changed', async () => {
    const { id } = await limited();
    const { receipt_jws: jws, leaf_index: index } = (await h.test.get(`/v1/transfers/${id}/receipt`)).body.data;
    const leaf = (await h.test.get(`/v1/evidence/leaves/${index}`)).body.data;
    const written = leaf.disclosures.filter((text: string) => leaf.written.includes(createHash('sha256').update(text).digest('base64')));
    expect(leaf.sealed).toHaveLength(1);
    const { payload, header } = await sdJwts.verify([jws, ...written, ''].join('~'));
    expect(header).toMatchObject({ typ: 'receipt+sd-jwt', alg: 'ES256' });
    expect(payload).toMatchObject({
      sub: `tx_${id.replace('tx_', '')}`,
      leaf_index: index,
      money: { amount: '4.00', currency: 'USD', status: 'completed' },
      act: { action: 'createTransfer' },
      decision: { outcome: 'allow' },
    });
    const [first = ''] = written;
    const salt = Buffer.from(JSON.stringify(['A'.repeat(22), 'money', { amount: '5.00' }])).toString('base64url');
    await expect(sdJwts.verify([jws, first, salt, ''].join('~'))).resolves.not.toMatchObject({ payload: { money: { amount: '5.00' } } });
    await expect(sdJwts.verify([`${jws.slice(0, -6)}AAAAAA`, first, ''].join('~'))).rejects.toThrow();
  });
});
