// What streams give to the process.
import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { events } from './events.js';
import { pauseStreams } from './freeze.sql.js';
import { stream } from './noun.js';
import { streamEscrow } from './stream.js';

export const streams = context({
  nouns: [stream],
  events: [events],
  extensions: [onFreeze.with(pauseStreams)],
  escrows: [streamEscrow],
});
