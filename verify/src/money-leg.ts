// What was paid, against itself and against what was offered, refunded and delivered.
import { unitsOf } from './amount.js';
import { hold } from './broken.js';
import { bytesOf, hexOf, sha256 } from './bytes.js';
import { type Json, listIn, member, textIn } from './json.js';
import type { Leaf, Pack } from './pack.js';

/** The leaf that completed the payment, and what it says of the money; `money` is undefined where the reader may not see it. */
export interface Paid {
  leaf: Leaf;
  money: Json | undefined;
}

/** Finds the leaf that completed the payment, and checks its sums. */
export function checkPosting({ leaves, transferId }: Pack): Paid {
  const shown = leaves.find(({ role, parts }) => isPaying(role) && textIn(parts.get('money'), 'status') === 'completed');
  const leaf = shown ?? leaves.find(({ role }) => isPaying(role));
  hold('posting', leaf !== undefined, 'no leaf of the pack is a payment');
  for (const { role, index, parts } of leaves) {
    const money = parts.get('money');
    if (money === undefined) continue;
    hold('posting', sumsToZero(money), `the legs of leaf ${index} do not sum to zero`);
    if (isOwn(role)) hold('posting', textIn(money, 'transfer_id') === transferId, `leaf ${index} is of another transfer`);
  }
  const money = leaf.parts.get('money');
  if (money !== undefined) checkSides(money, leaf.role);
  return { leaf, money };
}

/** The money of other leaves is that of refunds, or of attempts that came to nothing. */
const isOwn = (role: string): boolean => isPaying(role) || role === 'hold';
const isPaying = (role: string): boolean => role === 'payment' || role === 'capture';

function sumsToZero(money: Json): boolean {
  const sums = new Map<string, bigint>();
  const legs = listIn(money, 'legs');
  for (const leg of legs) {
    const [amount, currency] = [unitsOf(member(leg, 'amount')), textIn(leg, 'currency')];
    if (amount === undefined || currency === undefined) return false;
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  return legs.length >= 2 && [...sums.values()].every((sum) => sum === 0n);
}

/** What leaves the wallet that pays is the amount, or the amount and the fee. What was held before may be captured in part. */
function checkSides(money: Json, role: string): void {
  const amount = unitsOf(member(money, 'amount'));
  const fee = unitsOf(member(money, 'fee') ?? '0');
  // What goes to another currency may round to nothing in its own.
  const least = textIn(money, 'destination_currency') === undefined ? 1n : 0n;
  hold('posting', amount !== undefined && amount >= least && fee !== undefined && fee >= 0n, 'the amount or the fee of the payment is none');
  const [payer, payee] = ['from', 'to'].map((side) => textIn(member(money, side), 'wallet_id'));
  if (payer !== undefined && role === 'payment') {
    const left = movedOf(money, payer, (units) => units < 0n);
    hold('posting', left === -amount || left === -(amount + fee), 'what left the wallet that pays is not the amount of the payment');
  }
  if (payee !== undefined && payee !== payer) {
    const most = textIn(money, 'destination_currency') === undefined ? amount : unitsOf(member(money, 'destination_amount'));
    const came = movedOf(money, payee, (units) => units > 0n);
    hold('posting', most !== undefined && came >= 0n && came <= most, 'more reached the wallet that is paid than the amount of the payment');
  }
  const others = listIn(money, 'legs').filter((leg) => isOther(leg, [payer, payee]) && (unitsOf(member(leg, 'amount')) ?? 0n) > 0n);
  hold('posting', payee === undefined || others.length === 0, 'a wallet that is not the one that is paid got money of the payment');
}

/** True for a leg of the wallet of somebody who is no side of the payment. */
function isOther(leg: Json, sides: readonly (string | undefined)[]): boolean {
  const owner = textIn(leg, 'owner_id');
  return owner !== undefined && textIn(leg, 'kind')?.startsWith('wallet.') === true && !sides.includes(owner);
}

function movedOf(money: Json, walletId: string, counts: (units: bigint) => boolean): bigint {
  return listIn(money, 'legs')
    .filter((leg) => textIn(leg, 'owner_id') === walletId)
    .map((leg) => unitsOf(member(leg, 'amount')) ?? 0n)
    .filter(counts)
    .reduce((sum, units) => sum + units, 0n);
}

/** What was shown fits what was paid. */
export function checkOffer({ leaves, attached }: Pack, { money }: Paid): boolean {
  const signature = textIn(attached, 'x402');
  if (signature !== undefined) {
    // Where the money was held first, the hold was signed.
    const own = leaves.filter(({ role }) => isOwn(role));
    const said = own.map(({ parts }) => textIn(member(parts.get('authority'), 'signature'), 'over_sha256')).filter((hash) => hash !== undefined);
    const hash = hexOf(sha256(bytesOf(signature)));
    hold('offer', said.length > 0 && said.every((one) => one === hash), 'what the payer signed is not what the leaf of the payment has the hash of');
  }
  const offer = leaves.map(({ parts }) => parts.get('offer')).find((part) => part !== undefined);
  if (offer === undefined || money === undefined) return false;
  hold('offer', textIn(offer, 'currency') === textIn(money, 'currency'), 'the offer is in another currency than the payment');
  if (member(offer, 'terms') !== undefined && textIn(member(offer, 'terms'), 'pay_to') !== undefined) {
    const paidTo = textIn(member(money, 'to'), 'wallet_id') ?? '';
    const payTo = textIn(member(offer, 'terms'), 'pay_to') ?? '';
    hold('offer', paidTo.endsWith(payTo) && payTo !== '', 'the offer names another wallet than the one that was paid');
  }
  const totals = member(offer, 'totals');
  const total = unitsOf(member(totals, 'total'));
  if (totals !== undefined) hold('offer', total !== undefined && total === unitsOf(member(money, 'amount')), 'the total of the offer is not what was paid');
  if (textIn(offer, 'kind') === 'checkout') hold('offer', total === sumOfItems(offer), 'the items of the offer do not come to its total');
  if (textIn(offer, 'kind') === 'quote') checkQuote(member(offer, 'terms'), money);
  return true;
}

function sumOfItems(offer: Json): bigint | undefined {
  const totals = member(offer, 'totals');
  const charges = ['fulfillment', 'tax'].map((name) => unitsOf(member(totals, name)));
  const items = listIn(offer, 'items').map((item) => {
    const [price, quantity] = [unitsOf(member(item, 'unit_price')), member(item, 'quantity')];
    return price === undefined || !Number.isSafeInteger(quantity) ? undefined : price * BigInt(quantity as number);
  });
  let sum = 0n;
  for (const units of [...charges, ...items]) {
    if (units === undefined) return undefined;
    sum += units;
  }
  return sum;
}

function checkQuote(terms: Json | undefined, money: Json): void {
  const isSame = ['destination_amount', 'destination_currency', 'fee'].every((name) => textIn(terms, name) === textIn(money, name));
  hold('offer', isSame, 'what reached the payee is not what the quote promised');
}

/** The leaves that completed refunds. While money is held to be given back, it is not. */
export function refundsIn({ leaves }: Pack): Leaf[] {
  return leaves.filter(({ role, parts }) => role === 'refund' && textIn(parts.get('money'), 'status') === 'completed');
}

/** Refunds name the payment, and give back no more than it. */
export function checkRefunds(pack: Pack, { money }: Paid): boolean {
  const { transferId } = pack;
  const refunds = refundsIn(pack).flatMap(({ parts }) => parts.get('money') ?? []);
  if (refunds.length === 0) return false;
  let back = 0n;
  for (const refund of refunds) {
    hold('refund', textIn(refund, 'refund_of') === transferId, 'a refund is of another payment');
    if (textIn(refund, 'currency') === textIn(money, 'currency')) back += unitsOf(member(refund, 'amount')) ?? 0n;
  }
  const amount = unitsOf(member(money, 'amount'));
  hold('refund', amount === undefined || back <= amount, 'more was refunded than was paid');
  return true;
}

/** What was delivered names the payment, once for each side. */
export function checkDelivery({ leaves, transferId }: Pack): boolean {
  const said = leaves.flatMap(({ parts }) => parts.get('delivery') ?? []);
  for (const delivery of said) {
    hold('delivery', textIn(delivery, 'transfer_id') === transferId, 'something was delivered for another payment');
    hold('delivery', /^[0-9a-f]{64}$/.test(textIn(delivery, 'sha256') ?? ''), 'the hash of what was delivered is none');
  }
  const sides = said.map((delivery) => textIn(member(delivery, 'by'), 'side'));
  hold('delivery', sides.every((side) => side === 'payer' || side === 'payee'), 'somebody who is no side of the payment says what was delivered');
  hold('delivery', new Set(sides).size === sides.length, 'a side says twice what was delivered');
  return said.length > 0;
}
