// What accounts give to the process.
import { context } from '../../manifest/context.js';
import { events } from './events.js';
import { account, ledgerTransaction, merchant, wallet } from './noun.js';

export const accounts = context({ nouns: [account, wallet, merchant, ledgerTransaction], events: [events] });
