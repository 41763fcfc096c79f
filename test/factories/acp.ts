// A client of the doors of ACP: it sends what the protocol asks of every request, and every answer is what the published schema says.
import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { acpVersion } from '../../src/contexts/acp/version.js';
import type { Answer, Client, Json } from '../harness.js';
import published from '../vectors/acp/schema.agentic_checkout.json' with { type: 'json' };
import { newSeller } from './offer.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(published, 'acp');

/** What is wrong with a value by a definition of the published schema; null when nothing is. */
export function faultBy(definition: string, value: unknown): string | null {
  const validate = ajv.getSchema(`acp#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`ACP defines no ${definition}`);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

export interface AcpOptions {
  as?: string | null;
  /** The Idempotency-Key; undefined: a new one, null: none. */
  key?: string | null;
  version?: string | null;
  headers?: Record<string, string>;
  raw?: string;
}

/** A session at a shop, and what can be done with it. */
export class AcpClient {
  readonly #client: Client;
  readonly base: string;

  constructor(client: Client, merchantId: string) {
    this.#client = client;
    this.base = `/acp/${merchantId}/checkout_sessions`;
  }

  async send(method: string, path: string, body?: unknown, options: AcpOptions = {}): Promise<Answer> {
    const { as, key = randomUUID(), version = acpVersion, headers = {}, raw } = options;
    const answer = await this.#client.call(method, this.base + path, {
      ...(as !== undefined && { as }),
      ...(body !== undefined && { body }),
      ...(raw !== undefined && { raw }),
      headers: {
        ...(key === null || method === 'GET' ? {} : { 'Idempotency-Key': key }),
        ...(version === null ? {} : { 'API-Version': version }),
        ...headers,
      },
    });
    checkBySchema(answer);
    return answer;
  }

  create(body: object = {}, options?: AcpOptions): Promise<Answer> {
    return this.send('POST', '', createBody(body), options);
  }
  update({ id }: Json, body: object, options?: AcpOptions): Promise<Answer> {
    return this.send('POST', `/${id}`, body, options);
  }
  read({ id }: Json, options?: AcpOptions): Promise<Answer> {
    return this.send('GET', `/${id}`, undefined, options);
  }
  complete({ id }: Json, body: object, options?: AcpOptions): Promise<Answer> {
    return this.send('POST', `/${id}/complete`, body, options);
  }
  cancel({ id }: Json, body?: object, options?: AcpOptions): Promise<Answer> {
    return this.send('POST', `/${id}/cancel`, body, options);
  }

  /** A session that may be paid: two mugs by the post. */
  async ready(options?: AcpOptions): Promise<Json> {
    const { body: session } = await this.create({ line_items: [{ id: 'mug' }, { id: 'mug' }] }, options);
    const { status, body } = await this.update(session, { selected_fulfillment_options: [byPost('mug')] }, options);
    expect([status, body.status], JSON.stringify(body)).toEqual([200, 'ready_for_payment']);
    return body;
  }
}

function checkBySchema({ status, body }: Answer): void {
  const isSession = status < 300;
  const definition = !isSession ? 'Error' : body.status === 'completed' ? 'CheckoutSessionWithOrder' : 'CheckoutSession';
  expect(faultBy(definition, body), `${status} ${JSON.stringify(body)}`).toBeNull();
}

export const address = { name: 'Ada', line_one: '1 Main St', city: 'Springfield', state: 'IL', country: 'US', postal_code: '62701' };

export function createBody(changes: object = {}): Json {
  return {
    currency: 'usd',
    line_items: [{ id: 'mug' }],
    capabilities: {},
    fulfillment_details: { name: 'Ada', email: 'ada@example.com', address },
    ...changes,
  };
}

export const byPost = (...itemIds: string[]) => ({ type: 'shipping', option_id: 'standard', item_ids: itemIds });

/** The body of a completion by a wallet. */
export function byWallet({ id }: Json, extra: object = {}): Json {
  return {
    payment_data: { handler_id: 'wallet', instrument: { type: 'wallet', credential: { type: 'wallet_id', token: id } } },
    ...extra,
  };
}

/** A shop that sells by ACP, with a client of its door. */
export async function newShop(client: Client, changes: object = {}): Promise<{ acp: AcpClient; merchant: Json; wallet: Json }> {
  const seller = await newSeller(client, changes);
  return { ...seller, acp: new AcpClient(client, seller.merchant.id) };
}

/** The amounts of totals by their type. */
export function amountsOf({ totals }: Json): Record<string, number> {
  return Object.fromEntries(totals.map(({ type, amount }: Json) => [type, amount]));
}
