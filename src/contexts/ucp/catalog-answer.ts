// What catalogues answer, as schemas for openapi.json. The published schemas say more; the tests hold every answer to those.
import { z } from 'zod';
import { envelope, refused } from './answer.js';

const said = (text: string) => z.string().describe(text);

const price = z
  .looseObject({ amount: z.int().describe('In minor units of the currency.'), currency: said('The currency, such as `USD`.') })
  .meta({ id: 'UCPPrice', description: 'A price.' });
const description = z.looseObject({ plain: said('As plain text.') }).meta({ id: 'UCPDescription', description: 'What something is.' });
const medium = z
  .looseObject({ type: said('What it is: `image`.'), url: said('Its address.') })
  .meta({ id: 'UCPMedia', description: 'A picture of an item.' });
const input = z.looseObject({ id: said('The id that was asked for.'), match: said('How it was found: `exact`.') });

const variant = z
  .looseObject({
    id: said("The merchant's id of the item, which lines of carts and checkouts name."),
    title: said('Its name, as buyers read it.'),
    description: description.describe('What it is.'),
    price: price.describe('Price of one.'),
    availability: z
      .looseObject({ available: z.boolean().describe('Whether it can be bought.'), status: said('`in_stock` or `out_of_stock`.') })
      .describe('Whether it can be bought now.'),
    media: z.array(medium).describe('Pictures of it.').optional(),
    inputs: z.array(input).describe('In a lookup: the ids that were asked for.').optional(),
  })
  .meta({ id: 'UCPVariant', description: 'What can be bought of a product: itself.' });

const product = z
  .looseObject({
    id: said("The merchant's id of the item."),
    title: said('Its name, as buyers read it.'),
    description: description.describe('What it is.'),
    categories: z
      .array(z.looseObject({ value: said('Its name.'), taxonomy: said('Whose it is: `merchant`.') }))
      .describe('The categories that the merchant has given it.')
      .optional(),
    price_range: z.looseObject({ min: price.describe('The least.'), max: price.describe('The largest.') }).describe('What it costs.'),
    media: z.array(medium).describe('Pictures of it.').optional(),
    variants: z.array(variant).describe('What can be bought of it: one.'),
  })
  .meta({ id: 'UCPProduct', description: 'An item of a catalogue.' });

const remark = z
  .looseObject({ type: said('`info` or `warning`.'), code: said('What it is about.'), content: said('What there is to say.') })
  .meta({ id: 'UCPRemark', description: 'Something to know of an answer.' });

const common = {
  ucp: envelope.describe('The version that is spoken; its status is `success`.'),
  messages: z.array(remark).describe('What else there is to say, if anything is.').optional(),
};
const products = z.array(product).describe('What was found.');

/** A page of a search, or why there is none. */
export const searchAnswer = z.union([
  z
    .looseObject({
      ...common,
      products,
      pagination: z
        .looseObject({
          has_next_page: z.boolean().describe('Whether there is more.'),
          cursor: said('Where the next page begins.').optional(),
          total_count: z.int().describe('How many fit.'),
        })
        .describe('Where the page stands.'),
    })
    .meta({ id: 'UCPCatalogPage', description: 'A page of what was found.' }),
  refused,
]);
/** What a lookup has found, or why nothing. */
export const lookupAnswer = z.union([
  z.looseObject({ ...common, products }).meta({ id: 'UCPCatalogItems', description: 'What was found.' }),
  refused,
]);
/** One item, or why there is none. */
export const productAnswer = z.union([
  z.looseObject({ ...common, product: product.describe('The item.') }).meta({ id: 'UCPCatalogItem', description: 'One item.' }),
  refused,
]);
