// GET /v1/evidence and its heads, leaves and proofs.
import { describe, expect, it } from 'vitest';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { consistencyHolds, leadsTo, leafOfEntry, openNote } from './reader.js';

const h = useHarness();

describe('the log of a workspace', () => {
  it('has a name, a key and a head over everything that was done', async () => {
    const { from, to } = await twoWallets(h.test);
    await h.test.make('/v1/transfers', transferBody(from, to, '4.00'));
    const head = (await h.test.get('/v1/evidence/head')).body.data;
    const log = (await h.test.get('/v1/evidence')).body.data;
    expect(log).toMatchObject({ state: 'open', behind: 0, publish: 'off', tree_size: head.tree_size, root_hash: head.root_hash });
    const note = openNote(head.checkpoint, log.vkeys[0].vkey);
    expect(note).toEqual({ origin: log.origin, size: head.tree_size, root: Buffer.from(head.root_hash, 'hex').toString('base64') });
    expect((await h.test.get('/v1/audit-log/verify')).body.data.tree).toEqual({ size: head.tree_size, root_hash: head.root_hash });
  });

  it('proves each leaf, and shows its parts', async () => {
    const head = (await h.test.get('/v1/evidence/head')).body.data;
    for (let index = 0; index < head.tree_size; index += 1) {
      const leaf = (await h.test.get(`/v1/evidence/leaves/${index}?tree_size=${head.tree_size}`)).body.data;
      expect(leafOfEntry(leaf).toString('hex')).toBe(leaf.leaf_hash);
      expect(leadsTo(leaf, head.root_hash)).toBe(true);
    }
  });

  it('follows from each head of before', async () => {
    const first = (await h.test.get('/v1/evidence/head')).body.data;
    await h.test.make('/v1/accounts', { type: 'business', name: 'Another' });
    const next = (await h.test.get('/v1/evidence/head')).body.data;
    expect(next.tree_size).toBeGreaterThan(first.tree_size);
    const { proof } = (await h.test.get(`/v1/evidence/consistency?from=${first.tree_size}&to=${next.tree_size}`)).body.data;
    expect(consistencyHolds({ from: first, to: next, proof })).toBe(true);
    expect(consistencyHolds({ from: { ...first, root_hash: next.root_hash }, to: next, proof })).toBe(false);
  });
});
