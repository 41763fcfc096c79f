// The published schemas of UCP, and what its specification says beside them: every answer of the tests is held to those of its version.
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Answer, Json } from '../../harness.js';

type Validator = ReturnType<Ajv2020['compile']>;

/** What an answer shows. */
export type Shown = 'checkout' | 'cart' | 'order' | 'search' | 'lookup' | 'product';

interface Published {
  shown: Partial<Record<Shown, Validator[]>>;
  errorResponse: Validator;
  platform: Validator;
  business: Validator;
}

/** The schemas in a folder of vectors. `names`: where errors and profiles are defined, which differs. */
function publishedIn(folder: string, names: { error: string; profile: string; suffix: string }): Published {
  const root = new URL(`../../vectors/${folder}/`, import.meta.url);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))) {
    const schema = JSON.parse(readFileSync(new URL(name, root), 'utf8'));
    // The schema of profiles refers to the others from where its file stands, which is not where its $id says.
    ajv.addSchema(name.startsWith('discovery') ? { ...schema, $id: 'https://ucp.dev/discovery/profile.json' } : schema);
  }
  const at = ($ref: string) => ajv.compile({ $ref: `https://ucp.dev/${$ref}` });
  const extended = 'dev.ucp.shopping.checkout';
  const ofCarts = folder === 'ucp' ? [] : [`cart.json#/$defs/checkout`];
  const checkout = ['checkout.json', ...ofCarts, `fulfillment.json#/$defs/${extended}`, `ap2_mandate.json#/$defs/${extended}`];
  const shopping = (names: readonly string[]) => names.map((name) => at(`schemas/shopping/${name}`));
  return {
    shown: {
      checkout: shopping(checkout),
      ...(folder !== 'ucp' && {
        cart: shopping(['cart.json']),
        order: shopping(['order.json']),
        search: shopping(['catalog_search.json#/$defs/search_response']),
        lookup: shopping(['catalog_lookup.json#/$defs/lookup_response']),
        product: shopping(['catalog_lookup.json#/$defs/get_product_response']),
      }),
    },
    errorResponse: at(`schemas/${names.error}`),
    platform: at(`${names.profile}#/$defs/platform_${names.suffix}`),
    business: at(`${names.profile}#/$defs/business_${names.suffix}`),
  };
}

const published: Readonly<Record<string, Published>> = {
  '2026-04-08': publishedIn('ucp', { error: 'shopping/types/error_response.json', profile: 'discovery/profile.json', suffix: 'profile' }),
  '2026-08-25': publishedIn('ucp-2026-08-25', {
    error: 'common/types/error_response.json',
    profile: 'schemas/profile.json',
    suffix: 'schema',
  }),
};

function publishedFor({ ucp: { version } }: Json): Published {
  const found = published[version];
  if (found === undefined) throw new Error(`no schemas of UCP ${version}`);
  return found;
}

function hold(validate: Validator, body: Json): void {
  expect(validate(body) || JSON.stringify(validate.errors), JSON.stringify(body, null, 2)).toBe(true);
}

/** Holds an answer of the wire to the schema of what it shows, in the version that it claims to follow. */
export function checkPublished({ status, body }: Answer, shown: Shown = 'checkout'): void {
  if (body?.ucp === undefined) {
    // A failure of the request as such has no schema, but two members.
    expect(body, JSON.stringify(body)).toMatchObject({ code: expect.any(String), content: expect.any(String) });
    expect(status).toBeGreaterThanOrEqual(400);
    return;
  }
  expect([200, 201]).toContain(status);
  if (body.ucp.status === 'error') {
    hold(publishedFor(body).errorResponse, body);
    return;
  }
  const validators = publishedFor(body).shown[shown];
  if (validators === undefined) throw new Error(`no ${shown} in UCP ${body.ucp.version}`);
  for (const validate of validators) hold(validate, body);
  if (shown === 'checkout' || shown === 'cart') checkTotals(body);
  if (shown === 'order') checkOrder(body);
  if (shown !== 'checkout') return;
  if (body.ucp.version !== '2026-04-08') checkDestinations(body);
  expect(body.order !== undefined, 'an order is there when the checkout is completed').toBe(body.status === 'completed');
  if (body.status === 'requires_escalation') expect(body.continue_url).toEqual(expect.any(String));
  expect(JSON.stringify(body)).not.toContain('"token"');
}

const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);
const amountOf = (totals: Json, type: string) => sum(totals.filter((entry: Json) => entry.type === type).map(({ amount }: Json) => amount));

/** What a platform shows adds up: entries to the total, lines to the subtotal, parts to their entry. */
function checkTotals({ totals, line_items: lines }: Json): void {
  const others = totals.filter(({ type }: Json) => type !== 'total').map(({ amount }: Json) => amount);
  expect(sum(others)).toBe(amountOf(totals, 'total'));
  expect(sum(lines.map((line: Json) => amountOf(line.totals, 'subtotal')))).toBe(amountOf(totals, 'subtotal'));
  for (const { item, quantity, totals: own } of lines) expect(amountOf(own, 'subtotal')).toBe(item.price * quantity);
  for (const { lines: parts, amount } of totals) if (parts !== undefined) expect(sum(parts.map((part: Json) => part.amount))).toBe(amount);
}

/** Statuses follow from quantities, and what was given back is below zero. */
function checkOrder({ line_items: lines, adjustments = [] }: Json): void {
  for (const { quantity, status } of lines) {
    const { total, fulfilled } = quantity;
    expect(status).toBe(total === 0 ? 'removed' : fulfilled === total ? 'fulfilled' : fulfilled > 0 ? 'partial' : 'processing');
  }
  for (const { totals = [] } of adjustments) for (const { amount } of totals) expect(amount).toBeLessThan(0);
}

/** Since 2026-08-25 what is selected is one of the destinations, which have types and ids, and what is shown beside a title is not the title. */
function checkDestinations({ fulfillment: { methods = [] } = {} }: Json): void {
  for (const { type, destinations, selected_destination_id: selected, groups } of methods) {
    if (selected !== null) expect(destinations.filter(({ id }: Json) => id === selected)).toHaveLength(1);
    const kind = type === 'shipping' ? 'shipping_address' : 'business_location';
    for (const destination of destinations) expect(destination).toMatchObject({ type: kind, id: expect.any(String) });
    for (const { title, description } of groups.flatMap(({ options }: Json) => options)) expect(description?.plain).not.toBe(title);
  }
}

/** Holds a profile to its schema. */
export function checkProfile(kind: 'platform' | 'business', body: Json): void {
  hold(publishedFor(body)[kind], body);
}
