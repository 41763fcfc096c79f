// What the sandbox gives to the process.
import { context } from '../../manifest/context.js';
import { resumeClocks } from './clock.js';
import { testClock } from './noun.js';

export const sandbox = context({ nouns: [testClock], sweeps: [resumeClocks] });
