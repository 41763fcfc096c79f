// Vaulted cards and instructions to networks, as tests of every operation need them.
import type { Example } from '../../example.js';
import { cardBody, newCard, storedCard } from '../../factories/card.js';
import { storedInstruction, storedReference } from '../../factories/card-instruction.js';

/** As paths and ids of them call them. */
const named = (card: { id: string }, instruction: { id: string }) => ({
  vault: card.id,
  vaulted_card: card.id,
  instruction: instruction.id,
  card_instruction: instruction.id,
});

export const example: Example = {
  stored: async ({ harness, client }) => named(await storedCard(harness, client), await storedInstruction(harness, client)),
  made: async ({ harness, client, account, agent }) => ({
    ...named(await newCard(client, {}, account), await storedInstruction(harness, client)),
    // The network of a path is the segment behind `cards`.
    card: 'visa',
    payment_handler: 'simulated',
    network_ref: await storedReference(harness, agent.id),
  }),
  bodies: {
    createVaultedCard: ({ account = '' }) => cardBody(account),
    createCardInstruction: ({ network_ref }) => ({ payload: { network_ref } }),
  },
  // An agent that nobody knows is an answer.
  free: { verifyCard: 'all' },
};
