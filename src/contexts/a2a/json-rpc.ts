// JSON-RPC 2.0 as A2A uses it: one request with an id in a body, its result or its error in the answer, in the words of A2A 1.0 or 0.3.
import { z } from 'zod';
import type { DoorAnswer, Spelling } from '../../platform/door.js';
import type { ApiError } from '../../platform/errors.js';
import { type A2aFault, faults, RpcError } from './errors.js';

/** The versions of A2A that are spoken here. */
export const versions = ['1.0', '0.3'] as const;
export type Version = (typeof versions)[number];

/** A body as it came: what is wrong with it is said by number, so nothing is asked of it here. */
export const requestShape = z
  .looseObject({
    jsonrpc: z.unknown().optional().describe('`"2.0"`.'),
    id: z.unknown().optional().describe('Text or a whole number; it comes back in the answer.'),
    method: z
      .unknown()
      .optional()
      .describe('SendMessage, GetTask, ListTasks or CancelTask; of 0.3 message/send, tasks/get or tasks/cancel.'),
    params: z.unknown().optional().describe('What the method takes, as A2A has it.'),
  })
  .meta({ id: 'A2aRequest' });
type RawRequest = z.output<typeof requestShape>;

const idShape = z.union([z.string(), z.number(), z.null()]).describe('The id of the request; null where it had none.');
const versionShape = z.literal('2.0').describe('Always `2.0`.');
const errorShape = z
  .object({
    code: z.int().describe('What is wrong, as a number of JSON-RPC or A2A.'),
    message: z.string().describe('What is wrong, in words for people.'),
    data: z.unknown().describe('The error as the platform has it, with its code and details.'),
  })
  .describe('Why there is no result.');
const resultOf = z.record(z.string(), z.unknown()).describe('What the method answers, as A2A has it.');
const failedShape = z.object({ jsonrpc: versionShape, id: idShape, error: errorShape });
export const resultShape = z
  .union([z.object({ jsonrpc: versionShape, id: idShape, result: resultOf }), failedShape])
  .meta({ id: 'A2aResponse' });
export const refusalShape = failedShape.meta({ id: 'A2aError' });

export type RpcId = string | number | null;

/** A request that is one. */
export interface RpcRequest {
  id: RpcId;
  method: string;
  params: unknown;
}

/** Longest id and method. */
const longestName = 255;

/** The id of a request, if it has one that can come back. */
export function idOf({ id }: RawRequest): RpcId {
  if (typeof id === 'string' && id.length <= longestName) return id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

// Gap G-344: JSON-RPC notifications and batches are refused.
/** Reads a request. Throws `invalid_request`: one without an id would get no answer, so money could move unseen. */
export function readRequest(body: RawRequest): RpcRequest {
  const { jsonrpc, method, params = {} } = body;
  const id = idOf(body);
  if (jsonrpc !== '2.0') throw new RpcError('invalid_request', 'jsonrpc must be "2.0".', ['jsonrpc']);
  if (id === null) throw new RpcError('invalid_request', 'id must be a text of at most 255 characters or a whole number.', ['id']);
  if (typeof method !== 'string' || method.length > longestName) {
    throw new RpcError('invalid_request', 'method must name a method.', ['method']);
  }
  return { id, method, params };
}

/** Refuses a body that is JSON and no object: a batch, which A2A does not have, or a bare value. Text that is no JSON is refused later. */
export function refuseBatch(raw: Uint8Array): void {
  const first = raw.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  // '{', or nothing at all.
  if (first === 0x7b || first === undefined) return;
  try {
    JSON.parse(Buffer.from(raw).toString('utf8'));
  } catch {
    return;
  }
  throw new RpcError('invalid_request', 'The body must be one JSON-RPC request: batches are not supported.');
}

/** The version that a request is in, by its header and how its method is spelled. Throws `version_not_supported`. */
export function versionOf(header: string, method: unknown): Version {
  const isOlder = typeof method === 'string' && method.includes('/');
  const asked = header.trim();
  if (/^0\.3(\.\d+)?$/.test(asked)) return '0.3';
  if (/^1\.0(\.\d+)?$/.test(asked)) return '1.0';
  // Gap G-345: Without `A2A-Version` a request is 0.3, but method names of 1.0 are accepted.
  if (asked === '') return isOlder ? '0.3' : '1.0';
  throw new RpcError('version_not_supported', `A2A ${asked.slice(0, 20)} is not supported. Send A2A-Version: ${versions.join(' or ')}.`);
}

/** The answer of a method. */
export function printResult(id: RpcId, result: object): DoorAnswer {
  return { status: 200, body: { jsonrpc: '2.0', id, result } };
}

const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo';
/** Names the platform's own error among the details of one. */
const platformError = 'urn:agent-payments:error:v1';

/** An error of a rule as its number. */
export function faultOf({ status, code }: Pick<ApiError, 'status' | 'code'>): A2aFault {
  if (code === 'invalid_json') return 'parse_error';
  if (status === 400) return 'invalid_params';
  if (status === 415) return 'content_type_not_supported';
  if (status === 413 || status === 405) return 'invalid_request';
  return status >= 500 ? 'internal_error' : 'request_refused';
}

// Gap G-351: A refusal is -32000 at status 200 with our error in `data`; without a credential or agent the status is our own.
/** An error as JSON-RPC spells it. 1.0 has a list of typed details, 0.3 the platform's error as it is. */
export function printError(error: ApiError, id: RpcId, requestId: string, version: Version = '1.0'): object {
  const { code, message, details, fields } = error;
  const fault = error instanceof RpcError ? error.fault : faultOf(error);
  const issues = fields?.map(({ path, ...issue }) => ({ path: path.join('.'), ...issue }));
  const own = { error: message, code, details: { ...details, ...(issues && { fields: issues }) }, request_id: requestId };
  const isTheirs = faults[fault] > -32600 && fault !== 'request_refused';
  const info = {
    '@type': errorInfo,
    reason: (fault === 'request_refused' ? code : fault).toUpperCase(),
    domain: isTheirs ? 'a2a-protocol.org' : 'agent-payments',
    metadata: { request_id: requestId },
  };
  const data = version === '0.3' ? own : [info, ...(error instanceof RpcError ? [] : [{ '@type': platformError, ...own }])];
  return { jsonrpc: '2.0', id, error: { code: faults[fault], message: sentenceOf(error), data } };
}

/** The sentence of an error; of an input that does not fit, the first member that does not. */
function sentenceOf(error: ApiError): string {
  const [first] = error.fields ?? [];
  if (error instanceof RpcError || first === undefined || first.path.length === 0) return error.message;
  return `${first.path.join('.')} ${first.message}`;
}

/** Failures before a request is known, and those of the platform. What JSON-RPC itself refuses is an answer of 200. */
export const spellRpc: Spelling = (error, { requestId }) => ({
  status: error.status === 400 ? 200 : error.status,
  body: printError(error, null, requestId),
});
