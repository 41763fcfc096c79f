// How a payment is told in words: what it is of, and who stands on either side.
import type { Answers } from './answers.js';
import { words } from './format.js';
import type { NameOf } from './names.js';

/** All that a page of one payment knows. */
export type PaymentAnswer = Answers['Payment'];
export type PaymentRow = Answers['Payments']['transfers']['nodes'][number];

const kinds: Readonly<Record<string, string>> = {
  internal: 'Transfer',
  cross_border: 'Cross-border transfer',
  wrap: 'Wrap',
  unwrap: 'Unwrap',
  stream_start: 'Stream funding',
  stream_withdraw: 'Stream payment',
  stream_cancel: 'Stream return',
};

const subjects: Readonly<Record<string, string>> = {
  acp_checkout: 'ACP checkout',
  ucp_checkout: 'UCP checkout',
  mpp_session: 'MPP session',
  mpp_payment: 'MPP payment',
  x402_payment: 'x402 payment',
  funding_transaction: 'Funding',
  card_charge: 'Card payment',
  card_refund: 'Card refund',
};

/** What a payment is: its subject, or its own type. */
export function kindOf({
  type,
  subject,
  fromWalletId,
  fromAccountId,
}: Pick<PaymentRow, 'type' | 'subject' | 'fromWalletId' | 'fromAccountId'>): string {
  if (subject !== null && !type.startsWith('stream_')) return subjects[subject.type] ?? words(subject.type);
  if (fromWalletId === null && fromAccountId === null) return 'Funding';
  return kinds[type] ?? words(type);
}

export const payerOf = ({ fromWalletId, fromAccountId, fromAccount }: PaymentRow, nameOf: NameOf) =>
  fromAccount?.name ?? nameOf(fromAccountId ?? fromWalletId);

/** The payee: an account here, or the place outside that is paid. */
export function payeeOf({ toWalletId, toAccountId, toAccount, destination }: PaymentRow, nameOf: NameOf): string {
  if (toAccountId !== null || toWalletId !== null) return toAccount?.name ?? nameOf(toAccountId ?? toWalletId);
  return destination === null ? 'Outside' : (destination.name ?? destination.ref);
}
