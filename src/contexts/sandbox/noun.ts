// What the clock of a sandbox is to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const testClock = defineNoun({ id: { kind: 'testClock', prefix: 'clk', wire: 'prefixed' } });
