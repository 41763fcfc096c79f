// Wallets with money, and transfers between them.
import { transferRequest } from './measure.js';
import { type Sandbox, say } from './platform.js';

/** Wallets of one account, in US dollars; their ids. */
export async function makeWallets(sandbox: Pick<Sandbox, 'make'>, count: number): Promise<string[]> {
  const make = async (target: string, body: object) => (await sandbox.make<{ data: { id: string } }>(target, body)).data.id;
  const owner = await make('/v1/accounts', { type: 'business', name: 'Bench' });
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (ids.length < count) {
        const at = ids.push('') - 1;
        const id = await make('/v1/wallets', { owner_type: 'account', owner_id: owner, currency: 'USD' });
        await make(`/v1/wallets/${id}/fund`, { amount: '1000000.00' });
        ids[at] = id;
      }
    }),
  );
  say(`${count} wallets made and funded`);
  return ids;
}

/** Requests that pay from a wallet at random. */
export function requestMaker(url: URL, ids: readonly string[], hot: boolean, keys: boolean): () => string {
  const run = Math.random().toString(36).slice(2);
  let n = 0;
  return () => {
    n += 1;
    const a = 1 + Math.floor(Math.random() * (ids.length - 1));
    const b = hot ? 0 : 1 + ((a - 1 + 1 + Math.floor(Math.random() * (ids.length - 2))) % (ids.length - 1));
    const body = `{"type":"internal","from_wallet_id":"${ids[a]}","to_wallet_id":"${ids[b]}","amount":"0.01","currency":"USD"}`;
    return transferRequest(url, body, keys ? `${run}-${n}` : undefined);
  };
}
