// What was paid: the transfer, and the legs of the posting that paid it (CONTRACT.md 25).
import type { Part } from '../../../platform/audit-leaf.js';
import { formatMinor } from '../../../platform/money.js';
import type { Row } from '../../../platform/postgres/column.js';
import { printId } from '../../../platform/schema/id.js';
import { isHeld, type PostedLeg, type PostingFacts, textIn } from './posting-fact.js';

// Gap G-773: While money is held, the part `money` says neither payee, fee nor destination amount.
/**
 * The part of a posting that paid a transfer, or held its money; none for any other. While money is held, its payee may be found later, and what
 * it comes to depends on what is captured: neither is said then. Members are in the order of RFC 8785.
 */
export function moneyPart({ workspaceId, transactionId, at, legs, transfer }: PostingFacts): Part[] {
  if (transfer === null || legs.length === 0) return [];
  const { row, status } = transfer;
  const text = (column: string) => textIn(row, column);
  const currency = text('currency') ?? '';
  const destinationCurrency = text('destination_currency');
  const destinationAmount = text('destination_amount');
  const refundOf = (row['protocol_metadata'] as { refund_of?: string } | null | undefined)?.refund_of;
  const isPaid = !isHeld(status);
  const money = {
    amount: formatMinor(BigInt(text('amount') ?? 0), currency),
    at,
    currency,
    ...(isPaid && {
      destination_amount: destinationAmount && destinationCurrency && formatMinor(BigInt(destinationAmount), destinationCurrency),
      destination_currency: destinationCurrency,
      fee: formatMinor(BigInt(text('fee_amount') ?? 0), currency),
    }),
    from: sideOf(row, 'from'),
    legs: legs.map((leg) => printLeg(workspaceId, leg)).sort(byText),
    protocol: text('protocol'),
    ...(text('subject_type') === 'refund' && refundOf !== undefined && { refund_of: printId('transfer', refundOf) }),
    status,
    ...(isPaid && { to: sideOf(row, 'to') }),
    transaction_id: transactionId,
    transfer_id: printId('transfer', text('id') ?? ''),
    type: text('type'),
  };
  return [{ name: 'money', value: JSON.stringify(money) }];
}

function sideOf(row: Row, side: 'from' | 'to') {
  const [accountId, walletId] = [textIn(row, `${side}_account_id`), textIn(row, `${side}_wallet_id`)];
  return { account_id: accountId && printId('account', accountId), wallet_id: walletId && printId('wallet', walletId) };
}

/** Of the accounts of the workspace itself nobody needs to be told whose they are. */
function printLeg(workspaceId: string, { kind, ownerId, currency, amount }: PostedLeg) {
  const isWallet = kind.startsWith('wallet.') || kind === 'settlement.reserve';
  const owner = isWallet ? printId('wallet', ownerId) : ownerId;
  return { amount: formatMinor(amount, currency), currency, kind, owner_id: ownerId === workspaceId ? null : owner };
}

function byText(a: object, b: object): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
