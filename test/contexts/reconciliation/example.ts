// Reports and discrepancies, as tests of every operation need them.
import type { Example } from '../../example.js';
import { reconciliationSeeds } from '../../factories/reconciliation.js';

export const example: Example = { stored: ({ harness, client }) => reconciliationSeeds(harness, client) };
