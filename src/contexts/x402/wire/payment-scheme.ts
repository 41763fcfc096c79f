// Other protocols that pay for a call at the paid door, beside the headers of x402. Whoever makes the doors names them.
import type { X402Endpoint } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { DoorAnswer, DoorRequest } from '../../../platform/door.js';
import { ValidationFailed } from '../../../platform/errors.js';
import type { PaidRequest } from '../payment/paid-request.js';

/** What a way to pay asks for, as the OpenAPI document of a door says it (draft-payment-discovery-00). */
export interface DiscoveredOffer {
  intent: string;
  method: string;
  /** Base units; null where it depends on the request. */
  amount: string | null;
  currency: string;
}

/** What the price of an endpoint follows from. */
export type PricedEndpoint = Pick<X402Endpoint, 'network' | 'scheme' | 'basePrice' | 'currency'>;

/** A scheme of the Authorization header that pays. */
export interface PaymentScheme {
  /** Its name, such as `Payment`. */
  name: string;
  /** What its payments are, for the reference. */
  about: string;
  /** One offer for each challenge that a 402 of the endpoint has. */
  discovered(where: Pick<Ctx, 'platform' | 'workspace'>, endpoint: PricedEndpoint): readonly DiscoveredOffer[];
  /** The values of WWW-Authenticate that a 402 of the endpoint has: one for each way to pay. */
  challenges(paidRequest: PaidRequest): Promise<readonly string[]>;
  /** What comes of a credential of the scheme. Of an answer that is a 402 the door adds the challenges. */
  take(paidRequest: PaidRequest, authorization: string): Promise<DoorAnswer>;
}

/** A credential of a scheme, and the header that it came in. */
export interface SchemeCredential {
  scheme: PaymentScheme;
  authorization: string;
  header: string;
}

/** Where a credential may stand: the second, where the first belongs to something else. */
const credentialHeaders = ['Authorization', 'Payment-Authorization'];

/** The credential by which a request pays; undefined where it has none of these schemes. 400 for two. */
export function credentialIn(schemes: readonly PaymentScheme[], { header }: Pick<DoorRequest, 'header'>): SchemeCredential | undefined {
  const found = credentialHeaders.flatMap((name) => {
    const authorization = header(name);
    const [word = ''] = authorization.split(' ', 1);
    const scheme = schemes.find((one) => one.name.toLowerCase() === word.toLowerCase());
    return scheme === undefined ? [] : [{ scheme, authorization, header: name }];
  });
  const [first, second] = found;
  if (second !== undefined)
    throw new ValidationFailed([{ path: [second.header], message: 'is a second payment: send one', rule: 'one_of' }]);
  return first;
}
