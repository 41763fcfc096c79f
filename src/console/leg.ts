// What is checked of a pack, in words for people.
import type { Leg } from '../../verify/src/broken.js';

/** What each leg says when it holds. */
export const legs: Readonly<Record<Leg, string>> = {
  format: 'The file is spelled as it has to be, and every part that it shows has its digest in its leaf.',
  head: 'The head of the log is signed by the keys that the file lists, and by no other.',
  witness: 'Others have signed the head too.',
  inclusion: 'Every leaf is in the tree of that head.',
  consistency: 'That tree continues the one that you kept.',
  posting: 'What was booked adds up to zero in each currency, and is the amount of the payment.',
  offer: 'What was shown before fits what was paid.',
  decision: 'The rules let the payment pass, and were asked for this amount.',
  limits: 'What was used before and this payment are within each limit, or somebody approved it.',
  approval: 'The approval was there before the payment.',
  mandate: 'The mandate was there before the payment.',
  receipt: 'The platform has signed what the leaf of the payment says, and the key of the log.',
  refund: 'Refunds are of this payment, and give back no more than it.',
  delivery: 'What was delivered is of this payment, once for each side.',
};
