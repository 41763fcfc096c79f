// How a checkout is paid here: a wallet, an AP2 mandate or a vaulted card of this platform, as payment handlers of UCP. No instrument
// carries a card number, and none is ever sent back (Gap G-383).
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { parseId } from '../../platform/schema/id.js';
import type { PaymentHandler } from '../accounts/offer.js';
import type { CheckoutPayment } from '../checkouts/payment.js';
import type { InstrumentRequest } from './request.js';
import { ucpVersion } from './version.js';

/** What each handler takes: the type of its instruments, and what the token of their credential is. */
const kinds = {
  wallet: { instrument: 'wallet', credential: 'wallet_id', token: 'The id of the wallet that pays.' },
  mandate: { instrument: 'ap2_mandate', credential: 'mandate_jwt', token: 'The `mandate_jwt` of an AP2 mandate of this platform.' },
} as const;
type HandlerId = keyof typeof kinds;
const handlerIds = Object.keys(kinds) as HandlerId[];

/** The id of a handler, or null. */
export function handlerIdOf(text: string): HandlerId | null {
  return handlerIds.find((id) => id === text) ?? null;
}

/** A handler as profiles and checkouts print it. */
export interface PrintedHandler {
  id: string;
  version: string;
  available_instruments: { type: string }[];
}

/**
 * Names of handlers are domains backwards, so they are those of our own host; a host without a domain stands under `local` (Gap G-383).
 */
function nameOf(id: string, origin: string): string {
  const { hostname } = new URL(origin);
  const labels = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$/i.test(hostname)
    ? hostname.toLowerCase().split('.').reverse()
    : ['local', 'agent_payments'];
  const [first = 'local', ...rest] = labels.map((label) => label.replaceAll('-', '_'));
  return [first, ...rest.map((label) => (/^[a-z]/.test(label) ? label : `_${label}`.replace(/^_/, 'n'))), id].join('.');
}

/** The handlers of `allowed`, by name. */
export function printHandlers(allowed: readonly PaymentHandler[], origin: string): Record<string, PrintedHandler[]> {
  const active = handlerIds.filter((id) => (allowed as readonly string[]).includes(id));
  return Object.fromEntries(
    active.map((id) => [nameOf(id, origin), [{ id, version: ucpVersion, available_instruments: [{ type: kinds[id].instrument }] }]]),
  );
}

/** Where the schema of a handler's instruments is served. */
export const handlerSchemaPath = '/ucp/handlers/{handler}';

/** The handlers with where they are described, as the profile of a platform prints them. */
export function declareHandlers(origin: string): Record<string, (PrintedHandler & { spec: string; schema: string })[]> {
  const declared = Object.entries(printHandlers(['wallet', 'mandate', 'card'], origin)).map(([name, [handler]]) => {
    const { id = '' } = handler ?? {};
    const pages = { spec: `${origin}/docs`, schema: `${origin}${handlerSchemaPath.replace('{handler}', id)}` };
    return [name, handler === undefined ? [] : [{ ...handler, ...pages }]] as const;
  });
  return Object.fromEntries(declared);
}

/** The JSON schema of what a handler takes. */
export function instrumentSchema(id: HandlerId): Record<string, unknown> {
  const { instrument, credential, token } = kinds[id];
  const shape = z.looseObject({
    id: z.string(),
    handler_id: z.literal(id),
    type: z.literal(instrument),
    credential: z.looseObject({ type: z.literal(credential), token: z.string().describe(token) }),
  });
  return z.toJSONSchema(shape) as Record<string, unknown>;
}

/** An instrument as a payment of ours; a sentence that says what is wrong with it otherwise. */
export function paymentOf(
  { handler_id: handler, type, credential }: InstrumentRequest,
  allowed: readonly PaymentHandler[],
): CheckoutPayment | string {
  const id = handlerIdOf(handler);
  if (id === null || !allowed.includes(id)) return `There is no payment handler ${handler} here.`;
  const kind = kinds[id];
  if (type !== kind.instrument) return `The handler ${id} takes instruments of the type ${kind.instrument}.`;
  if (credential?.type !== kind.credential) return `The handler ${id} takes a credential of the type ${kind.credential} with its token.`;
  return id === 'wallet' ? walletPayment(credential.token) : mandatePayment(credential.token);
}

function walletPayment(token: string): CheckoutPayment | string {
  const walletId = parseId('wallet', token);
  return walletId === null ? 'The token is no id of a wallet.' : { kind: 'wallet', walletId };
}

/** The mandate is named by its JWT; whether that is good is asked when it pays. */
function mandatePayment(mandateJwt: string): CheckoutPayment | string {
  try {
    const mandateId = parseId('mandate', decodeJwt(mandateJwt).jti);
    if (mandateId !== null) return { kind: 'mandate', mandateId, mandateJwt };
  } catch {
    // It is no JWT.
  }
  return 'The token is no mandate_jwt of this platform.';
}
