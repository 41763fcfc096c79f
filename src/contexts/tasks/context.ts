// What tasks give to the process.
import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { escrowSplit } from '../refunds/escrow.js';
import { endTasks } from './due.js';
import { events } from './events.js';
import { task, taskMessage } from './noun.js';
import { splitEscrow } from './review.js';

export const tasks = context({
  nouns: [task, taskMessage],
  events: [events],
  extensions: [onFreeze.with(endTasks), escrowSplit.with(splitEscrow)],
});
