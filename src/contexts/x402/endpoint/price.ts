// What a call of an endpoint costs: its base price, less the discount of who has called it often enough this month (CONTRACT.md 9).
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';
import { firstIdAt } from '../../../platform/schema/page.js';

/** From so many settled calls of one payer in a UTC month on, a call costs so much of the base price. */
export interface VolumeDiscount {
  threshold: number;
  /** A decimal from 0 to 1, such as `"0.8"`. */
  priceMultiplier: string;
}

// Gap G-298: At most 10 discounts with rising thresholds; they count the payer's settled calls of the UTC month; prices round up.
/** Discounts of one endpoint. */
export const mostDiscounts = 10;
/** Calls are counted up to here. */
const highestThreshold = 10_000;
/** The digits of a multiplier. */
const scale = 4;

/** The discounts as they are stored. 400 for thresholds that do not rise, and for multipliers that do not fall or are no fraction. */
export function readDiscounts(input: readonly VolumeDiscount[]): VolumeDiscount[] {
  const issues: FieldIssue[] = input.flatMap(({ threshold, priceMultiplier }, index) => {
    const before = input[index - 1];
    const wrong = (member: string, message: string) => ({ path: ['volumeDiscounts', index, member], message, rule: 'discount' });
    const found: FieldIssue[] = [];
    if (threshold > highestThreshold) found.push(wrong('threshold', `is at most ${highestThreshold}`));
    if (before !== undefined && threshold <= before.threshold) found.push(wrong('threshold', 'is more than the one before'));
    const share = sharesOf(priceMultiplier);
    if (share === null) found.push(wrong('priceMultiplier', 'is a decimal above 0, at most 1, with at most four digits after the point'));
    else if (before !== undefined && share >= (sharesOf(before.priceMultiplier) ?? 0n))
      found.push(wrong('priceMultiplier', 'is less than the one before'));
    return found;
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
  return input.map(({ threshold, priceMultiplier }) => ({ threshold, priceMultiplier }));
}

/** Ten-thousandths; null for what is no multiplier. */
function sharesOf(multiplier: string): bigint | null {
  const [, whole = '', fraction = ''] = /^([01])(?:\.(\d{1,4}))?$/.exec(multiplier) ?? [];
  if (whole === '') return null;
  const shares = BigInt(whole + fraction.padEnd(scale, '0'));
  return shares > 0n && shares <= 10_000n ? shares : null;
}

/** The discounts of an endpoint. */
export function discountsOf({ volumeDiscounts }: Pick<X402Endpoint, 'volumeDiscounts'>): VolumeDiscount[] {
  return volumeDiscounts as unknown as VolumeDiscount[];
}

/** What a call costs, minor units, rounded up; `discount` is what it got off. */
export interface EndpointPrice {
  amount: bigint;
  discount: bigint;
}

type Priced = Pick<X402Endpoint, 'id' | 'basePrice' | 'volumeDiscounts'>;

/** What the next call costs a payer: a wallet's id or an address. Null: somebody unknown, who pays the base price. */
export async function priceFor(ctx: Ctx, endpoint: Priced, payer: string | null): Promise<EndpointPrice> {
  const discounts = discountsOf(endpoint);
  const last = discounts.at(-1);
  if (payer === null || last === undefined) return { amount: endpoint.basePrice, discount: 0n };
  const calls = await callsThisMonth(ctx, endpoint.id, payer, last.threshold);
  return priceAfter(endpoint.basePrice, discounts, calls);
}

/** What a call costs after so many others in its month. */
export function priceAfter(basePrice: bigint, discounts: readonly VolumeDiscount[], calls: number): EndpointPrice {
  const reached = discounts.filter(({ threshold }) => calls >= threshold).at(-1);
  const shares = reached === undefined ? 10_000n : (sharesOf(reached.priceMultiplier) ?? 10_000n);
  const amount = (basePrice * shares + 9_999n) / 10_000n;
  return { amount, discount: basePrice - amount };
}

/** Settled calls of a payer in the UTC month of now, counted up to `most`. */
function callsThisMonth({ db, clock }: Ctx, endpointId: string, payerWallet: string, most: number): Promise<number> {
  const now = clock.now();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  return db.x402Payment.count({ where: { endpointId, payerWallet, status: 'settled', id: { gte: firstIdAt(month) } }, take: most });
}
