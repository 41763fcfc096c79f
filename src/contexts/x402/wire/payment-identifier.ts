// The extension payment-identifier of x402: an id of the payer's own choice for one payment. The same payload with it is answered with what
// the first one made, and another payload pays nothing (CONTRACT.md 9).
import { z } from 'zod';
import type { X402Payment } from '../../../generated/prisma/client.js';
import type { Claim } from '../../../ledger/posting.js';
import type { Ctx } from '../../../platform/ctx.js';
import { storedPayer } from '../chain/exact.js';
import { PaymentIdentifierUsed } from '../errors.js';
import { printPayload } from './offer-receipt.js';
import type { PaymentPayload } from './wire.js';

/** What the protocol calls it. */
export const paymentIdentifier = 'payment-identifier';

const idSchema = { type: 'string', minLength: 16, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' } as const;

/** What a 402 says of it: a payer may choose an id, and need not. */
export const offeredExtensions = {
  [paymentIdentifier]: {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { required: { type: 'boolean' }, id: idSchema },
      required: ['required'],
    },
  },
};

const echoed = z.object({ info: z.object({ id: z.string() }) });

/** The id that a payload carries; undefined for none. What is no id, the reading of the payload has refused. */
export function identifierIn(payload: PaymentPayload): string | undefined {
  if (payload.x402Version === 1) return undefined;
  return echoed.safeParse(payload.extensions?.[paymentIdentifier]).data?.info.id;
}

/** An id of a payer on a network: what it is claimed by stands among the nonces, with a word before it that names no network. */
export function identifierClaim({ network, payer, identifier }: { network: string; payer: string; identifier: string }): Claim {
  return { kind: 'x402_nonce', key: `id ${network} ${storedPayer(payer)} ${identifier}` };
}

// Gap G-323: An id belongs to its payer on one network for ever; the same payload answers again, another is 409.
/** The payment that a claimed id has made; null while it has made none. 409 where another payload did. */
export async function paymentBefore({ db }: Ctx, { kind, key }: Claim, payload: PaymentPayload): Promise<X402Payment | null> {
  const used = await db.claim.findFirst({ where: { kind, key }, select: { reference: true } });
  const made = used?.reference == null ? null : await db.x402Payment.findFirst({ where: { id: used.reference } });
  if (made !== null && made.paymentSignature !== printPayload(payload)) throw new PaymentIdentifierUsed();
  return made;
}
