// Every code that refuses with 403, 409 or 422 is caused through HTTP. The harness looks at each answer for its way out and for the
// figures of its limit; here the requests that it suggests are sent, and none of them is refused for its shape.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RuleLayer } from '../src/contexts/spending/pipeline/layer.js';
import { type LimitFigures, limitFigures } from '../src/contexts/spending/pipeline/limit.js';
import type { Authority } from '../src/contexts/spending/pipeline/pipeline.js';
import { limitError, ruleError } from '../src/contexts/spending/pipeline/rule-refusal.js';
import type { SpendFacts } from '../src/contexts/spending/pipeline/rule-result.js';
import { InsufficientScope, type NextAction } from '../src/platform/errors.js';
import { newSpender, type Spender } from './factories/decision.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { checkoutCauses, mandateCauses, moneyCauses, mppCauses, x402Causes } from './factories/refusal.js';
import { type Answer, type Json, openWallet, useHarness } from './harness.js';
import { operationAt } from './openapi.js';
import { readFiles } from './source.js';
import { faultOf } from './way-out.js';

const harness = useHarness();
let spender: Spender;

beforeAll(async () => {
  spender = await newSpender(harness.test, { tier: 1 });
  await harness.test.put('/v1/kya-limits', {
    tiers: [{ tier: 1, currency: 'USD', per_tx: '100.00', per_day: '150.00' }],
  });
});

type Options = { as?: string; headers?: Record<string, string> };
const post = (path: string, body: unknown = {}, options: Options = {}) => harness.test.post(path, body, options);
const pay = (from: Json, to: Json, amount: string, extra: object = {}) => post('/v1/transfers', transferBody(from, to, amount, extra));

/** A wallet with 10.00, one to pay, and a transfer between them that is held. */
async function held(): Promise<{ from: Json; to: Json; transfer: Json }> {
  const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
  return { from, to, transfer: (await pay(from, to, '5.00', { capture: 'manual' })).body.data };
}

async function step(path: string, verb: string): Promise<void> {
  expect((await post(`${path}/${verb}`)).status).toBe(200);
}

const workspaceFrozen = (at: string | null) =>
  harness.platform.database.pool.query('UPDATE workspace SET frozen_at = $1 WHERE id = (SELECT workspace_id FROM wallet WHERE id = $2)', [
    at,
    spender.wallet.id,
  ]);

/** What answers with each code. */
const causes: Record<string, () => Promise<Answer>> = {
  forbidden: () => post('/v1/transfers', transferBody(spender.payee, spender.wallet, '1.00'), { as: spender.token }),
  api_key_required: async () => {
    const { token } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    return post('/v1/api-keys', { name: 'Another' }, { as: token });
  },
  session_required: () => harness.test.get(`/v1/agents/${spender.id}/connect`, { as: spender.token }),
  test_mode_only: async () => {
    const { wallet } = await openWallet(harness.live);
    return harness.live.post(`/v1/wallets/${wallet.id}/fund`, { amount: '1.00' });
  },
  kya_limit_exceeded: () => spender.pay('100.01', { description: 'Too much', reference: 'again', metadata: { a: 1 } }),
  wallet_frozen: async () => {
    const { from, to } = await twoWallets(harness.test);
    await step(`/v1/wallets/${from.id}`, 'freeze');
    return pay(from, to, '1.00');
  },
  agent_frozen: async () => {
    const other = await newSpender(harness.test);
    await step(`/v1/agents/${other.id}`, 'freeze');
    return other.pay('1.00');
  },
  agent_suspended: async () => {
    const other = await newSpender(harness.test);
    await step(`/v1/agents/${other.id}`, 'suspend');
    return other.pay('1.00');
  },
  workspace_frozen: async () => {
    await workspaceFrozen(harness.clock.now().toISOString());
    const { from, to } = await twoWallets(harness.test);
    const answer = await pay(from, to, '1.00');
    await workspaceFrozen(null);
    return answer;
  },
  state_conflict: async () => {
    const { transfer } = await held();
    await step(`/v1/transfers/${transfer.id}`, 'capture');
    return post(`/v1/transfers/${transfer.id}/cancel`);
  },
  hold_expired: async () => {
    const { transfer } = await held();
    harness.clock.advance(90_000);
    return post(`/v1/transfers/${transfer.id}/capture`);
  },
  already_exists: async () => {
    const { from, to } = await twoWallets(harness.test);
    await pay(from, to, '1.00', { reference: 'taken' });
    return pay(from, to, '1.00', { reference: 'taken' });
  },
  idempotency_in_flight: async () => {
    const body = { type: 'business', name: 'Ada' };
    const send = () => post('/v1/accounts', body, { headers: { 'Idempotency-Key': 'crowd' } });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    return answers.find(({ status }) => status === 409) ?? (answers[0] as Answer);
  },
  idempotency_key_reused: async () => {
    const send = (name: string) => post('/v1/accounts', { type: 'business', name }, { headers: { 'Idempotency-Key': 'twice' } });
    await send('Ada');
    return send('Grace');
  },
  currency_mismatch: async () => {
    const [{ wallet: from }, { wallet: to }] = [await openWallet(harness.test), await openWallet(harness.test, { currency: 'EUR' })];
    return pay(from, to, '1.00');
  },
  insufficient_balance: async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    return pay(from, to, '2.00');
  },
  same_wallet: () => twoWallets(harness.test).then(({ from }) => pay(from, from, '1.00')),
  person_required: () => harness.live.post('/v1/invitations', { email: 'ada@example.com', role: 'owner' }),
  ...moneyCauses(harness),
  ...mandateCauses(harness),
  ...checkoutCauses(harness),
  ...x402Causes(harness),
  invalid_webhook_url: () => post('/v1/webhooks', { url: 'https://127.0.0.1/in', events: ['*'] }),
};

/** Codes whose rules have tests of their own; what their errors say is looked at below. */
const ofLimits = ['policy_violation', 'merchant_blocked', 'budget_exceeded', 'mandate_limit_exceeded'];
const madeBelow = ['insufficient_scope', 'step_up_required', ...ofLimits, 'rail_limit_exceeded', 'rail_unexamined'];

/** Codes that a protocol spells on its own wire, whose tests cause them. */
const onTheWire = ['capabilities_incompatible', 'no_offer', 'profile_malformed', 'version_unsupported'];

/** Sends what a refusal suggests; each is understood, whatever becomes of it. */
async function sendSuggested(details: Json): Promise<number> {
  const ready = (details.next_actions ?? []).filter(({ method, body }: Json) => method === 'POST' && body !== undefined);
  for (const { actor, path, body } of ready) {
    const answer = await post(path, body, actor === 'agent' ? { as: spender.token } : {});
    expect([400, 404, 500], `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`).not.toContain(answer.status);
  }
  return ready.length;
}

describe('the codes that refuse', () => {
  it('are all caused here', () => {
    const declared = readFiles(['src'], ['.ts']).flatMap(({ text }) => [
      ...[...text.matchAll(/declareError\((?:403|409|422), '(\w+)'\)/g)].map(([, code]) => code),
      ...[...text.matchAll(/declareForbidden\('(\w+)'\)/g)].map(([, code]) => code),
    ]);
    expect(declared.length).toBeGreaterThan(20);
    expect([...new Set(declared)].sort()).toEqual([...Object.keys(causes), ...madeBelow, ...onTheWire].sort());
  });

  async function expectCaused(code: string, cause: () => Promise<Answer>): Promise<void> {
    const { body, status } = await cause();
    expect([status, body.code], JSON.stringify(body)).toEqual([expect.toSatisfy((n: number) => [403, 409, 422].includes(n)), code]);
    await sendSuggested(body.details);
  }

  for (const [code, cause] of Object.entries(causes)) {
    // What it leads to is another part's to offer.
    const isHere = code !== 'workspace_frozen' || operationAt('GET', '/v1/spending') !== undefined;
    it.runIf(isHere)(code, () => expectCaused(code, cause));
  }

  it.each(mppCauses(harness))('%s, of MPP', expectCaused);

  it('suggest requests that can be sent as they are, with all that the first one said', async () => {
    const { body } = await spender.pay('120.00', { description: 'Too much', reference: 'smaller', metadata: { a: 1 } });
    const smaller = body.details.next_actions.find(({ rel }: Json) => rel === 'smaller_amount');
    const sent = await post(smaller.path, smaller.body, { as: spender.token });
    expect(sent).toMatchObject({
      status: 201,
      body: { data: { amount: '100.00', description: 'Too much', reference: 'smaller', metadata: { a: 1 } } },
    });
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    expect(await sendSuggested((await pay(from, to, '2.00')).body.details)).toBe(1);
  });

  it('of a hold ask for the same hold', async () => {
    const { body } = await spender.pay('120.00', { capture: 'manual', hold_expires_in: 60, agent_id: spender.id });
    const smaller = body.details.next_actions.find(({ rel }: Json) => rel === 'smaller_amount');
    expect(smaller.body).toMatchObject({ capture: 'manual', hold_expires_in: 60, agent_id: spender.uuid });
    expect(await sendSuggested(body.details)).toBe(1);
  });
});

describe('the refusal of a rule', () => {
  const at = new Date('2026-03-02T10:00:00.000Z');

  /** A spend of the agent that a rule is asked about. */
  function authority(): Authority {
    const party = ({ id: walletId, account_id: accountId }: Json) => ({ walletId, accountId, agentId: null });
    const facts: SpendFacts = {
      at,
      amount: 700n,
      currency: 'USD',
      protocol: 'internal',
      payer: party(spender.wallet),
      payee: party(spender.payee),
      agent: { id: spender.uuid, kyaTier: 1 },
      traceId: null,
      mandateId: null,
      breakerTripId: null,
      lifted: null,
    };
    const body = transferBody(spender.wallet, spender.payee, '7.00') as Record<string, unknown>;
    const request = { path: '/v1/transfers', body: () => body };
    const ruleResults = { uses: [], results: [], rateIds: [] };
    return { at, agentId: spender.uuid, guards: [], facts, rules: {} as Authority['rules'], ruleResults, request };
  }

  const uuid = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
  const rules: [RuleLayer, string, string][] = [
    ['kya', 'kya.tier.1', 'kya_limit_exceeded'],
    ['policy', `pol_${uuid}.rules.0`, 'policy_violation'],
    ['budget', `bud_${uuid}`, 'budget_exceeded'],
    ['mandate', `ap2_mnd_${uuid}`, 'mandate_limit_exceeded'],
  ];
  const changes: Partial<Record<RuleLayer, string>> = { policy: '/v1/policies/x', budget: '/v1/budgets/x' };
  const isHere = (layer: RuleLayer) => changes[layer] === undefined || operationAt('PATCH', changes[layer]) !== undefined;

  for (const [layer, ruleId, code] of rules) {
    const use = { layer, ruleId, counter: 'c', window: 'w', used: 700n, reserved: 0n, maximum: 1_000n, action: 'deny' } as const;

    it.runIf(isHere(layer))(`${code} by an amount, with figures and what could be sent instead`, async () => {
      const resetsAt = new Date('2026-03-03T00:00:00.000Z');
      const daily = { ...use, per: 'day', currency: 'USD', resetsAt } as const;
      const error = limitError(daily, limitFigures(daily, 600n), authority(), false);
      expect(faultOf(403, error.details)).toBeNull();
      expect(error).toMatchObject({
        status: 403,
        code,
        details: {
          rule_id: ruleId,
          limit: { kind: layer, per: 'day', currency: 'USD', max: '10.00', used: '6.00', requested: '7.00', remaining: '4.00' },
          retry: { safe: true, same_key: true, after_s: 14 * 3_600 },
        },
      });
      const actions = error.details?.next_actions as NextAction[] | undefined;
      const offered = actions?.map(({ rel, body }) => [rel, body?.['amount'], body?.['request_approval']]);
      const approval = layer === 'policy' || layer === 'budget' ? [['request_approval', '7.00', true]] : [];
      expect(offered).toEqual(
        expect.arrayContaining([['smaller_amount', '4.00', undefined], ...approval, ['limits', undefined, undefined]]),
      );
      expect(offered?.some(([rel]) => rel === 'request_approval')).toBe(approval.length > 0);
      expect(await sendSuggested(error.details)).toBe(1 + approval.length);
    });

    it.runIf(isHere(layer))(`${code} by a number of spends`, async () => {
      const counted = { ...use, used: 1n, maximum: 3n, per: '90s', currency: null, resetsAt: null } as const;
      const error = limitError(counted, limitFigures(counted, 3n), authority(), false);
      expect(faultOf(403, error.details)).toBeNull();
      expect(error.details).toMatchObject({ reason: 'velocity', limit: { per: '90s', currency: null, max: 3, used: 3, remaining: 0 } });
      await sendSuggested(error.details);
    });

    it.runIf(isHere(layer))(`${code} by itself, as for the size of one spend`, async () => {
      const limit: LimitFigures = { kind: layer, per: 'tx', currency: 'USD', max: 500n, used: 0n, requested: 700n, resetsAt: null };
      const result = { layer, ruleId, outcome: 'fail', code, reason: 'max_amount', message: 'Too much.', limit } as never;
      const error = ruleError(result, authority());
      expect(faultOf(403, error.details)).toBeNull();
      expect(error.details?.next_actions?.[0]).toMatchObject({ rel: 'smaller_amount', body: { amount: '5.00' } });
      await sendSuggested(error.details);
    });
  }

  it.runIf(isHere('policy'))('merchant_blocked, where no amount would help', () => {
    const rule = { layer: 'policy', ruleId: `pol_${uuid}.rules.0`, outcome: 'fail', code: 'merchant_blocked' } as const;
    const error = ruleError({ ...rule, reason: 'merchant', message: 'This merchant is blocked.' }, authority());
    expect([error.status, error.code, faultOf(403, error.details)]).toEqual([403, 'merchant_blocked', null]);
    expect(error.details?.next_actions?.map(({ rel }) => rel)).toEqual(['request_approval', 'limits', 'change_limit']);
  });

  it('insufficient_scope', () => expect(faultOf(403, new InsufficientScope({ required: 'cards:read', scopes: [] }).details)).toBeNull());
});

describe('the look at a refusal', () => {
  const limit = { kind: 'kya', per: 'day', currency: 'USD', max: '10.00', used: '7.00', requested: '4.00', remaining: '3.00' };
  const way = { terminal: true };

  it.each([
    ['a limit that is missing', { reason: 'max_amount', ...way }],
    ['a figure that is missing', { limit: { ...limit, used: undefined }, ...way }],
    ['a figure that is no amount', { limit: { ...limit, max: 10 }, ...way }],
    ['remaining that is wrong', { limit: { ...limit, remaining: '4.00' }, ...way }],
    ['a limit that was not passed', { limit: { ...limit, requested: '3.00' }, ...way }],
    ['an unknown kind', { limit: { ...limit, kind: 'luck' }, ...way }],
    ['an action that is no operation', { next_actions: [{ method: 'POST', path: '/v1/nothing' }] }],
    ['an action that could not be sent', { next_actions: [{ method: 'POST', path: '/v1/transfers', body: { amount: '1.00' } }] }],
    ['an action with a misspelt member', { next_actions: [{ method: 'POST', path: '/v1/test/clocks/advance', body: { second: 1 } }] }],
  ])('finds %s', (_name, details) => expect(faultOf(403, details)).toMatch(/\S/));

  it('finds nothing in what is whole', async () => {
    const { transfer } = await held();
    const path = `/v1/transfers/${transfer.id}/capture`;
    expect(faultOf(403, { reason: 'max_amount', limit, next_actions: [{ method: 'POST', path, body: { amount: '1.00' } }] })).toBeNull();
  });
});
