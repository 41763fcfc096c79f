// What erasures are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { stepErasure } from './due.js';

export const erasure = defineNoun({
  id: { kind: 'erasure', prefix: 'era', wire: 'prefixed' },
  scope: 'accounts:read',
  table: 'erasure',
  due: { isBookkeeping: true, concurrency: 2, run: stepErasure },
  settling: { where: `status = 'pending'` },
});
