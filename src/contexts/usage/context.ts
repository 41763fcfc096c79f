// What usage gives to the process.
import { context } from '../../manifest/context.js';
import { operation } from './noun.js';
import { writeRequests } from './request-count.js';
import { sweepAccountRequests, sweepOperations, sweepRefusals, sweepRequests, sweepRollups } from './retention.sql.js';
import { usageListener } from './rollup.sql.js';

export const usage = context({
  nouns: [operation],
  listeners: [usageListener],
  sweeps: [sweepOperations, sweepRollups, sweepRefusals, sweepAccountRequests, sweepRequests],
  regularWrites: [writeRequests],
});
