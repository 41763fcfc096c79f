// What refunds give to the process.
import { context } from '../../manifest/context.js';
import { orderKind, orderKinds } from '../settlement/rail/order-kind.js';
import { cardRefundOrders } from './card-refund-life.js';
import { cardRefund, dispute, refund } from './noun.js';

export const refunds = context({ nouns: [refund, cardRefund, dispute], extensions: [orderKinds.with(orderKind(cardRefundOrders))] });
