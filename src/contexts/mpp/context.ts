// What MPP gives to the process.

import { context } from '../../manifest/context.js';
import { onFreeze } from '../../platform/freeze.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { paymentDocumentDoors } from '../x402/endpoint/payment-document.door.js';
import { challengeDoor, paidDoors } from '../x402/payment/paid.door.js';
import { closeSessions } from './closing.js';
import { mppPayment, mppSession, mppVoucher } from './noun.js';
import { mppScheme } from './paid-call.js';

export const mpp = context({
  nouns: [mppSession, mppPayment, mppVoucher],
  extensions: [sealedColumns.with(sealedById('mpp_session', 'sealed_key')), onFreeze.with(closeSessions)],
  // The paid door speaks x402 by itself, and MPP as a scheme beside it.
  doors: [challengeDoor([mppScheme]), ...paidDoors([mppScheme]), ...paymentDocumentDoors([mppScheme])],
});
