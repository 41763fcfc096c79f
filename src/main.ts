// The program of `npm start`. It speaks before it loads what it runs, which takes a second.
import { giveUp } from './platform/give-up.js';

/** The argument of a process that the first one has started (primary.ts). */
const isOneOfSeveral = process.argv[2] === 'process-of-several';

if (!isOneOfSeveral) process.stdout.write('Agent Payments is starting.\n');
import('./serve.js').then(({ serve }) => serve()).catch(giveUp);
