// The errors of the API document: one component for each status, and the codes that an operation adds to it (CONTRACT.md 0).
import type { ErrorClass } from '../platform/errors.js';
import type { JsonSchema } from '../platform/schema/scalar.js';
import type { Route } from './routes.js';

interface CommonError {
  name: string;
  description: string;
  codes: readonly string[];
  message: string;
}

/** What any operation may answer, by status. */
const common: Readonly<Record<number, CommonError>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid; `details.fields` says what is wrong with it.',
    codes: ['invalid_json', 'validation_failed'],
    message: 'The request is not valid: see details.fields.',
  },
  401: {
    name: 'Unauthorized',
    description: 'No credential, or one that is not accepted.',
    codes: [
      'missing_credential',
      'malformed_credential',
      'invalid_api_key',
      'invalid_agent_token',
      'invalid_connection_token',
      'invalid_session_token',
      'session_expired',
      'session_revoked',
      'invalid_jwt',
      'login_expired',
      'portal_token_expired',
      'environment_mismatch',
      'key_revoked',
    ],
    message: 'This request needs a credential: send `Authorization: Bearer <credential>`.',
  },
  403: {
    name: 'Forbidden',
    description: 'The credential is good, but may not do this.',
    codes: ['forbidden', 'api_key_required', 'session_required', 'insufficient_scope', 'agent_suspended', 'test_mode_only'],
    message: 'Agents may not do this: ask the company that runs you.',
  },
  404: {
    name: 'NotFound',
    description: 'No such object in this workspace and environment.',
    codes: ['not_found'],
    message: 'No such resource in this workspace and environment.',
  },
  409: {
    name: 'Conflict',
    description: 'The state of things does not allow this.',
    codes: ['idempotency_in_flight'],
    message: 'A request with this Idempotency-Key is still running. Wait a second and send it again with the same key.',
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is too large.',
    codes: ['body_too_large'],
    message: 'The body is larger than allowed.',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not plain JSON.',
    codes: ['unsupported_media_type'],
    message: 'Send the body as JSON, with `Content-Type: application/json`.',
  },
  422: {
    name: 'Unprocessable',
    description: 'The request is valid, but cannot be carried out.',
    codes: ['idempotency_key_reused'],
    message: 'This Idempotency-Key was used with another request.',
  },
  500: { name: 'InternalError', description: 'A fault of ours.', codes: ['internal_error'], message: 'Something went wrong on our side.' },
  503: {
    name: 'Unavailable',
    description:
      'The platform cannot serve right now. `details.retry` says whether the request may be sent again: where it is not safe, nobody knows whether the change was made.',
    codes: ['dependency_unavailable', 'overloaded'],
    message: 'The database is not available right now; nothing was changed. Try again shortly.',
  },
};

const requestId = 'req_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const json = (schema: JsonSchema, example?: unknown) => ({ 'application/json': { schema, ...(example === undefined ? {} : { example }) } });
const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Headers of every answer. */
export const commonHeaders = Object.fromEntries(
  ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [name, headerRef(name)]),
);
const retryHeaders = { ...commonHeaders, 'Retry-After': headerRef('Retry-After') };

export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    type: 'object',
    description: 'What every failure looks like, but for 429.',
    properties: {
      error: { type: 'string', description: 'What happened, for people.' },
      code: { type: 'string', description: 'What happened, for programs.' },
      details: { $ref: '#/components/schemas/ErrorDetails', description: 'What was wrong, and what would help.' },
      request_id: { type: 'string', description: 'Name this to support.' },
    },
    required: ['error', 'code', 'request_id'],
  },
  ErrorDetails: {
    type: 'object',
    description: 'What was wrong with a request, and what would help. Codes may add members of their own.',
    properties: {
      fields: {
        type: 'array',
        description: 'What is wrong with the request, member by member.',
        items: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'Where, with dots: `scope.max_per_tx`, `items.2.sku`.' },
            message: { type: 'string', description: 'What is wrong there, for people.' },
            rule: { type: 'string', description: 'The rule that was broken, for programs.' },
          },
          required: ['path', 'message'],
        },
      },
      limit: { type: 'object', additionalProperties: true, description: 'The limit that was met: what it is, what is used, what is left.' },
      current_status: { type: 'string', description: 'The status that does not allow the request.' },
      allowed_from: { type: 'array', items: { type: 'string' }, description: 'Statuses that would allow it.' },
      next_actions: {
        type: 'array',
        description: 'What would help: requests, or what the operator does.',
        items: {
          type: 'object',
          properties: {
            rel: { type: 'string', description: 'What the request does.' },
            actor: {
              type: 'string',
              enum: ['api_key', 'agent', 'any', 'owner', 'operator'],
              description: 'Who may send it; `operator`: who runs the platform, by a setting or a command.',
            },
            method: { type: 'string', description: 'Its HTTP method.' },
            path: { type: 'string', description: 'Its path.' },
            body: { type: 'object', additionalProperties: true, description: 'Its body, where it has one.' },
            setting: { type: 'string', description: 'What the operator sets.' },
            command: { type: 'string', description: 'What the operator calls on the command line.' },
          },
          required: ['actor'],
        },
      },
      terminal: { type: 'boolean', enum: [true], description: 'Neither time nor any request of this caller changes the answer.' },
      open: {
        type: 'array',
        description: 'What keeps the object from being closed.',
        items: {
          type: 'object',
          properties: {
            type: { type: 'string', description: 'What it is, such as `payout`.' },
            id: { type: 'string', description: 'Its identifier.' },
          },
          required: ['type', 'id'],
        },
      },
      retry: {
        type: 'object',
        description: 'Whether the request may be sent again.',
        properties: {
          safe: { type: 'boolean', description: 'True where sending it again has no second effect.' },
          same_key: { type: 'boolean', description: 'True where it is safe with the same Idempotency-Key.' },
          after_s: { type: 'number', description: 'Seconds to wait before.' },
        },
        required: ['safe'],
      },
    },
    additionalProperties: true,
  },
  RateLimitError: {
    type: 'object',
    description: 'The body of every 429.',
    properties: {
      error: { type: 'string', enum: ['rate_limit_exceeded'], description: 'Always the same word.' },
      retry_after: { type: 'integer', description: 'Seconds to wait.' },
    },
    required: ['error', 'retry_after'],
    examples: [{ error: 'rate_limit_exceeded', retry_after: 12 }],
  },
};

function errorResponse(status: number, description: string, codes: readonly string[], example: unknown): object {
  const narrow = { type: 'object', properties: { code: { type: 'string', enum: codes, description: 'What happened, for programs.' } } };
  const headers = status === 503 ? retryHeaders : commonHeaders;
  return { description, headers, content: json({ allOf: [{ $ref: '#/components/schemas/Error' }, narrow] }, example) };
}

/** The answer with a status that every endpoint may have. Of 503 and 401 a door has codes of its own: any is allowed there. */
export function commonResponse(status: number): Record<string, unknown> {
  if (status === 429) return { $ref: '#/components/responses/RateLimited' };
  const shared = common[status];
  if (shared === undefined) throw new Error(`no endpoint answers with ${status} as all do`);
  const schema = { $ref: '#/components/schemas/Error' };
  return { description: shared.description, headers: status === 503 ? retryHeaders : commonHeaders, content: json(schema) };
}

/** Response components that operations refer to. */
export function errorResponses(): Record<string, object> {
  const responses = Object.entries(common).map(([status, { name, description, codes, message }]): [string, object] => {
    const fields = status === '400' ? { details: { fields: [{ path: 'amount', message: 'is required', rule: 'required' }] } } : {};
    const example = { error: message, code: status === '400' ? 'validation_failed' : codes[0], ...fields, request_id: requestId };
    return [name, errorResponse(Number(status), description, codes, example)];
  });
  const content = json({ $ref: '#/components/schemas/RateLimitError' }, { error: 'rate_limit_exceeded', retry_after: 12 });
  const limited = { description: 'Too many requests: wait as long as Retry-After says.', headers: retryHeaders, content };
  return Object.fromEntries([...responses, ['RateLimited', limited]]);
}

/** The failures of an operation by status: a component, or its own list of codes where its face declares some. */
export function failuresOf(routes: readonly Route[]): Record<string, object> {
  const failures: Record<string, object> = { 429: { $ref: '#/components/responses/RateLimited' } };
  const declared = routes.flatMap(({ facts }) => facts.errors ?? []);
  const statuses = new Set([...routes.flatMap(commonStatuses), ...declared.map(({ status }) => status)]);
  for (const status of statuses) failures[status] = failure(status, declared, routes.flatMap(commonStatuses).includes(status));
  return failures;
}

function failure(status: number, declared: readonly ErrorClass[], isCommon: boolean): object {
  const shared = common[status];
  const shownByAll = isCommon ? (shared?.codes ?? []) : [];
  const own = [...new Set(declared.filter((error) => error.status === status).map(({ code }) => code))].filter(
    (code) => !shownByAll.includes(code),
  );
  if (shared !== undefined && own.length === 0) return { $ref: `#/components/responses/${shared.name}` };
  const codes = [...own, ...shownByAll];
  return errorResponse(
    status,
    `${shared?.description ?? 'Refused.'} Its own: ${own.map((code) => `\`${code}\``).join(', ')}.`,
    codes,
    undefined,
  );
}

/** What an operation may answer by what it is. A credential that is sent is verified on public operations too: 401. */
function commonStatuses({ kind, admission: { audience }, method, path }: Route): number[] {
  const statuses = [400, 401, 500, 503];
  if (audience !== 'public') statuses.push(403);
  if (path.includes('{')) statuses.push(404);
  if (method !== 'GET') statuses.push(413, 415);
  if (kind === 'mutation' && audience !== 'public') statuses.push(409, 422);
  return statuses;
}
