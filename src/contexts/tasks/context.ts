// What tasks give to the process.
import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { endTasks } from './due.js';
import { events } from './events.js';
import { task, taskMessage } from './noun.js';

export const tasks = context({
  nouns: [task, taskMessage],
  events: [events],
  extensions: [onFreeze.with(endTasks)],
});
