// Policies as tests make them, and payments that they bind.
import { transferBody, twoWallets } from '../../factories/payment.js';
import type { Answer, Client, Json } from '../../harness.js';

export const cap = { kind: 'max_amount', per: 'day', amount: '500.00', currency: 'USD' };

/** A policy for the whole workspace, unless another target is given. */
export function newPolicy(client: Client, extra: object = {}): Promise<Json> {
  return client.make('/v1/policies', { name: 'Spending', target: { type: 'tenant' }, rules: [cap], ...extra });
}

/** A policy over a new wallet with 1000.00, and a way to pay from it. */
export async function boundWallet(
  client: Client,
  rules: object[],
  extra: object = {},
): Promise<{ policy: Json; from: Json; to: Json; pay: (amount: string, payee?: Json, more?: object) => Promise<Answer> }> {
  const { from, to } = await twoWallets(client, { funded: '1000.00' });
  const policy = await newPolicy(client, { target: { type: 'wallet', id: from.id }, rules, ...extra });
  const pay = (amount: string, payee: Json = to, more: object = {}) =>
    client.post('/v1/transfers', transferBody(from, payee, amount, more));
  return { policy, from, to, pay };
}
