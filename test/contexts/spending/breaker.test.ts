// The runaway breaker at work: real transfers of agents, and the trips that follow from them (src/contexts/spending/breaker/breaker-look.ts).
import { beforeEach, describe, expect, it } from 'vitest';
import { manifest } from '../../../src/contexts.js';
import { publishEvents } from '../../../src/events/outbox.js';
import { pay, transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';
import { enrol } from '../agents/identity.js';
import { payee, refuse, type Spender, settle, spender, tripsOf, watch } from './runaway.js';

const harness = useHarness();
const iso = () => harness.clock.now().toISOString();
const kindsOf = async (agent: Spender) => (await tripsOf(harness, agent)).map(({ kind }) => kind);

/** Pays several times, `everySeconds` apart, and has the breaker look. */
async function payOften(agent: Spender, to: Json, amounts: readonly string[], everySeconds = 1): Promise<Json[]> {
  const paid: Json[] = [];
  for (const amount of amounts) {
    paid.push(await agent.pay(to, amount));
    harness.clock.advance(everySeconds);
  }
  await settle(harness);
  return paid;
}
const alike = (count: number, amount = '5.00') => Array<string>(count).fill(amount);

// Each test begins with a new minute.
beforeEach(async () => {
  await watch(harness);
  await settle(harness, 60 - ((harness.clock.now().getTime() / 1000) % 60));
});

describe('without a detector', () => {
  it('nothing is noted of anybody', async () => {
    const agent = await spender(harness);
    await payOften(agent, await payee(harness), alike(5));
    await refuse(harness, agent, 5);
    await watch(harness, { kind: 'same_payment', action: 'freeze', count: 2, seconds: 60 });
    await settle(harness);
    expect(await tripsOf(harness, agent)).toEqual([]);
    expect(
      await query(harness, 'SELECT count(*)::int AS looks, (SELECT count(*)::int FROM spend_minute) AS minutes FROM breaker_look'),
    ).toEqual([{ looks: 0, minutes: 0 }]);
  });
});

describe('same_payment', () => {
  const detector = { kind: 'same_payment', action: 'notify', count: 3, seconds: 60 };
  beforeEach(() => watch(harness, detector));

  it('trips for as many alike, and shows them', async () => {
    const agent = await spender(harness);
    const shop = await payee(harness);
    const from = iso();
    const paid = await payOften(agent, shop, alike(3), 30);
    const [trip, ...others] = await tripsOf(harness, agent);
    const evidence = {
      count: 3,
      from,
      to: paid[2].created_at,
      transfer_ids: paid.map(({ id }) => `tx_${id}`),
      to_wallet_id: `wal_${shop.id}`,
      amount: '5.00',
      currency: 'USD',
    };
    const head = { id: expect.stringMatching(/^trip_/), agent_id: agent.uuid, kind: 'same_payment', action: 'notify' };
    const endsAt = new Date(new Date(trip.at).getTime() + 3_600_000).toISOString();
    expect([trip, others]).toEqual([{ ...head, evidence, at: expect.any(String), ends_at: endsAt }, []]);
  });

  it('counts holds and what an API key spends for the agent, and no others', async () => {
    const [acting, alone, holding] = [await spender(harness), await spender(harness), await spender(harness)];
    const shop = await payee(harness);
    for (let n = 0; n < 3; n += 1) {
      await pay(harness.test, acting.wallet, shop, '1.00', { agent_id: acting.id });
      await pay(harness.test, alone.wallet, shop, '1.00');
      await holding.pay(shop, '1.00', { capture: 'manual' });
    }
    await settle(harness);
    expect([await kindsOf(acting), await kindsOf(alone), await kindsOf(holding)]).toEqual([['same_payment'], [], ['same_payment']]);
  });

  it('does not trip for other amounts, other payees, or a longer time', async () => {
    const [amounts, payees, slow] = [await spender(harness), await spender(harness), await spender(harness)];
    const shop = await payee(harness);
    for (let n = 0; n < 3; n += 1) {
      await amounts.pay(shop, `1.0${n}`);
      await payees.pay(await payee(harness), '1.00');
      await slow.pay(shop, '1.00');
      await settle(harness, 31);
    }
    expect([await kindsOf(amounts), await kindsOf(payees), await kindsOf(slow)]).toEqual([[], [], []]);
  });

  it('does not count what was called off, or stays with its owner', async () => {
    const agent = await spender(harness);
    const shop = await payee(harness);
    const { wallet: own } = await openWallet(harness.test, { funded: '50.00' });
    const helper = await enrol(harness.test, { parent_account_id: own.account_id, wallet: { currency: 'USD' } });
    for (let n = 0; n < 3; n += 1) {
      const held = await agent.pay(shop, '1.00', { capture: 'manual' });
      await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
      await pay(harness.test, own, { id: helper.agent.default_wallet_id }, '1.00', { agent_id: helper.id });
    }
    await settle(harness);
    expect([await kindsOf(agent), await tripsOf(harness, helper)]).toEqual([[], []]);
  });

  it('makes one trip an hour of a storm, and counts no payment in two', async () => {
    const agent = await spender(harness);
    const shop = await payee(harness);
    await payOften(agent, shop, alike(3));
    await payOften(agent, shop, alike(7));
    expect(await kindsOf(agent)).toHaveLength(1);
    await watch(harness, { ...detector, seconds: 86_400 });
    await settle(harness, 3_600);
    await payOften(agent, shop, alike(1));
    const [, second, ...others] = await tripsOf(harness, agent);
    // The seven that came while the first one held, and one more: not those that it had seen.
    expect([second.evidence.count, others]).toEqual([8, []]);
    await settle(harness, 3_600);
    await payOften(agent, shop, alike(2));
    expect(await kindsOf(agent)).toHaveLength(2);
  });

  it('watches its own workspace alone', async () => {
    const theirs = { ...harness, test: harness.other } as typeof harness;
    const agent = await spender(theirs);
    const shop = await payee(theirs);
    for (let n = 0; n < 3; n += 1) await agent.pay(shop, '1.00');
    await settle(harness);
    expect(await tripsOf(theirs, agent)).toEqual([]);
  });
});

describe('failures', () => {
  beforeEach(() => watch(harness, { kind: 'failures', action: 'notify', count: 4, seconds: 60 }));

  it('trips for refusals alone, without any event', async () => {
    const agent = await spender(harness);
    await harness.runDue();
    await refuse(harness, agent, 3);
    await refuse(harness, agent, 1, 'policy_violation');
    await harness.advance(1);
    const [{ evidence }] = await tripsOf(harness, agent);
    expect(evidence).toMatchObject({ count: 4, codes: { insufficient_balance: 3, policy_violation: 1 }, transfer_ids: [] });
  });

  it('counts scheduled transfers that fail, each once, beside refusals', async () => {
    const agent = await spender(harness);
    const shop = await payee(harness);
    const at = new Date(harness.clock.now().getTime() + 30_000).toISOString();
    const failing = [await agent.pay(shop, '1.00', { scheduled_for: at }), await agent.pay(shop, '2.00', { scheduled_for: at })];
    await harness.runDue();
    await harness.test.make(`/v1/wallets/${agent.wallet.id}/freeze`, {});
    await harness.advance(31);
    await settle(harness);
    for (const { id } of failing) {
      const { data } = (await harness.test.get(`/v1/transfers/${id}`)).body;
      expect(data).toMatchObject({ status: 'failed', failure: { code: 'wallet_frozen' } });
    }
    // They were refused, which their decisions tell: with three decisions there are three failures.
    const decisions = await harness.platform.database.unscoped.decision.count({ where: { agentId: agent.uuid, outcome: 'deny' } });
    await refuse(harness, agent, 3 - decisions, 'wallet_frozen');
    await harness.advance(1);
    expect(await kindsOf(agent)).toEqual([]);
    // A rail makes no decision.
    await query(harness, "UPDATE transfer SET failure_code = 'rail_rejected' WHERE id = ANY ($1)", [failing.map(({ id }) => id)]);
    await refuse(harness, agent, 1, 'wallet_frozen');
    await harness.advance(1);
    const [{ evidence }] = await tripsOf(harness, agent);
    expect(evidence).toMatchObject({ count: 6, codes: { wallet_frozen: 4, rail_rejected: 2 } });
    expect(evidence.transfer_ids.sort()).toEqual(failing.map(({ id }) => `tx_${id}`));
  });

  it('does not count refusals by a freeze, or those of a longer time', async () => {
    const agent = await spender(harness);
    for (const code of ['workspace_frozen', 'agent_frozen', 'agent_suspended']) await refuse(harness, agent, 4, code);
    for (let n = 0; n < 4; n += 1) {
      await refuse(harness, agent, 1);
      await harness.advance(21);
    }
    expect(await kindsOf(agent)).toEqual([]);
  });
});

describe('rate', () => {
  beforeEach(() => watch(harness, { kind: 'rate', action: 'notify', factor: 3 }));
  const differing = (count: number) => Array.from({ length: count }, (_, n) => `0.${10 + n}`);

  it('trips for a minute with so many times the median of those before, within a day', async () => {
    const [agent, steady] = [await spender(harness), await spender(harness)];
    const shop = await payee(harness);
    for (let n = 0; n < 3; n += 1) {
      await payOften(agent, shop, differing(4), 0);
      await settle(harness, 600);
    }
    await payOften(steady, shop, differing(12), 0);
    await settle(harness, 60 - ((harness.clock.now().getTime() / 1000) % 60));
    await payOften(steady, shop, differing(12), 0);
    const from = iso();
    await payOften(agent, shop, differing(11), 0);
    expect(await kindsOf(agent)).toEqual([]);
    const last = (await payOften(agent, shop, ['0.50'], 0))[0];
    const [{ evidence }] = await tripsOf(harness, agent);
    expect(evidence).toMatchObject({
      count: 12,
      median: 4,
      minutes: 3,
      to: new Date(new Date(`${from.slice(0, 17)}00Z`).getTime() + 60_000).toISOString(),
    });
    expect([evidence.transfer_ids.length, evidence.transfer_ids.at(-1)]).toEqual([12, `tx_${last.id}`]);
    expect(await kindsOf(steady)).toEqual([]);
  });

  it('hears a whole day late what it would have heard at once', async () => {
    const agent = await spender(harness);
    const shop = await payee(harness);
    for (const count of [1, 1, 10]) {
      for (const amount of differing(count)) await agent.pay(shop, amount);
      harness.clock.advance(60);
    }
    await publishEvents(harness.platform, { ...manifest.followers, listeners: [] });
    await settle(harness, 60);
    expect(await kindsOf(agent)).toEqual(['rate']);
  });

  it('does not trip for few, however few they were before, or with nothing to compare', async () => {
    const [few, fresh] = [await spender(harness), await spender(harness)];
    const shop = await payee(harness);
    await payOften(few, shop, differing(1), 60);
    await payOften(few, shop, differing(9), 0);
    await payOften(fresh, shop, differing(30), 0);
    expect([await kindsOf(few), await kindsOf(fresh)]).toEqual([[], []]);
  });
});

describe('ping_pong', () => {
  beforeEach(() => watch(harness, { kind: 'ping_pong', action: 'notify', count: 2, seconds: 60 }));

  it('trips when money came back as often, for each agent that takes part', async () => {
    const [one, other] = [await spender(harness), await spender(harness)];
    const paid: Json[] = [];
    for (let n = 0; n < 4; n += 1) {
      const [from, to] = n % 2 === 0 ? [one, other] : [other, one];
      paid.push(await from.pay(to.wallet, `${n + 1}.00`));
      await settle(harness);
      if (n < 3) expect([await kindsOf(one), await kindsOf(other)]).toEqual([[], []]);
    }
    for (const agent of [one, other]) {
      const [{ evidence }] = await tripsOf(harness, agent);
      expect(evidence).toMatchObject({ count: 2, transfer_ids: paid.map(({ id }) => `tx_${id}`) });
      expect(evidence.wallet_ids.sort()).toEqual([`wal_${one.wallet.id}`, `wal_${other.wallet.id}`].sort());
    }
  });

  it('trips for an agent that a company pays back', async () => {
    const agent = await spender(harness);
    const company = await payee(harness);
    for (let n = 0; n < 2; n += 1) {
      await agent.pay(company, '1.00');
      await settle(harness);
      await harness.test.make('/v1/transfers', transferBody(company, agent.wallet, '1.00'));
      await settle(harness);
    }
    expect(await kindsOf(agent)).toEqual(['ping_pong']);
  });

  it('does not trip for payments that go one way, or come back from others', async () => {
    const agent = await spender(harness);
    const [company, third] = [await payee(harness), await payee(harness)];
    for (let n = 0; n < 3; n += 1) {
      await agent.pay(company, '1.00');
      await pay(harness.test, third, agent.wallet, '1.00');
    }
    await settle(harness);
    expect(await kindsOf(agent)).toEqual([]);
  });
});
