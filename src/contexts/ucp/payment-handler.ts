// How a checkout is paid here: the handlers of this platform as UCP knows payment handlers, and their instruments. What an instrument
// carries is never sent back.
import { z } from 'zod';
import { type PaymentHandler, paymentHandlers } from '../accounts/offer.js';
import type { CheckoutPayment } from '../checkouts/payment.js';
import { type PayingHandler, payingHandlers, paymentByToken, tokenKinds } from '../checkouts/payment-token.js';
import type { InstrumentRequest } from './request.js';

/** The types of the instruments. */
const instrumentTypes: Record<PayingHandler, string> = { wallet: 'wallet', mandate: 'ap2_mandate', card: 'vaulted_card' };

/** The handler of an id, or null. */
export function handlerOf(text: string): PayingHandler | null {
  return payingHandlers(paymentHandlers).find((id) => id === text) ?? null;
}

/** A handler as profiles and checkouts print it. */
interface PrintedHandler {
  id: string;
  version: string;
  available_instruments: { type: string }[];
}

const domain = /^([a-z]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/;

// Gap G-286: Handlers are named by the platform's host backwards, with `local.agent_payments` on a host without a domain.
/** Names are domains backwards, so they are those of our own host; a host without a domain stands under `local`. */
function nameOf(id: PayingHandler, origin: string): string {
  const { hostname } = new URL(origin);
  const labels = domain.test(hostname) ? hostname.split('.').reverse() : ['local', 'agent_payments'];
  return [...labels.map((label) => label.replaceAll('-', '_')), id].join('.');
}

const print = (id: PayingHandler, version: string): PrintedHandler => ({
  id,
  version,
  available_instruments: [{ type: instrumentTypes[id] }],
});

/** The handlers of `allowed`, by name. */
export function printHandlers(allowed: readonly PaymentHandler[], origin: string, version: string): Record<string, PrintedHandler[]> {
  return Object.fromEntries(payingHandlers(allowed).map((id) => [nameOf(id, origin), [print(id, version)]]));
}

/** Where the schema of a handler's instruments is served. */
export const handlerSchemaPath = '/ucp/handlers/{handler}';

/** All handlers with where they are described, as the profile of a platform prints them. */
export function declareHandlers(origin: string, version: string): Record<string, object[]> {
  const declare = (id: PayingHandler) => ({
    ...print(id, version),
    spec: `${origin}/docs`,
    schema: origin + handlerSchemaPath.replace('{handler}', id),
  });
  return Object.fromEntries(payingHandlers(paymentHandlers).map((id) => [nameOf(id, origin), [declare(id)]]));
}

const tokenMeanings: Record<PayingHandler, string> = {
  wallet: 'The id of the wallet that pays.',
  mandate: 'The `mandate_jwt` of an AP2 mandate of this platform.',
  card: 'The id of the vaulted card that pays.',
};

/** The JSON schema of the instruments of a handler. */
export function instrumentSchema(id: PayingHandler): Record<string, unknown> {
  const shape = z.looseObject({
    id: z.string(),
    handler_id: z.literal(id),
    type: z.literal(instrumentTypes[id]),
    credential: z.looseObject({ type: z.literal(tokenKinds[id]), token: z.string().describe(tokenMeanings[id]) }),
  });
  return z.toJSONSchema(shape) as Record<string, unknown>;
}

/** An instrument as a payment of ours; otherwise a sentence that says what is wrong with it. */
export function ucpPaymentOf(
  { handler_id, type, credential }: InstrumentRequest,
  allowed: readonly PaymentHandler[],
): CheckoutPayment | string {
  const id = payingHandlers(allowed).find((known) => known === handler_id);
  if (id === undefined) return `This checkout has no payment handler ${handler_id}.`;
  if (type !== instrumentTypes[id]) return `The handler ${id} takes instruments of the type ${instrumentTypes[id]}.`;
  if (credential?.type !== tokenKinds[id]) return `The handler ${id} takes a credential of the type ${tokenKinds[id]}, with its token.`;
  return paymentByToken(id, credential.token) ?? `The token is not of the kind ${tokenKinds[id]}.`;
}
