// What treasury gives to the process.
import { context } from '../../manifest/context.js';
import { snapshot } from './noun.js';

export const treasury = context({ nouns: [snapshot] });
