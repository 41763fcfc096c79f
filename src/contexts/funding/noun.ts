// What money that comes in is to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { orderDue } from '../settlement/rail/order-submission.js';
import { fundingOrders } from './funding-life.js';
import { fundingLifecycle, openFunding } from './funding-transaction.js';
import { transfersOfFunding } from './transfer-subject.js';

export const fundingTransaction = defineNoun({
  id: { kind: 'fundingTransaction', prefix: 'fnd', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'funding_transaction',
  lifecycle: fundingLifecycle,
  due: orderDue(fundingOrders),
  transfers: transfersOfFunding,
  openOn: openFunding,
  settling: { where: `status = 'pending' AND due_at IS NOT NULL` },
});
