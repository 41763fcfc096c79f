// Erasures, as tests of every operation need them.
import type { Example } from '../../example.js';
import { newAccount } from '../../factories/payment.js';
import type { Client, Json } from '../../harness.js';

/** An account that can be erased. */
export async function closedAccount(client: Client): Promise<Json> {
  const account = await newAccount(client);
  await client.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
  return account;
}

export const example: Example = {
  stored: async ({ client }) => {
    const { id } = await closedAccount(client);
    return { erasure: (await client.make(`/v1/accounts/${id}/erase`, {})).id };
  },
};
