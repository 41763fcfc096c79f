// The one error family of both faces. Status and code travel on the error; a face only spells it (CONTRACT.md 0 "Errors").

/** One thing that is wrong with an input. `path` is in field names of the schema; each face spells it its own way. */
export interface FieldIssue {
  path: readonly (string | number)[];
  message: string;
  rule?: string;
}

/** A request that would help the caller out of the error. */
export interface NextAction {
  rel: string;
  /** `owner`: who has the command line, with a key of his own. */
  actor: 'api_key' | 'agent' | 'any' | 'owner';
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** What who runs the platform does: a setting, or a command. Other tenants hear no more than that it is his to do. */
export interface OperatorAction {
  rel?: string;
  actor: 'operator';
  setting?: string;
  command?: string;
}

/** Whether the same request may be sent again, with the same Idempotency-Key, and after how many seconds. */
export interface Retry {
  safe: boolean;
  /** Left out where nothing is safe. */
  same_key?: boolean;
  after_s?: number;
}

/** Something that keeps an object from being closed. */
export interface OpenItem {
  type: string;
  /** As printed in events. */
  id: string;
}

/** Facts that belong to an error. Member names are those of the wire. */
export interface ErrorDetails {
  limit?: Record<string, unknown>;
  current_status?: string;
  allowed_from?: readonly string[];
  open?: readonly OpenItem[];
  next_actions?: readonly (NextAction | OperatorAction)[];
  retry?: Retry;
  terminal?: true;
  [fact: string]: unknown;
}

// Gap G-91: A refusal has `next_actions` where a request helps, `retry` where time or a new key does, else `terminal: true`.
/**
 * What a caller can do about a refusal (CONTRACT.md 0 "Small decisions"): requests that would help, the same one again, or nothing, because
 * neither time nor any request of this caller changes the answer.
 */
export type WayOut = { next_actions: readonly (NextAction | OperatorAction)[] } | { retry: Retry } | { terminal: true };

export interface ErrorFacts {
  details?: ErrorDetails;
  fields?: readonly FieldIssue[];
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** A failure that the caller is told about as it is. Everything else is a 500 that says nothing. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetails | undefined;
  readonly fields: readonly FieldIssue[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, code: string, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = facts.details;
    this.fields = facts.fields;
    this.headers = facts.headers;
  }
}

/** A class of error with its status and code readable before it happens: faces list them, OpenAPI prints them. */
export interface ErrorClass {
  readonly status: number;
  readonly code: string;
  new (...args: never[]): ApiError;
}

/** The facts that an error of a status cannot be made without: a way out of 403, 409 and 422, the fields of a 400. */
type FactsOf<Status extends number> = Status extends 403 | 409 | 422
  ? [facts: ErrorFacts & { details: ErrorDetails & WayOut }]
  : Status extends 400
    ? [facts: ErrorFacts & { fields: readonly FieldIssue[] }]
    : [facts?: ErrorFacts];

/**
 * Declares an error class: `class WalletFrozen extends declareError(403, 'wallet_frozen') {}`.
 * Instances take a sentence for people and facts, of which the status says what must be among them.
 */
export function declareError<const Status extends number>(status: Status, code: string) {
  return class extends ApiError {
    static readonly status: number = status;
    static readonly code = code;
    constructor(message: string, ...[facts]: FactsOf<Status>) {
      super(status, code, message, facts);
    }
  };
}

/** 400: the body as a whole cannot be read. */
export class InvalidJson extends declareError(400, 'invalid_json') {
  constructor(message: string, cause?: unknown) {
    super(message, { fields: [{ path: [], message: 'must be a JSON object in UTF-8', rule: 'json' }], cause });
  }
}

/** Declares a 403 for what this caller may never do, whatever else it does; `wayOut` says who can instead. */
function declareForbidden(code: string) {
  return class extends declareError(403, code) {
    constructor(message: string, wayOut: ErrorDetails & WayOut = { terminal: true }) {
      super(message, { details: wayOut });
    }
  };
}

export class Forbidden extends declareForbidden('forbidden') {}
export class ApiKeyRequired extends declareForbidden('api_key_required') {}
export class SessionRequired extends declareForbidden('session_required') {}
/** Only a person may do this, not a program (CONTRACT.md 29). */
export class PersonRequired extends declareForbidden('person_required') {}
/** 403: what was asked for needs `required`, which is not among `scopes`, those of the caller. */
export class InsufficientScope extends declareForbidden('insufficient_scope') {
  constructor(
    { required, scopes }: { required: string; scopes: readonly string[] },
    message = `This needs the scope ${required}, which your credential does not have.`,
    wayOut: WayOut = { next_actions: [keyWith(required)] },
  ) {
    super(message, { required_scope: required, scopes, ...wayOut });
  }
}

/** A key that may do it is made by one that may. */
function keyWith(scope: string): NextAction {
  const body = { name: `For ${scope}`, scopes: [scope] };
  return { rel: 'create_key', actor: 'api_key', method: 'POST', path: '/v1/api-keys', body };
}
export class TestModeOnly extends declareForbidden('test_mode_only') {}
export class MissingCredential extends declareError(401, 'missing_credential') {}
export class UnsupportedMediaType extends declareError(415, 'unsupported_media_type') {}
export class NotAcceptable extends declareError(406, 'not_acceptable') {}
export class BodyTooLarge extends declareError(413, 'body_too_large') {
  /** @param limit bytes */
  constructor(limit: number) {
    super(`The body is larger than the ${limit / 1024} KiB that this request may have.`);
  }
}
export class MethodNotAllowed extends declareError(405, 'method_not_allowed') {
  constructor(method: string, allowed: readonly string[]) {
    super(`${method} is not allowed here; allowed: ${allowed.join(', ')}.`, { headers: { Allow: allowed.join(', ') } });
  }
}
/** 429. `retryAfter` is in whole seconds, at least 1. */
export class RateLimitExceeded extends declareError(429, 'rate_limit_exceeded') {
  constructor(retryAfter: number) {
    super('Too many requests: wait for Retry-After seconds.', {
      headers: { 'Retry-After': String(retryAfter) },
      details: { retry_after: retryAfter },
    });
  }
}

export class AlreadyExists extends declareError(409, 'already_exists') {}

/** 422: a wallet holds another currency than the request names. */
export class CurrencyMismatch extends declareError(422, 'currency_mismatch') {
  constructor(walletId: string, held: string, requested: string) {
    super(`The wallet ${walletId} holds ${held}, not ${requested}.`, {
      details: {
        wallet_id: walletId,
        wallet_currency: held,
        currency: requested,
        next_actions: [{ rel: 'wallets', actor: 'any', method: 'GET', path: `/v1/wallets?currency=${requested}` }],
      },
    });
  }
}

/** 400 with one issue for each wrong field. */
export class ValidationFailed extends declareError(400, 'validation_failed') {
  constructor(fields: readonly FieldIssue[], message = 'The request is not valid: see details.fields.') {
    super(message, { fields });
  }
}

/** The 400 for a request that is wrong as a whole, at no single member. */
export function invalidRequest(message: string, rule: string): ValidationFailed {
  return new ValidationFailed([{ path: [], message, rule }], message);
}

// Gap G-07: An unknown id in the body is 404 too, with its member in `details.fields`; another workspace's object answers the same.
/**
 * 404. The same body whether the id never existed or belongs to another workspace. `field` is the member of the input that named it, when
 * it was not the path.
 */
export class NotFound extends declareError(404, 'not_found') {
  constructor(...field: string[]) {
    super(
      'No such resource in this workspace and environment.',
      field.length === 0 ? {} : { fields: [{ path: field, message: 'names nothing in this workspace', rule: 'exists' }] },
    );
  }
}

/** 409: the object's status does not allow the step. `details` name the status found, those allowed, and what would help. */
export class StateConflict extends declareError(409, 'state_conflict') {
  constructor(message: string, currentStatus: string, allowedFrom: readonly string[], facts: ErrorDetails & WayOut) {
    super(message, { details: { current_status: currentStatus, allowed_from: allowedFrom, ...facts } });
  }
}

/** What a caller is told who may send the same request again in a second, with the same Idempotency-Key if it has one. */
const sendAgain = {
  headers: { 'Retry-After': '1' },
  details: { retry: { safe: true, same_key: true, after_s: 1 } },
};

/** 503: this process has more work than it can hold. What is refused so had no effect. */
export class Overloaded extends declareError(503, 'overloaded') {
  constructor(message = 'There is more work than can be done right now; nothing was changed. Send it again in a second.', cause?: unknown) {
    super(message, { ...sendAgain, cause });
  }
}

/** 503: the answer to a read is larger than what is held whole. The same request again would be answered so again. */
export class AnswerTooLarge extends declareError(503, 'overloaded') {
  constructor() {
    super('The answer is larger than 8 MB: ask for less at a time, with a smaller limit or fewer fields.', {
      details: { reason: 'answer_too_large', retry: { safe: true } },
    });
  }
}

/** 503: something that we depend on does not answer, and nothing was changed. */
export class DependencyUnavailable extends declareError(503, 'dependency_unavailable') {
  constructor(what: string, cause?: unknown) {
    super(`${what} is not available right now; nothing was changed. Try again shortly.`, {
      ...sendAgain,
      cause,
    });
  }
}

/** 503: nobody knows whether the change was made. `hasKey`: the request carried an Idempotency-Key, so sending it again is safe. */
export class OutcomeUnknown extends declareError(503, 'dependency_unavailable') {
  constructor(hasKey: boolean, cause?: unknown) {
    const sentence = hasKey
      ? 'Nobody knows yet whether the change was made. Send the request again with the same Idempotency-Key: it takes effect once at most.'
      : 'Nobody knows whether the change was made. Look whether it is there before you send the request again; with an Idempotency-Key a request can be sent again safely.';
    super(sentence, {
      headers: { 'Retry-After': '1' },
      details: { retry: hasKey ? { safe: true, same_key: true, after_s: 1 } : { safe: false } },
      cause,
    });
  }
}
