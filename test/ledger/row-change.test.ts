// Rows that a posting changes: each as it was read, or the posting is refused and the others of its set are not.
import { beforeAll, describe, expect, it } from 'vitest';
import { PostingRefused } from '../../src/ledger/fault.js';
import type { Posting } from '../../src/ledger/posting.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { changeOf } from '../../src/platform/postgres/column.js';
import { newShop, uuidOf } from '../factories/checkout.js';
import { type Json, useHarness } from '../harness.js';
import { balanceOf, ctxOf, postMove, query, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
let checkout: Json;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
  checkout = await (await newShop(harness.test)).begin();
});

const read = async () =>
  (await query(ctx, 'SELECT xmin::text AS version, failure_message, updated_at FROM checkout WHERE id = $1', [uuidOf(checkout)]))[0];
const changing = (version: string, failureMessage: string | null): Partial<Posting> => ({
  changes: [{ kind: 'checkout', id: uuidOf(checkout), version, row: changeOf({ failureMessage }) }],
});
const changed = (subject: string) => [expect.objectContaining({ kind: 'guard', subject, refusal: 'changed' })];

describe('a posting that changes a row', () => {
  it('changes what it names, to null too, and leaves the rest', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const before = await read();
    await postMove(ctx, from.available, to.available, 1n, changing(before.version, 'one'));
    const after = await read();
    expect(after).toEqual({
      version: expect.not.stringMatching(`^${before.version}$`),
      failure_message: 'one',
      updated_at: before.updated_at,
    });
    await postMove(ctx, from.available, to.available, 1n, changing(after.version, null));
    expect((await read()).failure_message).toBeNull();
  });

  it('is refused where the row is another by now; what is in its set is posted', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const { version } = await read();
    const late = changing(`${BigInt(version) - 1n}`, 'late');
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => postMove(ctx, from.available, to.available, 1n)),
      postMove(ctx, from.available, to.available, 50n, late),
      ...Array.from({ length: 5 }, () => postMove(ctx, from.available, to.available, 1n)),
    ]);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeInstanceOf(PostingRefused);
    expect(refused[0].faults).toEqual(changed(`${ctx.workspace.id} checkout ${uuidOf(checkout)}`));
    expect(await balanceOf(ctx, to.available)).toBe(10n);
    expect((await read()).failure_message).toBeNull();
  });

  it('goes in another set than one that changes the same row: one of them is posted', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const { version } = await read();
    const work = Array.from({ length: 10 }, (_, n) => postMove(ctx, from.available, to.available, 1n, changing(version, `by ${n}`)));
    const posted = (await Promise.allSettled(work)).flatMap(({ status }, n) => (status === 'fulfilled' ? [`by ${n}`] : []));
    expect(posted).toEqual([(await read()).failure_message]);
    expect(await balanceOf(ctx, to.available)).toBe(1n);
  });
});
