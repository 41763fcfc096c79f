// What a basket comes to by a merchant's offer. Prices are the merchant's, never the buyer's; what keeps a basket from being paid is
// said of it, and each protocol spells that in its own way.
import { type FulfillmentOption, maxOfferMinor, type Offer, type OfferItem, type Tax } from '../accounts/offer.js';

/** So many of an item. */
export interface BasketLine {
  id: string;
  quantity: number;
}

/** A way of delivery, and the items that go this way. */
export interface Selection {
  optionId: string;
  itemIds: readonly string[];
}

export interface BasketRequest {
  lines: readonly BasketLine[];
  selections: readonly Selection[];
  /** Where it goes: two letters; null while nobody has said. */
  country: string | null;
}

/** One line with what it comes to, minor units. Where prices contain the tax, `total` is `base`. */
export interface PricedLine {
  item: OfferItem;
  quantity: number;
  base: bigint;
  tax: bigint;
  total: bigint;
}

export interface PricedSelection {
  option: FulfillmentOption;
  itemIds: readonly string[];
}

/**
 * What keeps a basket from being paid. `line` and `selection` are places in the request.
 * - `unknown_item`, `out_of_stock` and `quantity_exceeded` are about a line;
 * - `unknown_option`, `option_unsuited` (not for these items), `option_repeated` and `option_out_of_reach` (it does not go there) about a
 *   selection;
 * - `destination_missing` and `option_missing` say that a choice is still to be made, `undeliverable` that none would help.
 */
export interface Problem {
  code:
    | 'unknown_item'
    | 'out_of_stock'
    | 'quantity_exceeded'
    | 'unknown_option'
    | 'option_unsuited'
    | 'option_repeated'
    | 'option_out_of_reach'
    | 'destination_missing'
    | 'option_missing'
    | 'undeliverable';
  line?: number;
  selection?: number;
  message: string;
}

export interface Basket {
  offer: Offer;
  /** Without those of unknown items. */
  lines: readonly PricedLine[];
  /** The ways of delivery that reach the destination, or all while there is none, and suit something in the basket. */
  options: readonly FulfillmentOption[];
  selections: readonly PricedSelection[];
  /** Sum of the lines, without delivery; it contains the tax where prices do. */
  subtotal: bigint;
  /** What delivery costs. */
  fulfillment: bigint;
  /** All tax, contained or not. */
  tax: bigint;
  /** What comes on top of the items. */
  charges: { fulfillment: bigint; tax: bigint };
  total: bigint;
  /** True where the total is too large for a number of JSON to be exact. */
  isTooLarge: boolean;
  problems: readonly Problem[];
}

// Gap G-270: Tax is worked out line by line and rounded half up, also where the price contains it.
/**
 * The tax of an amount, minor units, rounded half up. It is worked out line by line, so that lines add up to the whole. Where prices
 * contain it, it is their part `rate / (100 + rate)`.
 */
export function taxOf(amount: bigint, { ratePpm, included }: Tax): bigint {
  const whole = included ? 1_000_000n + ratePpm : 1_000_000n;
  return (2n * amount * ratePpm + whole) / (2n * whole);
}

/** Prices a basket. It refuses nothing: what is wrong stands in `problems`. */
export function priceBasket(offer: Offer, request: BasketRequest): Basket {
  const lines = priceLines(offer, request);
  const options = offer.options.filter((option) => reaches(option, request.country) && lines.some(({ item }) => suits(option, item)));
  const selections = request.selections.flatMap(({ optionId, itemIds }): PricedSelection[] => {
    const option = offer.options.find(({ id }) => id === optionId);
    return option === undefined ? [] : [{ option, itemIds }];
  });
  const subtotal = sum(lines.map(({ base }) => base));
  const fulfillment = sum(selections.map(({ option }) => option.amount));
  const ofDelivery = offer.tax?.onFulfillment === true ? sum(selections.map(({ option }) => taxOf(option.amount, offer.tax as Tax))) : 0n;
  const tax = sum(lines.map((line) => line.tax)) + ofDelivery;
  const charges = { fulfillment, tax: offer.tax?.included === true ? 0n : tax };
  const total = subtotal + charges.fulfillment + charges.tax;
  const problems = [...stockProblems(offer, request), ...selectionProblems(offer, request, lines), ...gaps(offer, request, lines)];
  return { offer, lines, options, selections, subtotal, fulfillment, tax, charges, total, isTooLarge: total > maxOfferMinor, problems };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

function priceLines({ items, tax }: Offer, { lines }: BasketRequest): PricedLine[] {
  return lines.flatMap(({ id, quantity }): PricedLine[] => {
    const item = items.get(id);
    if (item === undefined) return [];
    const base = item.unitPrice * BigInt(quantity);
    const ofLine = tax === null ? 0n : taxOf(base, tax);
    return [{ item, quantity, base, tax: ofLine, total: tax?.included === true ? base : base + ofLine }];
  });
}

function reaches({ countries }: FulfillmentOption, country: string | null): boolean {
  return countries === undefined || country === null || countries.includes(country);
}

/** Digital goods go by digital ways, all others by the others. */
function suits({ type }: FulfillmentOption, { digital }: OfferItem): boolean {
  return (type === 'digital') === digital;
}

/** Lines of items that are unknown, or fewer than asked for; several lines of one item count together. */
function stockProblems({ items }: Offer, { lines }: BasketRequest): Problem[] {
  const asked = new Map<string, number>();
  return lines.flatMap(({ id, quantity }, line): Problem[] => {
    const item = items.get(id);
    if (item === undefined) return [{ code: 'unknown_item', line, message: `There is no item ${id}.` }];
    const together = (asked.get(id) ?? 0) + quantity;
    asked.set(id, together);
    const { available_quantity: left = Infinity, max_quantity_per_order: most = Infinity, title } = item;
    if (left === 0) return [{ code: 'out_of_stock', line, message: `${title} is sold out.` }];
    if (together > left) return [{ code: 'out_of_stock', line, message: `Only ${left} of ${title} are left.` }];
    if (together > most) return [{ code: 'quantity_exceeded', line, message: `At most ${most} of ${title} go into one order.` }];
    return [];
  });
}

function selectionProblems({ options }: Offer, { selections, country }: BasketRequest, lines: readonly PricedLine[]): Problem[] {
  const items = new Map(lines.map(({ item }) => [item.id, item]));
  const taken = new Set<string>();
  return selections.flatMap(({ optionId, itemIds }, selection): Problem[] => {
    const option = options.find(({ id }) => id === optionId);
    if (option === undefined) return [{ code: 'unknown_option', selection, message: `There is no fulfilment option ${optionId}.` }];
    const twice = itemIds.some((id) => taken.has(id));
    for (const id of itemIds) taken.add(id);
    if (twice) return [{ code: 'option_repeated', selection, message: 'An item can have one fulfilment option only.' }];
    const unsuited = itemIds.length === 0 || itemIds.some((id) => !(items.has(id) && suits(option, items.get(id) as OfferItem)));
    if (unsuited) return [{ code: 'option_unsuited', selection, message: `${option.title} is not for these items.` }];
    if (reaches(option, country)) return [];
    return [{ code: 'option_out_of_reach', selection, message: `${option.title} does not go to ${country}.` }];
  });
}

/** What is still to be chosen. Digital goods need no way of delivery, nor do those of a merchant that has none. */
function gaps(offer: Offer, { selections, country }: BasketRequest, lines: readonly PricedLine[]): Problem[] {
  const waiting = lines.filter(({ item }) => !item.digital);
  const ways = offer.options.filter(({ type }) => type !== 'digital');
  if (waiting.length === 0 || ways.length === 0) return [];
  if (!ways.some((way) => reaches(way, country)))
    return [{ code: 'undeliverable', message: `The merchant does not deliver to ${country}.` }];
  const chosenBy = (type?: FulfillmentOption['type']) =>
    new Set(
      selections
        .filter(({ optionId }) => ways.some((way) => way.id === optionId && (type === undefined || way.type === type)))
        .flatMap(({ itemIds }) => itemIds),
    );
  const [chosen, pickedUp] = [chosenBy(), chosenBy('pickup')];
  const found: Problem[] = [];
  if (country === null && ways.some(({ type }) => type === 'shipping') && waiting.some(({ item }) => !pickedUp.has(item.id))) {
    found.push({ code: 'destination_missing', message: 'A delivery address is required.' });
  }
  const open = waiting.find(({ item }) => !chosen.has(item.id));
  if (open !== undefined) found.push({ code: 'option_missing', message: `Choose a fulfilment option for ${open.item.title}.` });
  return found;
}
