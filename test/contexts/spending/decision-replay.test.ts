// What was decided can be decided again: every stored decision names all that it was decided by, also when every rule has changed since.
import { beforeAll, describe, expect, it } from 'vitest';
import { type DecisionInput, inputIn, readChecks } from '../../../src/contexts/spending/pipeline/decision-record.js';
import type { Decision as DecisionRow, LedgerTransaction } from '../../../src/generated/prisma/client.js';
import { decisionsOf, newSpender, type Spender, watch } from '../../factories/decision.js';
import { newHolder, newSeller } from '../../factories/mandate.js';
import { transferBody } from '../../factories/payment.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { operationAt } from '../../openapi.js';
import { outcomeOf, replay } from './decision-replay.js';

const harness = useHarness();
const hasBudgets = operationAt('POST', '/v1/budgets') !== undefined;
let rows: DecisionRow[];
let answers: Answer[];

/** Sends spends of every kind, and changes every rule in between. */
async function play(): Promise<Answer[]> {
  const client = harness.test;
  const caps = (perDay: string) => ({ tier: 1, currency: 'USD', per_tx: '400.00', per_day: perDay, per_month: '5000.00' });
  await client.put('/v1/kya-limits', { tiers: [caps('300.00'), { tier: 1, currency: 'EUR', per_month: '4000.00' }] });
  const spenders: Spender[] = [];
  for (const currency of ['USD', 'EUR', 'JPY', 'USDC']) {
    spenders.push(await newSpender(client, { tier: 1, currency, funded: currency === 'JPY' ? '100000' : '1000.00' }));
  }
  const { account, wallet: own } = await openWallet(client, { funded: '300.00' });
  const { wallet: settlement } = await openWallet(client);
  const { wallet: poor } = await openWallet(client);
  const shop = { name: 'Shop', category: 'gambling', account_id: settlement.account_id, settlement_wallet_id: settlement.id };
  await client.make('/v1/merchants', shop);
  const sent: Promise<Answer>[] = [];
  // Before any policy: allowed under the caps alone.
  for (const spender of spenders.slice(0, 2)) sent.push(spender.pay('1.00'));
  await Promise.all(sent);
  const blocked = await newSeller(client);
  const holder = await newHolder(client, { max_per_month: '120.00', blocked_merchants: [blocked.id] });
  const execute = async (amounts: string[], extra: object = {}) => {
    for (const amount of amounts) {
      const answer = holder.spend(amount, extra);
      sent.push(answer);
      await answer;
    }
  };
  await execute(['10.00', '50.01', '40.00', '45.00', '5.01']);
  await execute(['1.00'], { merchant_id: blocked.id });
  const scope = { max_per_day: '110.00', allowed_merchants: [blocked.id] };
  const changed = await client.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { scope });
  const last = { mandate_jwt: changed.body.data.mandate_jwt };
  await execute(['0.50'], last);
  await execute(['14.00', '1.01'], { ...last, merchant_id: blocked.id, capture: 'manual' });
  const policy = await client.make('/v1/policies', {
    name: 'Everybody',
    target: { type: 'tenant' },
    rules: [
      { kind: 'max_amount', per: 'day', amount: '700.00', currency: 'USD' },
      { kind: 'max_count', per: 'day', count: 12, action: 'approve' },
      { kind: 'categories', block: ['gambling'] },
      { kind: 'protocols', allow: ['internal'] },
      { kind: 'new_counterparty', action: 'approve' },
    ],
    approval: { threshold: '90.00', currency: 'EUR' },
  });
  await client.make('/v1/policies', {
    name: 'The account',
    target: { type: 'account', id: account.id },
    rules: [{ kind: 'velocity', count: 3, seconds: 60 }],
  });
  const budget = hasBudgets
    ? await client.make('/v1/budgets', { name: 'All', scope: { type: 'tenant' }, amount: '900.00', currency: 'EUR', period: 'week' })
    : undefined;

  const round = async (amounts: string[], extra: object = {}) => {
    for (const amount of amounts) {
      harness.clock.advance(1);
      const paid = spenders.map((spender) =>
        spender.pay(spender.wallet.currency === 'JPY' ? `${Math.ceil(Number(amount) * 100)}` : amount, extra),
      );
      const byAccount = [spenders[0]?.payee, settlement].map((to: Json) =>
        client.post('/v1/transfers', transferBody(own, to, amount, extra)),
      );
      const all = [...paid, ...byAccount];
      sent.push(...all);
      await Promise.all(all);
    }
  };
  await round(['1.00', '20.00', '95.00', '10.01', '500.00']);
  await round(['120.00', '40.00'], { request_approval: true });
  await execute(['0.10'], { ...last, merchant_id: blocked.id, request_approval: true });
  await client.put('/v1/kya-limits', { tiers: [caps('500.00')] });
  await client.put('/v1/rates', {
    rates: [
      { from: 'EUR', to: 'USD', rate: '1.5' },
      { from: 'JPY', to: 'USD', rate: '0.01' },
    ],
  });
  await client.patch(`/v1/policies/${policy.id}`, {
    rules: [
      { kind: 'max_amount', per: 'day', amount: '2500.00', currency: 'USD' },
      { kind: 'max_count', per: 'day', count: 60 },
    ],
    approval: null,
  });
  if (budget !== undefined) await client.patch(`/v1/budgets/${budget.id}`, { amount: '400.00' });
  sent.push(client.post('/v1/transfers', transferBody(poor, settlement, '5.00')));
  await round(['5.00', '60.00', '33.33']);
  await watch(harness, spenders[1] as Spender);
  await round(['2.00', '999.00']);
  await round(['3.00'], { capture: 'manual' });
  const at = new Date(harness.clock.now().getTime() + 5_000).toISOString();
  for (const { wallet, payee, uuid } of spenders)
    sent.push(
      client.post(
        '/v1/transfers',
        transferBody(wallet, payee, wallet.currency === 'JPY' ? '700' : '7.00', { scheduled_for: at, agent_id: uuid }),
      ),
    );
  await Promise.all(sent);
  await harness.advance(5);
  // Nothing is left as it was.
  await client.delete(`/v1/policies/${policy.id}`);
  await client.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { scope: { max_per_tx: '0.01' } });
  await client.put('/v1/kya-limits', { tiers: [] });
  await client.put('/v1/rates', { rates: [{ from: 'EUR', to: 'USD', rate: '2' }] });
  return Promise.all(sent);
}

/** The ledger transaction of a decision; none where it used no limits. */
async function transactionOf({ transactionId: id }: DecisionRow): Promise<LedgerTransaction | undefined> {
  return id === null ? undefined : ((await harness.platform.database.unscoped.ledgerTransaction.findFirst({ where: { id } })) ?? undefined);
}

/** What the counters stood at: before the posting, or as the refusal said; null for what nobody looked at. */
function stood(row: DecisionRow, transaction: LedgerTransaction | undefined): Map<string, bigint> {
  const used = readChecks(row.checks, transaction).flatMap(({ limit }): [string, bigint][] =>
    limit?.counter == null || limit.used === null ? [] : [[`${limit.counter.counter} ${limit.counter.window}`, limit.used]],
  );
  return new Map(used);
}

const layerOf: Record<string, string | undefined> = {
  kya_limit_exceeded: 'kya',
  policy_violation: 'policy',
  budget_exceeded: 'budget',
  mandate_limit_exceeded: 'mandate',
};

beforeAll(async () => {
  answers = await play();
  await decisionsOf(harness, harness.test);
  rows = await harness.platform.database.unscoped.decision.findMany({ orderBy: { id: 'asc' } });
}, 120_000);

describe('stored decisions', () => {
  it('are of every kind', () => {
    const kinds = new Set(rows.map(({ outcome, code }) => code ?? outcome));
    const codes = [
      'kya_limit_exceeded',
      'policy_violation',
      'merchant_blocked',
      'insufficient_balance',
      ...(hasBudgets ? ['budget_exceeded'] : []),
      'mandate_limit_exceeded',
    ];
    expect([...kinds].sort()).toEqual(['allow', 'require_approval', ...codes].sort());
    expect(rows.some(({ input }) => (input as unknown as DecisionInput).requestApproval)).toBe(true);
    expect(rows.some(({ input }) => ((input as unknown as DecisionInput).rates ?? []).length > 1)).toBe(true);
    expect(rows.length).toBeGreaterThan(80);
    const byMandate = rows.filter((row) => inputIn(row).mandate !== undefined);
    const ofVersions = [1, 2].flatMap((version) =>
      ['allow', 'merchant_blocked', 'mandate_limit_exceeded'].map((kind) => `${version} ${kind}`),
    );
    expect(byMandate.map((row) => `${inputIn(row).mandate?.[1]} ${row.code ?? row.outcome}`)).toEqual(
      expect.arrayContaining([...ofVersions, '2 require_approval']),
    );
  });

  it('there is one for every spend that was answered', () => {
    const byOutcome = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
    const made = answers.filter(({ status }) => status === 201 || status === 202);
    // An execution shows its decision as the transfer that it is.
    const transfers = made.filter(({ body }) => body.data.execution_id === undefined);
    expect(transfers.filter(({ body }) => body.data.decision_id === undefined).map(({ body }) => body.data.scheduled_for)).toEqual(
      Array(4).fill(expect.any(String)),
    );
    const ids = new Set(rows.map(({ id }) => `dec_${id}`));
    for (const { body } of made) if (body.data.decision_id !== undefined) expect(ids).toContain(body.data.decision_id);
    expect(byOutcome('allow') + byOutcome('require_approval')).toBeGreaterThanOrEqual(made.length - 4);
    expect(byOutcome('deny')).toBeGreaterThanOrEqual(answers.length - made.length);
  });

  it('come to the same outcome when they are decided again, with the same uses of the same limits', async () => {
    for (const row of rows) {
      const about = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      const ruleResults = await replay(harness.platform.database, row);
      const transaction = await transactionOf(row);
      const before = stood(row, transaction);
      const { outcome, layer } = outcomeOf(ruleResults, inputIn(row), (counter, window) => before.get(`${counter} ${window}`) ?? 0n);
      if (row.code === 'insufficient_balance') expect(outcome, about).not.toBe('deny');
      else {
        // A merchant may be blocked by a policy, or by the mandate.
        const refused = readChecks(row.checks, transaction).find((check) => check.outcome === 'fail');
        const expected = row.code === 'merchant_blocked' ? refused?.layer : layerOf[row.code ?? ''];
        expect([outcome, layer], about).toEqual([row.outcome, expected]);
      }
      const uses = ruleResults.uses.map(({ counter, window, used, reserved, maximum }) => [counter, window, used + reserved, maximum]);
      const stored = readChecks(row.checks, transaction).flatMap(({ limit }) =>
        limit?.counter == null ? [] : [[limit.counter.counter, limit.counter.window, limit.requested, limit.max]],
      );
      expect(uses, about).toEqual(stored);
      if (transaction !== undefined) {
        const posted = ((transaction.limits ?? []) as Json[]).map((use) => [
          use.counter,
          use.window,
          BigInt(use.used) + BigInt(use.reserved),
        ]);
        expect(posted, about).toEqual(uses.map((use) => use.slice(0, 3)));
      }
      expect(ruleResults.rateIds, about).toEqual(inputIn(row).rates ?? []);
    }
  });

  it('would not, if they had been decided by the rules of today', async () => {
    const changed = rows.filter((row) => inputIn(row).policies?.length);
    const today = { ...inputIn(changed[0] as DecisionRow), policies: [] };
    const again = await replay(harness.platform.database, { ...(changed[0] as DecisionRow), input: today as never });
    expect(again.uses.length).toBeLessThan((await replay(harness.platform.database, changed[0] as DecisionRow)).uses.length);
  });
});
