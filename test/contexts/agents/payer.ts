// An agent that pays: something for its channel to tell.
import { type Json, openWallet, type useHarness } from '../../harness.js';
import { enrol, signIn, type TestAgent } from './identity.js';

type Harness = ReturnType<typeof useHarness>;

export interface Payer extends TestAgent {
  wallet: Json;
  payee: Json;
  session: string;
}

/** An agent with money of its own, somebody to pay, and a session. */
export async function payer(harness: Harness): Promise<Payer> {
  const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const wallet = { id: agent.agent.default_wallet_id };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '1000.00' });
  await harness.runDue();
  const { wallet: payee, account } = await openWallet(harness.test, { name: 'Grace' });
  return { ...agent, wallet, payee: { ...payee, account }, session: await signIn(harness.test, agent) };
}

/** Pays 1.00 so many times, and lets what follows happen. */
export async function pay(harness: Harness, { wallet, payee }: Payer, times = 1): Promise<Json[]> {
  const made: Json[] = [];
  for (let n = 0; n < times; n += 1) {
    const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: payee.id, amount: '1.00', currency: 'USD' };
    made.push(await harness.test.make('/v1/transfers', body));
  }
  await harness.runDue();
  return made;
}
