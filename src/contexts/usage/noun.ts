// What operations are to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const operation = defineNoun({ id: { kind: 'operation', prefix: 'op', wire: 'prefixed' }, scope: 'usage:read', table: 'operation' });
