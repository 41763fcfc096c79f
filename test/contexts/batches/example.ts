// Batches, as tests of every operation need them.
import type { Example } from '../../example.js';
import { someBatch } from './transfer-batch.js';

export const example: Example = {
  stored: async ({ client }) => ({ batch: (await someBatch(client)).id }),
  // A batch has errors of items.
  free: { createTransferBatch: 'all' },
};
