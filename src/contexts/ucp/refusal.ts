// How UCP says no. What a business refuses is an answer of 200, with the checkout or with messages alone; what is wrong with the request as
// such is a status with `{code, content}` (docs/protocols.md "UCP").
import type { DoorAnswer, Spelling } from '../../platform/door.js';
import { type ApiError, ValidationFailed } from '../../platform/errors.js';
import { CheckoutExpired, NotYourCheckout } from '../checkouts/errors.js';
import { MandateRefused } from './checkout-mandate.js';
import { CapabilitiesIncompatible, NoSession, NothingFound, RequestRefused } from './errors.js';
import { recoverable, requestMessages, type UcpMessage, unrecoverable } from './message.js';
import { paymentFailed } from './session-view.js';
import { before } from './version.js';

/** What UCP answers where there is no checkout to show. */
export interface ErrorAnswer {
  ucp: { version: string; status: 'error' };
  messages: UcpMessage[];
}

const notThere = (content: string) => unrecoverable('not_found', content);
const noCheckout = notThere('There is no such checkout at this merchant.');

/** The answer of 200 that has messages alone. */
export function errorAnswer(messages: readonly UcpMessage[], version: string): DoorAnswer & { status: 200; body: ErrorAnswer } {
  const body = { ucp: { version, status: 'error' as const }, messages: messages.map(asUnrecoverable) };
  return { status: 200 as const, body };
}

/** Without a checkout nothing can be mended but the request. */
const asUnrecoverable = (message: UcpMessage): UcpMessage => ({ ...message, severity: 'unrecoverable' });

/** The failures that are spelled as such. A key with another body is 409 to UCP, and lacking a capability is an answer. */
export const spell: Spelling = (error, { requestId }) => {
  const { status, code, message, details, fields } = error;
  if (error instanceof CapabilitiesIncompatible) return errorAnswer([unrecoverable(code, message)], error.version);
  // Gap G-640: What is answered by UCP before the version of a request is known says 2026-04-08.
  if (error instanceof NoSession) return errorAnswer([noCheckout], before);
  const issues = fields?.map(({ path, ...issue }) => ({ path: path.join('.'), ...issue }));
  return {
    status: code === 'idempotency_key_reused' ? 409 : status,
    body: {
      code,
      content: message,
      ...((details !== undefined || issues !== undefined) && { details: { ...details, ...(issues && { fields: issues }) } }),
      request_id: requestId,
    },
  };
};

// Gap G-288: A UCP checkout that is past the step is 409 with `{code, content}`, as the conformance suite wants it.
/** True where the checkout is past the step that was asked for. */
function isConflict({ code, details }: ApiError): boolean {
  return code === 'state_conflict' && details?.['reason'] !== 'not_ready';
}

/** True for what is spelled with its own status. */
function isSpelled(error: ApiError): boolean {
  const isForbidden = error instanceof NotYourCheckout || error.status === 401;
  return isForbidden || isConflict(error) || error instanceof CheckoutExpired || error instanceof CapabilitiesIncompatible;
}

const notFound = (error: ApiError): boolean => error.status === 404 && error.fields === undefined;

/** What there is to say of a refusal; undefined where it is spelled with its own status. */
export function ucpMessagesOf(error: ApiError, step: 'request' | 'payment'): UcpMessage[] | undefined {
  if (isSpelled(error)) return undefined;
  if (error instanceof NothingFound) return [notThere(error.content)];
  if (notFound(error)) return [noCheckout];
  // The checkout says itself what keeps it from being paid.
  if (error.code === 'state_conflict') return [];
  if (error instanceof RequestRefused) return [...error.messages];
  if (error instanceof MandateRefused) return [recoverable(error.reason, error.message, '$.ap2.checkout_mandate')];
  if (step === 'payment') return [paymentFailed(error.code, error.message)];
  if (error instanceof ValidationFailed) return requestMessages(error.fields ?? []);
  return [{ ...recoverable(error.code, error.message), reason: error.code }];
}

/** True where the refusal leaves nothing to show. */
export function leavesNothing(error: ApiError): boolean {
  return notFound(error);
}
