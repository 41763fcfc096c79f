// Things that tests of money need: accounts, merchants, transfers, and short ways to read what became of them.
import type { Answer, Client, Harness, Json } from '../harness.js';
import { openWallet } from '../harness.js';

export function newAccount(client: Client, extra: object = {}): Promise<Json> {
  return client.make('/v1/accounts', { type: 'business', name: 'Ada', ...extra });
}

export async function newMerchant(client: Client, extra: object = {}): Promise<Json> {
  const account = await newAccount(client);
  return client.make('/v1/merchants', { name: 'Shop', category: 'cloud-computing', account_id: account.id, ...extra });
}

/** Two wallets of two accounts, the first one with money. */
export async function twoWallets(client: Client, { currency = 'USD', funded = '100.00' } = {}): Promise<{ from: Json; to: Json }> {
  const [payer, payee] = await Promise.all([
    openWallet(client, { currency, funded, name: 'Payer' }),
    openWallet(client, { currency, name: 'Payee' }),
  ]);
  return { from: payer.wallet, to: payee.wallet };
}

/** The body of a transfer between two wallets. */
export function transferBody(from: Json, to: Json, amount: string, extra: object = {}): object {
  return { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount, currency: from.currency, ...extra };
}

export function pay(client: Client, from: Json, to: Json, amount: string, extra: object = {}): Promise<Json> {
  return client.make('/v1/transfers', transferBody(from, to, amount, extra));
}

/** A transfer that waits: it needs no money, so it can be made in production too. */
export async function waitingTransfer(client: Client): Promise<Json> {
  const [payer, payee] = await Promise.all([openWallet(client), openWallet(client)]);
  return pay(client, payer.wallet, payee.wallet, '1.00', { scheduled_for: '2030-01-01T00:00:00Z' });
}

/** Balance of a wallet as the wallet itself shows it. */
export async function balanceOf(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/wallets/${id}`)).body.data.balance;
}

/** Types and data of what was told of an object, oldest first. */
export async function eventsOf({ platform }: Harness, objectId: string): Promise<{ type: string; data: Json }[]> {
  const { rows } = await platform.database.pool.query<{ type: string; data: Json }>(
    'SELECT e.type, event_data(e) AS data FROM event e WHERE e.object_id = $1 ORDER BY e.id',
    [objectId],
  );
  return rows;
}

export const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: Json) => id);
