// The extension offer-receipt of x402: a 402 carries each of its offers signed, and a settled payment a signed receipt. Either is a JWS by
// the platform's key, whose `kid` leads to the DID document. What a client sends back of it is never read: offers follow from the endpoint.
import canonicalize from 'canonicalize';
import { CompactSign } from 'jose';
import { LRUCache } from 'lru-cache';
import type { X402Payment } from '../../../generated/prisma/client.js';
import type { Platform } from '../../../platform/ctx.js';
import { didOf } from '../../identity/did.js';
import { signingAlg, signingKey } from '../../identity/signing-key.js';
import type { PaymentOption } from '../endpoint/offer.js';
import { type PaymentPayload, printHeader } from './wire.js';

/** What the protocol calls it. */
export const offerReceipt = 'offer-receipt';

/** Where something is paid for: the origin of the listener names the signer. */
interface Place {
  platform: Platform;
  origin: string;
  /** The address that is paid for. */
  resource: string;
}

const draft = 'https://json-schema.org/draft/2020-12/schema';
const object = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required });
const jws = { format: { const: 'jws' }, signature: { type: 'string' } };
const offersSchema = {
  $schema: draft,
  ...object({ offers: { type: 'array', items: object({ ...jws, acceptIndex: { type: 'integer' } }, ['format', 'signature']) } }, [
    'offers',
  ]),
};
const receiptSchema = { $schema: draft, ...object({ receipt: object(jws, ['format', 'signature']) }, ['receipt']) };

/** What was signed, by signer and payload: the key is in the name, so that platforms of one process share nothing. */
const kept = new LRUCache<string, Promise<string>>({ max: 2_000 });

/** The JWS of a payload, signed once as long as it is kept. */
async function signedOnce({ platform, origin }: Place, payload: object): Promise<string> {
  const { kid, privateKey } = await signingKey(platform);
  const name = `${kid} ${origin} ${JSON.stringify(payload)}`;
  const before = kept.get(name);
  if (before !== undefined) return before;
  const text = new TextEncoder().encode(canonicalize(payload));
  const made = new CompactSign(text).setProtectedHeader({ alg: signingAlg, kid: `${didOf(origin)}#${kid}` }).sign(privateKey);
  kept.set(name, made);
  made.catch(() => kept.delete(name));
  return made;
}

/** Bytes of the longest address whose offers are signed. */
const longestResource = 1_000;

// Gap G-660: A 402 for an address of more than 1,000 bytes has no signed offers: its headers would outgrow the 16 KiB that clients read.
// Gap G-661: A signed offer is good until the end of the next minute: for all offers of a minute, and never less than their payment takes.
/** The extension of a 402: one signed offer for each of what it accepts. Nothing where the headers would become too long. */
export async function signedOffers(place: Place, accepts: readonly PaymentOption[]): Promise<Record<string, object>> {
  const { platform, resource } = place;
  if (Buffer.byteLength(resource) > longestResource) return {};
  const validUntil = (Math.floor(platform.clock.now().getTime() / 60_000) + 2) * 60;
  const offers = await Promise.all(
    accepts.map(async ({ scheme, network, asset, payTo, amount }, acceptIndex) => {
      const terms = { version: 1, resourceUrl: resource, scheme, network, asset, payTo, amount, validUntil };
      return { format: 'jws', acceptIndex, signature: await signedOnce(place, terms) };
    }),
  );
  return { [offerReceipt]: { info: { offers }, schema: offersSchema } };
}

// Gap G-662: A receipt names neither amount nor transaction: who shows it shows that it paid, and not by what.
/** The receipt of a payment; null for one that is not settled. */
export async function signReceipt(place: Place, { status, network, payerWallet, settledAt }: X402Payment): Promise<string | null> {
  if (status !== 'settled' || settledAt === null) return null;
  const issuedAt = Math.floor(settledAt.getTime() / 1000);
  return signedOnce(place, { version: 1, network, resourceUrl: place.resource, payer: payerWallet, issuedAt });
}

/** The extension of a SettlementResponse, with the receipt of its payment. */
export function receiptExtension(signature: string): Record<string, object> {
  return { [offerReceipt]: { info: { receipt: { format: 'jws', signature } }, schema: receiptSchema } };
}

/** A payload as its payment keeps it, in base64: without the offers that a client has sent back, which are ours and long. */
export function printPayload(payload: PaymentPayload): string {
  if (payload.x402Version !== 2 || payload.extensions == null) return printHeader(payload);
  const { [offerReceipt]: _, ...extensions } = payload.extensions;
  return printHeader({ ...payload, extensions });
}
