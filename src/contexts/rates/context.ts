// What rates give to the process.
import { context } from '../../manifest/context.js';
import { rate } from './noun.js';

export const rates = context({ nouns: [rate] });
