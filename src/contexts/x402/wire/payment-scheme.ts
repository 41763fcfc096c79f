// Other protocols that pay for a call at the paid door, beside the headers of x402. Whoever makes the doors names them.
import type { DoorAnswer, DoorRequest } from '../../../platform/door.js';
import type { PaidRequest } from '../payment/paid-request.js';

/** A scheme of the Authorization header that pays. */
export interface PaymentScheme {
  /** Its name, such as `Payment`. */
  name: string;
  /** What its payments are, for the reference. */
  about: string;
  /** The values of WWW-Authenticate that a 402 of the endpoint has: one for each way to pay. */
  challenges(paidRequest: PaidRequest): Promise<readonly string[]>;
  /** What comes of a credential of the scheme. Of an answer that is a 402 the door adds the challenges. */
  take(paidRequest: PaidRequest, authorization: string): Promise<DoorAnswer>;
}

/** The scheme by which a request pays; undefined where its Authorization header is none, or another's. */
export function schemeOf(schemes: readonly PaymentScheme[], { header }: Pick<DoorRequest, 'header'>): PaymentScheme | undefined {
  const [name = ''] = header('Authorization').split(' ', 1);
  return schemes.find((scheme) => scheme.name.toLowerCase() === name.toLowerCase());
}
