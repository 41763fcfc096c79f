// What snapshots are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const snapshot = defineNoun({ id: { kind: 'snapshot', prefix: 'snap', wire: 'prefixed' }, scope: 'treasury:read' });
