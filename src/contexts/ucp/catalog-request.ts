// What an agent asks of a catalogue: the members of UCP that are read here, bounded. Others are left alone.
import { z } from 'zod';

const text = (most: number) => z.string().min(1).max(most);

/** The currency that a price is told in. */
const context = z
  .looseObject({ currency: text(8).optional().describe('The currency of prices in the filters; that of the offer by default.') })
  .meta({ id: 'UCPCatalogContext', description: 'What is known of the buyer. Only the currency is read.' });

const price = z
  .looseObject({
    min: z.int().min(0).optional().describe('Least price, in minor units.'),
    max: z.int().min(0).optional().describe('Largest price, in minor units.'),
  })
  .meta({ id: 'UCPPriceFilter', description: 'Prices of one, from least to largest.' });

const filters = z
  .looseObject({
    categories: z.array(text(100)).max(50).optional().describe('Categories, of which an item has to have one.'),
    price: price.optional().describe('What one may cost.'),
  })
  .meta({ id: 'UCPCatalogFilters', description: 'What items have to meet, all of it. Other filters are left alone.' });

const shared = {
  context: context.optional().describe('What is known of the buyer.'),
  filters: filters.optional().describe('What items have to meet.'),
};

const pagination = z
  .looseObject({
    cursor: text(400).optional().describe('Where the page before has ended.'),
    limit: z.int().min(1).optional().describe('Items of a page: 10 by default, 50 at most.'),
  })
  .meta({ id: 'UCPPageRequest', description: 'Where a page begins, and how long it is.' });

/** A search. */
export const searchRequest = z
  .looseObject({
    query: z
      .string()
      .max(400)
      .optional()
      .describe('Words, all of which are in the id, the title, the description or the categories of an item.'),
    pagination: pagination.optional().describe('The page that is wanted.'),
    ...shared,
  })
  .refine(({ query, filters: chosen, pagination: page }) => [query, chosen, page].some((one) => one !== undefined), {
    path: ['query'],
    message: 'is required where there are no filters',
  })
  .meta({ id: 'UCPCatalogSearch', description: 'What is looked for.' });

/** Items by their ids. */
export const lookupRequest = z
  .looseObject({ ids: z.array(text(200)).min(1).describe('Ids of items, 50 at most.'), ...shared })
  .meta({ id: 'UCPCatalogLookup', description: 'Which items are wanted.' });

/** One item. */
export const productRequest = z
  .looseObject({ id: text(200).describe('The id of the item.'), ...shared })
  .meta({ id: 'UCPCatalogProduct', description: 'Which item is wanted.' });

export type SearchRequest = z.output<typeof searchRequest>;
export type LookupRequest = z.output<typeof lookupRequest>;
export type ProductRequest = z.output<typeof productRequest>;
