// What becomes of the transfer that pays a checkout out of a wallet (CONTRACT.md 8).
import type { TransferSubject } from '../../manifest/noun.js';

export const transfersOfCheckouts: TransferSubject = {
  openBy: ['payer', 'payee'],
  whole: 'pays a checkout',
  operation: ({ subjectId }) => ({ category: 'checkout', operation: 'checkout.complete', subjectId }),
};
