// A customer with a mark in everything that is personal: afterwards no mark is left in a dump, and the books, the reports and the evidence are
// what they were.
import type pg from 'pg';
import { expect, it } from 'vitest';
import { tablesOf } from '../../../src/contexts/erasure/stage.js';
import { catalogOf } from '../../../src/events/catalog.js';
import { withoutText } from '../../../src/events/personal.js';
import { verifyPack } from '../../../verify/src/verify.js';
import { madeSeeds, prepare } from '../../example.js';
import { pay } from '../../factories/payment.js';
import { disputeBody } from '../../factories/refund.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { operations, pathOf } from '../../operation.js';
import { enrol } from '../agents/identity.js';
import { erasedColumns, linesWith, mark, markTable, otherMark, past, subjectsOf } from './marked-rows.js';

const h = useHarness();
const get = async (path: string): Promise<Json> => (await h.test.get(path)).body;
const reports = ['/v1/ledger/trial-balance', '/v1/usage/summary', '/v1/usage/costs', '/v1/analytics/protocol-distribution'];
/** Members that move with the clock and with the log. */
const moving = ['tree_head', 'tree_size', 'checkpoint', 'period', 'as_of'];
const figures = async () =>
  JSON.stringify(await Promise.all(reports.map(get)), (name, value) => (moving.includes(name) ? undefined : value));
const verified = async () => (await get('/v1/audit-log/verify')).data;

/** Gives rows to the account that the seeds have made for others, and makes what they have none of. */
async function adopt(tx: pg.ClientBase, { accountId, agentId }: { accountId: string; agentId: string }): Promise<void> {
  await tx.query('UPDATE checkout SET payer_agent_id = $1', [agentId]);
  await tx.query('UPDATE cart SET creator_agent_id = $1', [agentId]);
  await tx.query('UPDATE card_instruction SET account_id = $1', [accountId]);
  await tx.query(`UPDATE rail_statement SET reference = (SELECT rail_reference FROM payout WHERE rail_reference IS NOT NULL LIMIT 1)`);
  await tx.query('UPDATE discrepancy SET payout_id = (SELECT id FROM payout LIMIT 1)');
  await tx.query(`INSERT INTO approval_vote (workspace_id, approval_id, member_id, vote, via, at)
    SELECT workspace_id, id, gen_random_uuid(), 'approve', 'api', now() FROM approval`);
  await tx.query(`INSERT INTO connector_order (workspace_id, id, rail, reference, direction, amount, currency, sealed_destination, created_at, expected_at)
    SELECT workspace_id, id, rail, id::text, 'out', amount, currency, '', created_at, created_at FROM payout`);
  await tx.query(`INSERT INTO delivery_attempt (workspace_id, id, delivery_id, started_at, duration_ms)
    SELECT workspace_id, gen_random_uuid(), id, created_at, 1 FROM webhook_delivery`);
}

it('a marked customer is erased, and nothing else', { timeout: 240_000 }, async () => {
  const seeds = await madeSeeds(h);
  const accountId = seeds['account'] ?? '';
  // By the API: what is written so stands in events, kept answers, lines of the audit log and packs too.
  const keyed = { headers: { 'Idempotency-Key': 'marked' } };
  const { wallet } = await openWallet(h.test, { funded: '50.00', name: otherMark });
  const purse = (await h.test.post('/v1/wallets', { owner_type: 'account', owner_id: accountId, currency: 'USD', name: mark }, keyed)).body
    .data;
  await h.test.make(`/v1/wallets/${purse.id}/fund`, { amount: '20.00' });
  await h.test.patch(`/v1/accounts/${accountId}`, { name: mark, email: `${mark}@example.com`, metadata: { [mark]: mark } });
  const paid = await pay(h.test, purse, wallet, '3.00', { description: mark, metadata: { note: mark }, shared_metadata: { note: mark } });
  const others = await pay(h.test, wallet, (await openWallet(h.test)).wallet, '1.00', { description: otherMark });
  const evidence = [{ type: 'receipt', description: mark, content: mark, url: `https://${mark}.example.com` }, { type: 'pack' }];
  const dispute = await h.test.make('/v1/disputes', { ...disputeBody(paid), description: mark, evidence });
  await h.test.make(`/v1/disputes/${dispute.id}/resolve`, { resolution: 'rejected', notes: mark });
  const agent = await enrol(h.test, { parent_account_id: accountId });
  const item = { type: 'internal', from_wallet_id: purse.id, to_wallet_id: wallet.id, amount: '1.00', currency: 'USD', description: mark };
  await h.test.make(
    '/v1/transfers/batch',
    { transfers: [item, { ...item, amount: '1000.00' }], metadata: { note: mark } },
    { as: agent.token },
  );
  await prepare('answerTaskInput', h.test, seeds);
  // What is on its way arrives.
  for (let n = 0; n < 5; n += 1) await h.advance(86_400);
  const pack = JSON.stringify(await get(`/v1/transfers/${paid.id}/evidence`));
  const before = await figures();

  // By SQL, in every column of every row: what is open on the account is closed, as nobody can erase it before.
  const { pool } = h.platform.database;
  await past(pool, async (tx) => {
    await tx.query("UPDATE account SET status = 'closed' WHERE id = $1", [accountId]);
    await tx.query("UPDATE dispute SET status = 'resolved', resolution = 'rejected', resolved_at = created_at");
    await adopt(tx, { accountId, agentId: agent.uuid });
    const own = tablesOf('account');
    const subjects = await subjectsOf(tx, [accountId], own);
    const marked = new Set<string>();
    for (const table of own) for (const name of await markTable(tx, table, subjects)) marked.add(name);
    expect(erasedColumns(own).filter((name) => !marked.has(name))).toEqual([]);
    for (const { id, type, data } of (await tx.query('SELECT id, type, data FROM event WHERE data IS NOT NULL')).rows) {
      const schema = catalogOf({ platform: h.platform }).get(type)?.data;
      const word = [...subjects].some((one) => JSON.stringify(data).includes(one)) ? mark : otherMark;
      if (schema === undefined) continue;
      const filled = JSON.stringify(withoutText(schema, data)).replaceAll('"erased"', JSON.stringify(word));
      await tx.query('UPDATE event SET data = $2 WHERE id = $1', [id, filled]);
    }
  });
  const url = h.platform.database.url;
  expect((await linesWith(pool, url, mark)).length).toBeGreaterThan(100);
  const otherPayment = await get(`/v1/transfers/${others.id}`);
  const kept = (await linesWith(pool, url, otherMark)).length;
  expect(kept).toBeGreaterThan(5);

  const erasure = await h.test.make(`/v1/accounts/${accountId}/erase`, {});
  for (let n = 0; n < 5 && (await get(`/v1/erasures/${erasure.id}`)).data.status !== 'done'; n += 1) await h.advance(300);
  expect((await get(`/v1/erasures/${erasure.id}`)).data.status).toBe('done');

  expect(await linesWith(pool, url, mark)).toEqual([]);
  expect((await linesWith(pool, url, otherMark)).length).toBe(kept);
  expect(await figures()).toBe(before);
  const log = await verified();
  expect(log).toMatchObject({ valid: true, first_invalid_id: null });
  expect(log.erased).toBeGreaterThan(20);
  expect(await get(`/v1/transfers/${others.id}`)).toEqual(otherPayment);
  // All that was erased can still be read.
  for (const { method, template } of operations()) {
    if (method !== 'GET') continue;
    const { status } = await h.test.get(pathOf(template, seeds));
    expect(status, template).toBeLessThan(500);
  }
  // Packs of before still prove the payment, and so does one of now, without what was said.
  expect(verifyPack(pack)).toMatchObject({ outcome: 'own' });
  const now = JSON.stringify(await get(`/v1/transfers/${paid.id}/evidence`));
  expect(verifyPack(now)).toMatchObject({ outcome: 'own', pack: { transferId: `tx_${paid.id}` } });
  const stored = (await get(`/v1/disputes/${dispute.id}`)).data.evidence;
  expect(stored.map(({ type }: Json) => type)).toEqual(['erased', 'pack']);
  expect(verifyPack(stored[1].content)).toMatchObject({ outcome: 'own' });
});
