// Rows that were changed past the triggers of the database: `ledger check` or `evidence verify` finds each, and names the first; what was written
// anew with all its hashes is found by who has kept a head.
import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkDocuments } from '../../../src/contexts/audit/document-check.js';
import { verifyAuditLog } from '../../../src/contexts/audit/verification.js';
import { currentLog } from '../../../src/contexts/evidence/head.js';
import { wrongHead } from '../../../src/contexts/evidence/head-check.js';
import { headInLog } from '../../../src/contexts/evidence/kept-head.js';
import { manifest } from '../../../src/contexts.js';
import { checkLedger } from '../../../src/ledger/trial-balance.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { transferBody } from '../../factories/payment.js';
import { newBuyer, newEndpoint, payFor, signedOnLedger } from '../../factories/x402.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';
import { alter, alterations } from './altered.js';
import { writeAnew } from './rewritten.js';

const h = useHarness();
const seed = process.env['SEED'] ?? String(Math.random()).slice(2);
const heads: string[] = [];

/** What `ledger check` and `evidence verify` say: nothing where all is right. */
async function report(): Promise<string[]> {
  const { platform } = h;
  platform.cache.clear();
  const { ctx, log } = await own();
  const { valid, firstInvalidId } = await verifyAuditLog(ctx, null);
  const head = await wrongHead(ctx, log);
  return [
    ...(await checkLedger(platform.database, manifest.escrows)),
    ...(await checkDocuments(platform.database)),
    ...(valid ? [] : [`entry ${firstInvalidId ?? 'missing'}`]),
    ...(head === null ? [] : [head]),
  ];
}

async function own() {
  const where = { tenantId_environment: { tenantId: h.tenantId, environment: 'test' as const } };
  const ctx = systemCtx(h.platform, workspaceOf(await h.platform.database.unscoped.workspace.findUniqueOrThrow({ where })), null);
  return { ctx, log: await currentLog(ctx) };
}

const keepHead = async () => heads.push((await h.test.get('/v1/evidence/head')).body.data.checkpoint);

beforeAll(async () => {
  const [payer, payee] = [await openWallet(h.test, { funded: '100.00' }), await openWallet(h.test)];
  await h.test.make('/v1/policies', {
    name: 'Limit',
    target: { type: 'account', id: payer.account.id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '90.00', currency: 'USD' }],
  });
  const pay = (amount: string, extra: Json = {}) =>
    h.test.make('/v1/transfers', { ...transferBody(payer.wallet, payee.wallet, amount), ...extra });
  const paid = await pay('4.00');
  await keepHead();
  await h.test.make('/v1/refunds', { original_transfer_id: paid.id, amount: '1.00', reason: 'customer_request' });
  await h.test.post(`/v1/transfers/${(await pay('6.00', { capture: 'manual' })).id}/capture`, {});
  const [buyer, endpoint] = [await newBuyer(h.test), await newEndpoint(h.test)];
  await payFor(h.test, buyer, endpoint);
  const [offer] = (await h.test.get(`/x402/${endpoint.id}`, { as: null })).body.accepts;
  const payload = signedOnLedger(buyer, offer, '0.10', h.clock.now());
  await h.test.post('/v1/x402/facilitator/settle', { x402Version: 2, paymentPayload: payload, paymentRequirements: offer });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 52 }, (_, n) => h.test.make('/v1/accounts', { type: 'person', name: `${n}` })));
    if (round % 2 === 0) await keepHead();
  }
  for (const amount of ['2.00', '3.00']) await pay(amount);
  await keepHead();
});

describe('rows that were changed behind the platform', () => {
  const all = alterations.map((alteration, n) => ({ alteration, order: `${seed} ${n}` }));
  const place = ({ order }: { order: string }) => hash('sha256', order);
  const some = () => [...all].sort((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, 12);
  const chosen = isSlow ? [...all, ...all].slice(0, Math.max(60, all.length)) : some();

  it('are not said of rows that nobody changed', async () => {
    expect(await report()).toEqual([]);
  });

  it.each(chosen.map(({ alteration, order }, n) => [alteration.what, { alteration, order: `${order} ${n}` }] as const))(
    `are found and named: %s (SEED=${seed})`,
    async (_what, { alteration, order }) => {
      const { name, restore } = await alter(h.platform, alteration, order);
      try {
        const found = await report();
        expect(found, `of ${name}`).toContainEqual(expect.stringContaining(name));
      } finally {
        await restore();
      }
      expect(await report()).toEqual([]);
    },
  );

  it('are found by a head that was kept, where everything was written anew with its hashes', async () => {
    const { ctx, log } = await own();
    await expect(headInLog(ctx, log, heads[1] as string)).resolves.toMatchObject({ logId: log.id });
    const restore = await writeAnew(ctx, async (run) => {
      await run(`UPDATE transfer SET amount = amount * 2 WHERE amount = 400 AND subject_type IS DISTINCT FROM 'refund'`);
    });
    try {
      expect(await verifyAuditLog(ctx, null)).toMatchObject({ valid: true });
      expect(await checkDocuments(h.platform.database)).toEqual([]);
      for (const head of heads.slice(1))
        await expect(headInLog(ctx, log, head)).rejects.toThrow('another root than the head: it was written anew');
    } finally {
      await restore();
    }
    expect(await report()).toEqual([]);
  });
});
