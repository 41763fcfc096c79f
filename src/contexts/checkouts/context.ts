// What checkouts give to the process.
import { context } from '../../manifest/context.js';
import { chargeSubjects } from '../cards/charge/charge-subject.js';
import { refundFollowers } from '../refunds/refund-follower.js';
import { checkoutCharge } from './card-payment.js';
import { events } from './events.js';
import { followCheckoutRefund } from './fulfillment.js';
import { acpCheckout, ucpCheckout } from './noun.js';

export const checkouts = context({
  nouns: [acpCheckout, ucpCheckout],
  events: [events],
  extensions: [
    chargeSubjects.with({ acp_checkout: checkoutCharge, ucp_checkout: checkoutCharge }),
    refundFollowers.with(followCheckoutRefund),
  ],
});
