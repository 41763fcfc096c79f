// What a merchant offers: its catalogue, and how it delivers, taxes, is paid and answers for it. It stands in the merchant's metadata as
// the member `offer` (docs/protocols.md), because the specification gives a merchant no other place.
import { z } from 'zod';
import type { Merchant, Prisma } from '../../generated/prisma/client.js';
import { ValidationFailed } from '../../platform/errors.js';
import { amountPattern, type Currency, currencies, formatMinor, parseMinor } from '../../platform/money.js';
import { readBy } from '../../platform/zod-issue.js';

/** How a buyer may pay: from a wallet, by a mandate, or with a vaulted card. */
export const paymentHandlers = ['wallet', 'mandate', 'card'] as const;
export type PaymentHandler = (typeof paymentHandlers)[number];

/** Pages of the merchant that a buyer is shown. */
export const offerLinks = ['terms_of_use', 'privacy_policy', 'return_policy', 'shipping_policy', 'contact_us', 'faq', 'support'] as const;
export type OfferLink = (typeof offerLinks)[number];

/** Who may read a catalogue: anybody, or whoever shows a credential. */
export const catalogReaders = ['public', 'private'] as const;

const text = (most: number) => z.string().trim().min(1).max(most);
const identifier = z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, colons, dashes or underscores');
const amount = z.string().regex(amountPattern, 'must be a decimal string such as "42.00"');
const link = z.url({ protocol: /^https?$/ }).max(500);
const country = z.string().regex(/^[A-Z]{2}$/, 'must be a country of two capital letters');

const itemShape = z.strictObject({
  id: identifier,
  title: text(200),
  description: text(1_000).optional(),
  unit_price: amount,
  available_quantity: z.int().min(0).max(1_000_000_000).optional(),
  max_quantity_per_order: z.int().min(1).max(1_000_000_000).optional(),
  digital: z.boolean().default(false),
  image_url: link.optional(),
  categories: z.array(text(100)).min(1).max(10).optional(),
});

const addressShape = z.strictObject({
  line1: text(200),
  line2: text(200).optional(),
  city: text(100),
  state: text(100),
  postal_code: text(20),
  country,
});

const optionShape = z
  .strictObject({
    id: identifier,
    type: z.enum(['shipping', 'pickup', 'digital']),
    title: text(200),
    description: text(500).optional(),
    amount,
    carrier: text(100).optional(),
    min_days: z.int().min(0).max(365).optional(),
    max_days: z.int().min(0).max(365).optional(),
    countries: z.array(country).min(1).max(250).optional(),
    location: z.strictObject({ name: text(200), address: addressShape }).optional(),
  })
  .refine(({ min_days: least = 0, max_days: most = 365 }) => least <= most, {
    path: ['max_days'],
    message: 'must not be less than min_days',
  })
  .refine(({ type, location }) => (type === 'pickup') === (location !== undefined), {
    path: ['location'],
    message: 'is given for a pickup, and for nothing else',
  });

const taxShape = z.strictObject({
  rate_percent: z.string().regex(/^\d{1,2}(\.\d{1,4})?$/, 'must be a percentage such as "8.25"'),
  included: z.boolean().default(false),
  on_fulfillment: z.boolean().default(false),
  title: text(100).default('Tax'),
});

const differ = (values: readonly { id: string }[]): boolean => new Set(values.map(({ id }) => id)).size === values.length;

// Gap G-269: Catalogue, delivery, tax and payment handlers are the member `offer` of the merchant's metadata.
const offerShape = z.strictObject({
  currency: z.enum(currencies),
  items: z.array(itemShape).min(1).max(200).refine(differ, 'must have different ids'),
  fulfillment: z.array(optionShape).max(20).refine(differ, 'must have different ids').default([]),
  tax: taxShape.optional(),
  payment_handlers: z
    .array(z.enum(paymentHandlers))
    .min(1)
    .max(paymentHandlers.length)
    .default([...paymentHandlers]),
  links: z.partialRecord(z.enum(offerLinks), link).default({}),
  order_url: link.optional(),
  catalog: z.enum(catalogReaders).default('private'),
});

type ItemShape = z.output<typeof itemShape>;
type OptionShape = z.output<typeof optionShape>;

export interface OfferItem extends Omit<ItemShape, 'unit_price'> {
  /** Minor units of the offer's currency. */
  unitPrice: bigint;
}

export interface FulfillmentOption extends Omit<OptionShape, 'amount'> {
  /** Minor units of the offer's currency; may be zero. */
  amount: bigint;
}

export interface Tax {
  title: string;
  /** In percent, as the merchant wrote it. */
  ratePercent: string;
  /** Millionths of the taxed amount. */
  ratePpm: bigint;
  /** True where the prices contain it. */
  included: boolean;
  onFulfillment: boolean;
}

export interface Offer {
  currency: Currency;
  /** By id, in the merchant's order. */
  items: ReadonlyMap<string, OfferItem>;
  options: readonly FulfillmentOption[];
  tax: Tax | null;
  paymentHandlers: readonly PaymentHandler[];
  links: Partial<Readonly<Record<OfferLink, string>>>;
  /** Where the merchant shows an order; its id is appended. */
  orderUrl: string | null;
  /** Who may read the catalogue of UCP. */
  catalog: (typeof catalogReaders)[number];
}

/** An offer of nothing, which takes every way to pay: for what was sold before, and for lines that are offered no more. */
export function emptyOffer(currency: Offer['currency']): Offer {
  return { currency, items: new Map(), options: [], tax: null, paymentHandlers, links: {}, orderUrl: null, catalog: 'private' };
}

/** Largest price, and largest total of a checkout by a protocol that counts in JSON numbers: beyond it they are not exact. */
export const maxOfferMinor = BigInt(Number.MAX_SAFE_INTEGER);

const memberOf = (metadata: unknown): unknown => (metadata as { offer?: unknown } | null | undefined)?.offer;

/** Whether the metadata have an offer. */
export function hasOffer({ metadata }: Pick<Merchant, 'metadata'>): boolean {
  return (memberOf(metadata) ?? null) !== null;
}

/** Checks the member `offer` of new metadata, where there is one. 400 with paths below `metadata.offer`. */
export function checkOffer(metadata: Record<string, unknown> | null | undefined): void {
  const offer = memberOf(metadata);
  if (offer !== undefined && offer !== null) readOffer(offer);
}

/**
 * The offer of a merchant; null without one. Metadata that was written before offers were checked may have another member of that name:
 * that is none.
 */
export function offerOf({ metadata }: Pick<Merchant, 'metadata'>): Offer | null {
  try {
    return readOffer(memberOf(metadata));
  } catch (error) {
    if (error instanceof ValidationFailed) return null;
    throw error;
  }
}

/** The offer as the merchant wrote it, with these items alone: what is agreed in a checkout. `readOffer` reads it again. */
export function offerFor({ metadata }: Pick<Merchant, 'metadata'>, itemIds: ReadonlySet<string>): Prisma.InputJsonObject {
  const offer = memberOf(metadata) as { items: { id: string }[] };
  return { ...offer, items: offer.items.filter(({ id }) => itemIds.has(id)) };
}

/** Reads an offer. 400 with paths below `metadata.offer`. */
export function readOffer(value: unknown): Offer {
  const at = ['metadata', 'offer'];
  const {
    currency,
    items,
    fulfillment,
    tax,
    payment_handlers: handlers,
    links,
    order_url: orderUrl = null,
    catalog,
  } = readBy(offerShape, value, at);
  const money = (decimal: string, least: bigint, ...path: (string | number)[]) => {
    const minor = parseMinor(decimal, currency, [...at, ...path], least);
    if (minor <= maxOfferMinor) return minor;
    const message = `must be at most ${formatMinor(maxOfferMinor, currency)}`;
    throw new ValidationFailed([{ path: [...at, ...path], message, rule: 'amount' }]);
  };
  const priced = items.map(({ unit_price: price, ...item }, index): OfferItem => {
    return { ...item, unitPrice: money(price, 1n, 'items', index, 'unit_price') };
  });
  const options = fulfillment.map((option, index) => ({ ...option, amount: money(option.amount, 0n, 'fulfillment', index, 'amount') }));
  return {
    currency,
    items: new Map(priced.map((item) => [item.id, item])),
    options,
    tax: tax === undefined ? null : readTax(tax),
    paymentHandlers: paymentHandlers.filter((handler) => handlers.includes(handler)),
    links,
    orderUrl,
    catalog,
  };
}

function readTax({ title, rate_percent: ratePercent, included, on_fulfillment: onFulfillment }: z.output<typeof taxShape>): Tax {
  const [whole = '0', fraction = ''] = ratePercent.split('.');
  return { title, ratePercent, ratePpm: BigInt(whole + fraction.padEnd(4, '0')), included, onFulfillment };
}
