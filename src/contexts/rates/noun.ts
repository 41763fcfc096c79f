// What exchange rates are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const rate = defineNoun({ id: { kind: 'rate', prefix: 'rate', wire: 'prefixed' }, scope: 'policies:read' });
