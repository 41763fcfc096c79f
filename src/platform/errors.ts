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
  actor: 'api_key' | 'agent' | 'any';
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** Facts that belong to an error. Member names are those of the wire. */
export interface ErrorDetails {
  limit?: Record<string, unknown>;
  current_status?: string;
  allowed_from?: readonly string[];
  next_actions?: readonly NextAction[];
  retry?: { safe: boolean; same_key: boolean; after_s?: number };
  [fact: string]: unknown;
}

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

/**
 * Declares an error class: `class WalletFrozen extends declareError(403, 'wallet_frozen') {}`.
 * Instances take a sentence for people and optional facts.
 */
export function declareError(status: number, code: string) {
  return class extends ApiError {
    static readonly status = status;
    static readonly code = code;
    constructor(message: string, facts: ErrorFacts = {}) {
      super(status, code, message, facts);
    }
  };
}

export class InvalidJson extends declareError(400, 'invalid_json') {}
export class Forbidden extends declareError(403, 'forbidden') {}
export class ApiKeyRequired extends declareError(403, 'api_key_required') {}
export class SessionRequired extends declareError(403, 'session_required') {}
export class InsufficientScope extends declareError(403, 'insufficient_scope') {}
export class TestModeOnly extends declareError(403, 'test_mode_only') {}
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
export class AlreadyExists extends declareError(409, 'already_exists') {}
export class CurrencyMismatch extends declareError(422, 'currency_mismatch') {}

/** 400 with one issue for each wrong field. */
export class ValidationFailed extends declareError(400, 'validation_failed') {
  constructor(fields: readonly FieldIssue[], message = 'The request is not valid: see details.fields.') {
    super(message, { fields });
  }
}

/**
 * 404. The same body whether the id never existed or belongs to another workspace (Gap G-07). `field` is the member of the input that
 * named it, when it was not the path.
 */
export class NotFound extends declareError(404, 'not_found') {
  constructor(...field: string[]) {
    super(
      'No such resource in this workspace and environment.',
      field.length === 0 ? {} : { fields: [{ path: field, message: 'names nothing in this workspace', rule: 'exists' }] },
    );
  }
}

/** 409: the object's status does not allow the step. `details` name the status found and those allowed. */
export class StateConflict extends declareError(409, 'state_conflict') {
  constructor(message: string, currentStatus: string, allowedFrom: readonly string[]) {
    super(message, { details: { current_status: currentStatus, allowed_from: allowedFrom } });
  }
}

/** 503: something that we depend on does not answer. Safe to try again. */
export class DependencyUnavailable extends declareError(503, 'dependency_unavailable') {
  constructor(what: string, cause?: unknown) {
    super(`${what} is not available right now; nothing was changed. Try again shortly.`, {
      headers: { 'Retry-After': '1' },
      details: { retry: { safe: true, same_key: true, after_s: 1 } },
      cause,
    });
  }
}
