// What funding gives to the process.
import { context } from '../../manifest/context.js';
import { orderKind, orderKinds } from '../settlement/rail/order-kind.js';
import { depositRails } from './deposit-rail.js';
import { fundingOrders } from './funding-life.js';
import { fundingTransaction } from './noun.js';
import { simulatedDeposits } from './simulated-deposit.js';

export const funding = context({
  nouns: [fundingTransaction],
  extensions: [orderKinds.with(orderKind(fundingOrders)), depositRails.with(simulatedDeposits)],
});
