// What a request for a transfer looks like, and what can be said against it before anything is read (CONTRACT.md 2).
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { mandateIssues } from '../spending/pipeline/mandate.js';
import { isOutside } from './destination.js';
import type { CreateTransferInput } from './transfer.input.js';

/** True for money that stays in its wallet. */
export function isWithinWallet(type: CreateTransferInput['type']): boolean {
  return type === 'wrap' || type === 'unwrap';
}

/** What the input's shape cannot say: who must be named for which type, and which options go together. Throws with every issue. */
export function checkRequest(input: CreateTransferInput): void {
  const issues = requestIssues(input);
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** What is wrong with a request, whatever the rows say that it names. */
export function requestIssues(input: CreateTransferInput): FieldIssue[] {
  const { type, fromWalletId, fromAccountId, toWalletId, toAccountId, destination, capture, scheduledFor } = input;
  const issues: FieldIssue[] = [];
  const fail = (path: string, message: string) => void issues.push({ path: [path], message });
  const payees = [toWalletId, toAccountId, destination].filter((named) => named != null && named !== '').length;
  if (!fromWalletId === !fromAccountId) fail('fromWalletId', 'name exactly one of from_wallet_id and from_account_id');
  if (isWithinWallet(type)) {
    if (payees > 0) fail('toWalletId', `a ${type} moves money inside one wallet: leave the destination out`);
    if (capture === 'manual') fail('capture', `a ${type} is always captured at once`);
  } else if (payees !== 1) fail('toWalletId', 'name exactly one of to_wallet_id, to_account_id and destination');
  if (input.captureBy != null && capture !== 'manual') fail('captureBy', 'goes with capture: manual');
  if (input.holdExpiresIn != null && capture !== 'manual') fail('holdExpiresIn', 'goes with capture: manual');
  if (scheduledFor != null && capture === 'manual')
    fail('scheduledFor', 'a scheduled transfer is captured when its time comes: leave capture out');
  if (isOutside(destination)) {
    if (capture === 'manual') fail('capture', 'what leaves the platform is held by its payout: leave it out');
    if (scheduledFor != null) fail('scheduledFor', 'what leaves the platform is sent now: leave it out');
  }
  issues.push(...mandateIssues(input));
  // Gap G-48: `mandate_id` is for type `internal` to a wallet, and makes it an execution of the mandate; with a quote or rail it is 400.
  if (input.mandateId && (type !== 'internal' || isOutside(destination)))
    fail('mandateId', 'goes with a transfer of type internal to a wallet');
  // Gap G-144: `request_approval` of a scheduled transfer is 400: rules ask for approvals at its time.
  if (scheduledFor != null && input.requestApproval === true)
    fail('requestApproval', 'is for a spend now: whether a scheduled transfer is refused is known at its time');
  return [...issues, ...amountIssues(input)];
}

function amountIssues({
  type,
  amount,
  currency,
  quoteId,
  destination,
  destinationCurrency,
  scheduledFor,
}: CreateTransferInput): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const fail = (path: string, message: string) => void issues.push({ path: [path], message });
  if (quoteId) {
    if (type !== 'cross_border') fail('quoteId', 'goes with type: cross_border');
    if (amount) fail('amount', 'is that of the quote: leave it out');
    if (currency) fail('currency', 'is that of the quote: leave it out');
    if (scheduledFor != null) fail('scheduledFor', 'a quote holds for seconds: leave one of the two out');
    return issues;
  }
  const isInside = destination == null || destination.type === 'wallet';
  if (type === 'cross_border' && isInside)
    fail('quoteId', 'is required for a wallet in another currency: ask for one with POST /v1/quotes');
  else if (destinationCurrency && destinationCurrency !== currency)
    fail('quoteId', 'is required to change the currency: ask for one with POST /v1/quotes');
  if (!amount) fail('amount', 'is required');
  if (!currency) fail('currency', 'is required');
  return issues;
}
