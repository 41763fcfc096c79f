// Money that comes in, as tests of every operation need it.
import type { Example } from '../../example.js';
import { newFunding, storedFunding } from '../../factories/funding.js';

/** As paths and ids of it call it. */
const named = ({ id }: { id: string }) => ({ transaction: id, funding_transaction: id });

export const example: Example = {
  stored: async ({ harness, client }) => named(await storedFunding(harness, client)),
  made: async ({ client, wallet }) => named(await newFunding(client, 'ach', {}, wallet)),
  bodies: { createFundingTransaction: () => ({ provider: 'sandbox', type: 'sandbox' }) },
};
