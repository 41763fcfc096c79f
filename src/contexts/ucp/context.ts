// What UCP gives to the process.
import { context } from '../../manifest/context.js';
import { checkoutFollowers } from '../checkouts/follower.js';
import { senders } from '../webhooks/sender.js';
import { followCartCheckout } from './cart-conversion.js';
import { documentDoors } from './document.door.js';
import { cart } from './noun.js';
import { operations } from './operation.js';
import { orderListener } from './order-delivery.sql.js';
import { sendOrders } from './order-sender.js';
import { orderSender } from './order-webhook.js';

export const ucp = context({
  nouns: [cart],
  listeners: [orderListener],
  extensions: [checkoutFollowers.with(followCartCheckout), senders.with({ [orderSender]: sendOrders })],
  doors: [...documentDoors, ...operations.map(({ door }) => door)],
});
