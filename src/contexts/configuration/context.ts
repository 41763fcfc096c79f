// What configurations give to the process.
import { context } from '../../manifest/context.js';
import { configApply } from './noun.js';

export const configuration = context({ nouns: [configApply] });
