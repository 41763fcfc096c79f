// Completions of ACP checkouts by wallet: agents that pay at merchants, beside transfers of the same agents to the merchants' wallets.
import { type Holder, inTurn, makeHolders, transferOf } from './holder.js';
import { postRequest, type Series } from './measure.js';
import type { Sandbox } from './platform.js';

/** Checkouts that are made for each second that they are completed: a machine that completes more runs out of them. */
const perSecond = 1_500;
const perBatch = 100;

/** A checkout that was begun, and the wallet that pays it. */
interface Begun {
  checkout: string;
  wallet: string;
}

export const checkouts: Series = {
  name: 'checkouts',
  aim: 0.5,
  async open(sandbox, seconds) {
    const { url } = sandbox;
    const all = await makeHolders(sandbox);
    const stock = await begin(sandbox, all, seconds * perSecond);
    const complete = inTurn(all, (_holder, key) => {
      const next = stock.pop();
      if (next === undefined) throw new Error('no checkout is left: ask for fewer seconds');
      return postRequest(url, `/v1/acp/checkouts/${next.checkout}/complete`, `{"from_wallet_id":"${next.wallet}"}`, key);
    });
    return { ours: complete, transfers: inTurn(all, (holder, key) => transferOf(url, holder, key)) };
  },
};

/** Begins so many checkouts or a few more, those of one holder far from each other. */
async function begin(sandbox: Sandbox, holders: readonly Holder[], count: number): Promise<Begun[]> {
  const items = [{ sku: 'PEN', quantity: 1, unit_price: '0.01', currency: 'USD' }];
  const bodies = holders.map(({ agent, merchant }) => ({ merchant_id: merchant, agent_id: agent, items, expires_in: 86_400 }));
  const stock: Begun[] = [];
  const batch = async (from: number) => {
    const payers = Array.from({ length: perBatch }, (_, n) => (from + n) % holders.length);
    const body = { checkouts: payers.map((n) => bodies[n]) };
    const made = await sandbox.make<{ checkouts: { id: string }[] }>('/v1/acp/checkouts/batch', body);
    stock.push(...made.checkouts.map(({ id }, n) => ({ checkout: id, wallet: holders[payers[n] ?? 0]?.wallet ?? '' })));
  };
  while (stock.length < count) await Promise.all(Array.from({ length: 8 }, (_, n) => batch(stock.length + n * perBatch)));
  return stock;
}
