// What tests of the runaway breaker need: agents that spend, detectors, and the trips that follow.
import { addSeconds } from '../../../src/platform/clock.js';
import { newId } from '../../../src/platform/schema/id.js';
import { transferBody } from '../../factories/payment.js';
import { type Harness, type Json, openWallet } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

export interface Spender extends TestAgent {
  wallet: Json;
  /** Pays as the agent itself. */
  pay: (to: Json, amount: string, extra?: object) => Promise<Json>;
}

/** An agent with 1,000.00 of its own. */
export async function spender({ test }: Harness, extra: object = {}): Promise<Spender> {
  const agent = await enrol(test, { wallet: { currency: 'USD' }, ...extra });
  const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
  await test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '1000.00' });
  const payAs = (to: Json, amount: string, more: object = {}) =>
    test.make('/v1/transfers', transferBody(wallet, to, amount, more), { as: agent.token });
  return { ...agent, wallet, pay: payAs };
}

/** A wallet to pay. */
export const payee = async ({ test }: Harness, funded = '100.00'): Promise<Json> => (await openWallet(test, { funded })).wallet;

/** Lets events be published and heard, and the breaker look, a second later. */
export async function settle(harness: Harness, seconds = 1): Promise<void> {
  await harness.runDue();
  await harness.advance(seconds);
}

export const watch = ({ test }: Harness, ...detectors: object[]) => test.put('/v1/breakers', { detectors });

/** The trips of an agent, oldest first. */
export async function tripsOf({ test }: Harness, { id }: { id: string }): Promise<Json[]> {
  return (await test.get(`/v1/breakers/trips?agent_id=${id}`)).body.data.reverse();
}

/** Stores refusals of an agent, a second apart, as whoever writes decisions does. */
export async function refuse({ platform, clock }: Harness, agent: TestAgent, count: number, code = 'insufficient_balance'): Promise<void> {
  const { unscoped } = platform.database;
  const { workspaceId } = await unscoped.agent.findFirstOrThrow({ where: { id: agent.uuid }, select: { workspaceId: true } });
  const refusals = Array.from({ length: count }, (_, n) => addSeconds(clock.now(), n - count));
  await unscoped.decision.createMany({
    data: refusals.map((evaluatedAt) => ({
      workspaceId,
      id: newId(evaluatedAt),
      outcome: 'deny' as const,
      code,
      agentId: agent.uuid,
      input: {},
      checks: [],
      evaluatedAt,
    })),
  });
}
