// What a call throws: the platform's refusal with what would help, or the failure to hear from it at all.
import type { components } from './generated/api.js';
import type { ErrorCode } from './generated/code.js';

/** Facts of a refusal, as the API document describes them. */
export type ErrorDetails = components['schemas']['ErrorDetails'];
/** A request that would help out of a refusal. */
export type NextAction = NonNullable<ErrorDetails['next_actions']>[number];

/** The platform has answered, and refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What happened, for programs. A newer platform may have codes that this version does not list. */
  readonly code: ErrorCode | (string & Record<never, never>);
  readonly details: ErrorDetails;
  /** Name this to support. */
  readonly requestId: string | undefined;
  /** The key that the request had: with it the same change may be sent again, such as after a 502 of what stands before the platform. */
  readonly idempotencyKey: string | undefined;
  /** The answer as it came: protocols such as ACP and UCP word their refusals in their own way. */
  readonly body: unknown;

  constructor(status: number, body: unknown, requestId: string | undefined, idempotencyKey?: string) {
    const { error, code, message, details, retry_after } = asRecord(body);
    const sentence = typeof error === 'string' ? error : typeof message === 'string' ? message : wordless(status);
    super(sentence);
    this.status = status;
    // A 429 has its code where others have their sentence.
    this.code = typeof code === 'string' ? code : retry_after === undefined ? 'unknown' : 'rate_limit_exceeded';
    this.details = asRecord(details) as ErrorDetails;
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
    this.body = body;
  }

  /** Requests that would help, such as the approval to ask for. */
  get nextActions(): readonly NextAction[] {
    return this.details.next_actions ?? [];
  }

  /** True when neither time nor any request of this caller changes the answer. */
  get isTerminal(): boolean {
    return this.details.terminal === true;
  }
}

/** 403 `insufficient_scope`: the credential may not do this. A key with `requiredScope` may. */
export class InsufficientScope extends ApiError {
  /** Such as `transfers:write`; undefined where the answer names none. */
  get requiredScope(): string | undefined {
    const { required_scope: scope } = this.details as { required_scope?: unknown };
    return typeof scope === 'string' ? scope : undefined;
  }
}

/** The error that an answer stands for: `InsufficientScope` for its code, else `ApiError`. */
export function refusalOf(...[status, body, ...rest]: ConstructorParameters<typeof ApiError>): ApiError {
  const isScope = asRecord(body)['code'] === 'insufficient_scope';
  return new (isScope ? InsufficientScope : ApiError)(status, body, ...rest);
}

/**
 * No answer came: nobody listened, the connection broke, it took too long, or what came cannot be read. `isSafe`: the request changes
 * nothing or had an Idempotency-Key, so that it may be sent again with the same one.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly isSafe: boolean;
  /** The key that the request had. */
  readonly idempotencyKey: string | undefined;

  constructor(request: Request, isSafe: boolean, cause: unknown) {
    super(`No answer to ${request.method} ${request.url}.`, { cause });
    this.isSafe = isSafe;
    this.idempotencyKey = request.headers.get('Idempotency-Key') ?? undefined;
  }
}

/** What is said of an answer without a word of the platform. A browser shows no more of a redirect than 0. */
function wordless(status: number): string {
  const isRedirect = [0, 301, 302, 303, 307, 308].includes(status);
  return isRedirect ? 'Calls are redirected: give the address where the platform listens as baseUrl.' : `The platform answered ${status}.`;
}

/** The members of what may be an object. */
export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
