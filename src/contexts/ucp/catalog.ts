// The catalogue of a merchant as UCP shows it: the items of its offer, each of which is product and variant at once.
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { printCursor, readCursor } from '../../platform/schema/cursor.js';
import type { Offer, OfferItem } from '../accounts/offer.js';
import { sellerOf } from '../checkouts/offered.js';
import { printCapabilities } from './capability.js';
import type { LookupRequest, ProductRequest, SearchRequest } from './catalog-request.js';
import type { Talk } from './conversation.js';
import { NothingFound, RequestTooLarge } from './errors.js';

/** Items of a page, by default and at most; ids of a lookup at most. */
const usualPage = 10;
const mostAtOnce = 50;

/** What is said beside what was found; nothing is wrong with it. */
interface Remark {
  type: 'info' | 'warning';
  code: string;
  content: string;
  path?: string;
}

/** One page of what fits. 400 for a cursor that is none, or of another search. */
export function searchCatalog(ctx: Ctx, talk: Talk, request: SearchRequest): object {
  const { offer } = sellerOf(talk.merchant);
  const { query = '', filters, context, pagination = {} } = request;
  const { items, remarks } = chosenFrom(offer, request);
  const found = items.filter(hasWords(query));
  const list = JSON.stringify(['ucp_catalog', talk.merchant.id, query, filters ?? null, context?.currency ?? null]);
  const begin = pagination.cursor === undefined ? 0 : beginOf(ctx, list, pagination.cursor, found);
  const limit = Math.min(pagination.limit ?? usualPage, mostAtOnce);
  const page = found.slice(begin, begin + limit);
  const last = page.at(-1);
  const end = begin + page.length;
  const total = { count: found.length, isMinimum: false };
  const hasMore = last !== undefined && end < found.length;
  return answer(talk, remarks, {
    products: page.map((item) => printProduct(item, offer)),
    pagination: {
      has_next_page: hasMore,
      ...(hasMore && { cursor: printCursor(ctx, list, { after: last.id, page: end, pageSize: limit, total }) }),
      total_count: found.length,
    },
  });
}

/** Where a page begins: after the item that the page before has ended with, or where that stood. */
function beginOf(ctx: Ctx, list: string, cursor: string, found: readonly OfferItem[]): number {
  const read = readCursor(ctx, list, cursor);
  if (read === null) {
    const message = 'must be the cursor of a page of this very search';
    throw new ValidationFailed([{ path: ['pagination', 'cursor'], message, rule: 'cursor' }]);
  }
  const at = found.findIndex(({ id }) => id === read.after);
  return at < 0 ? read.page : at + 1;
}

/** The items of these ids, each once; what there is none of is said. 400 `request_too_large`. */
export function lookUpCatalog(talk: Talk, request: LookupRequest): object {
  const { offer } = sellerOf(talk.merchant);
  const ids = [...new Set(request.ids)];
  if (ids.length > mostAtOnce) throw new RequestTooLarge('ids', mostAtOnce);
  const { items, remarks } = chosenFrom(offer, request);
  const wanted = new Set(ids);
  const missing = ids.filter((id) => !offer.items.has(id)).map((id): Remark => ({ type: 'info', code: 'not_found', content: id }));
  const products = items
    .filter(({ id }) => wanted.has(id))
    .map((item) => printProduct(item, offer, { inputs: [{ id: item.id, match: 'exact' }] }));
  return answer(talk, [...remarks, ...missing], { products });
}

/** One item. `not_found` for none of the offer, or one that the filters leave out. */
export function readProduct(talk: Talk, request: ProductRequest): object {
  const { offer } = sellerOf(talk.merchant);
  const { items, remarks } = chosenFrom(offer, request);
  const item = items.find(({ id }) => id === request.id);
  if (item === undefined) throw new NothingFound('There is no such product at this merchant.');
  return answer(talk, remarks, { product: printProduct(item, offer) });
}

function answer({ codec, active }: Talk, remarks: readonly Remark[], content: object): object {
  return {
    ucp: { version: codec.version, status: 'success', capabilities: printCapabilities(active, codec.version) },
    ...content,
    ...(remarks.length > 0 && { messages: remarks }),
  };
}

/** True for an item that has every word, wherever it is written. Without words each item has them. */
function hasWords(query: string): (item: OfferItem) => boolean {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ id, title, description = '', categories = [] }) => {
    const said = folded([id, title, description, ...categories].join('\n'));
    return words.every((word) => said.includes(word));
  };
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

// Gap G-740: A price filter is in the offer's currency; where `context.currency` names another it is left alone, with a warning.
/** The items that meet the filters, in the merchant's order. */
function chosenFrom({ items, currency }: Offer, { filters = {}, context }: Pick<SearchRequest, 'filters' | 'context'>) {
  const { categories, price } = filters;
  const isOther = price !== undefined && context?.currency !== undefined && context.currency.toUpperCase() !== currency;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = isOther ? {} : (price ?? {});
  const wanted = categories && new Set(categories.map(folded));
  const chosen = [...items.values()].filter(({ unitPrice, categories: own = [] }) => {
    if (wanted !== undefined && wanted.size > 0 && !own.some((category) => wanted.has(folded(category)))) return false;
    return unitPrice >= BigInt(min) && unitPrice <= BigInt(max);
  });
  const content = `Prices here are in ${currency}: the price filter was left alone.`;
  const remarks: Remark[] = isOther ? [{ type: 'warning', code: 'price_filter_ignored', content, path: '$.filters.price' }] : [];
  return { items: chosen, remarks };
}

// Gap G-741: An item of an offer is a product with one variant of its id. USDC, USDT and EURC stand in catalogues as they are.
/** An item as a product whose one variant it is. */
function printProduct(item: OfferItem, { currency }: Offer, ofVariant: object = {}): object {
  const { id, title, description = title, unitPrice, image_url: image, categories, available_quantity: left } = item;
  const price = { amount: Number(unitPrice), currency };
  const said = { plain: description };
  const media = image !== undefined && [{ type: 'image', url: image, alt_text: title }];
  const isThere = left !== 0;
  return {
    id,
    title,
    description: said,
    ...(categories !== undefined && { categories: categories.map((value) => ({ value, taxonomy: 'merchant' })) }),
    price_range: { min: price, max: price },
    ...(media && { media }),
    variants: [
      {
        id,
        title,
        description: said,
        price,
        availability: { available: isThere, status: isThere ? 'in_stock' : 'out_of_stock' },
        ...(media && { media }),
        ...ofVariant,
      },
    ],
  };
}
