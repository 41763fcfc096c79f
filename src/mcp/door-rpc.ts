// JSON-RPC as the MCP binding of a protocol's doors speaks it: one message in a POST, and one answer, whose HTTP status says the same as its
// error (docs/protocols.md "UCP").
import type { Spelling } from '../platform/door.js';
import { declareError, ValidationFailed } from '../platform/errors.js';
import { idOf, isModern, metaOf } from './era.js';
import { modern, revisions } from './revision.js';

/** A message that was read. */
export interface Message {
  method: string;
  params: Record<string, unknown>;
  /** Undefined: a notification, which is answered by nothing. */
  id: string | number | undefined;
  isModern: boolean;
}

const longestId = 1_024;

/** 400: the message is none of JSON-RPC. */
class InvalidMessage extends declareError(400, 'invalid_request') {}
/** 404: there is no such method. */
export class UnknownMethod extends declareError(404, 'method_not_found') {}
/** 400: the headers say something else than the message. */
class HeaderMismatch extends declareError(400, 'header_mismatch') {}
/** 400: a revision of MCP that is not spoken. */
class UnsupportedRevision extends declareError(400, 'unsupported_protocol_version') {}

const refuse = (message: string, path: string): never => {
  throw new InvalidMessage(message, { fields: [{ path: [path], message: 'is not valid', rule: 'json_rpc' }] });
};

/** Reads a message. `header` gives those of the request. */
export function readMessage(body: Record<string, unknown>, header: (name: string) => string): Message {
  const { jsonrpc, method, id, params = {} } = body;
  if (jsonrpc !== '2.0') refuse('jsonrpc must be "2.0".', 'jsonrpc');
  if (typeof method !== 'string' || method === '') return refuse('method must be a text.', 'method');
  if ('id' in body && (idOf(body) === undefined || String(id).length > longestId)) refuse('id must be a text or a whole number.', 'id');
  if (typeof params !== 'object' || params === null || Array.isArray(params)) refuse('params must be an object.', 'params');
  const isOfModern = isModern(body, header(versionHeader));
  if (isOfModern) checkModern(body, header);
  return { method, params: params as Record<string, unknown>, id: idOf(body), isModern: isOfModern };
}

const versionHeader = 'Mcp-Protocol-Version';
const prefix = 'io.modelcontextprotocol/';

/** What MCP asks of a message that names its revision in itself: members of `_meta`, and headers that say the same. */
function checkModern(body: Record<string, unknown>, header: (name: string) => string): void {
  const meta = metaOf(body);
  const revision = meta[`${prefix}protocolVersion`];
  const capabilities = meta[`${prefix}clientCapabilities`];
  if (typeof revision !== 'string' || typeof capabilities !== 'object' || capabilities === null || Array.isArray(capabilities))
    throw new ValidationFailed([{ path: ['_meta'], message: `must have ${prefix}protocolVersion and ${prefix}clientCapabilities` }]);
  const { method, params } = body as { method: string; params: { name?: unknown } };
  const expected: [string, unknown][] = [
    [versionHeader, revision],
    ['Mcp-Method', method],
  ];
  if (method === 'tools/call') expected.push(['Mcp-Name', params.name]);
  for (const [name, value] of expected) {
    if (decoded(header(name)) !== value)
      throw new HeaderMismatch(`${name} must say what the message does.`, {
        fields: [{ path: [name], message: 'does not say what the message does' }],
      });
  }
  if (revision !== modern)
    throw new UnsupportedRevision(`Revision ${revision.slice(0, 64)} is not spoken here.`, {
      fields: [{ path: ['_meta', `${prefix}protocolVersion`], message: `must be ${modern}` }],
      details: { supported: [modern], requested: revision.slice(0, 64) },
    });
}

/** The value of a header that may be written in base64. */
function decoded(value: string): string {
  const text = value.trim();
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(text)?.[1];
  return encoded === undefined ? text : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The revision in which a client that begins a session is answered: its own where it is spoken, else the newest with sessions. */
export function revisionFor(asked: unknown): string {
  const ofSession = revisions.filter(({ name }) => name !== modern).map(({ name }) => name);
  return ofSession.find((name) => name === asked) ?? (ofSession[0] as string);
}

const numbers: Readonly<Record<string, number>> = {
  invalid_json: -32_700,
  invalid_request: -32_600,
  digest_mismatch: -32_600,
  algorithm_unsupported: -32_600,
  method_not_found: -32_601,
  header_mismatch: -32_020,
  unsupported_protocol_version: -32_022,
  invalid_profile_url: -32_001,
  profile_unreachable: -32_001,
  profile_malformed: -32_001,
  version_unsupported: -32_001,
};
const [invalidParams, internal, refused] = [-32_602, -32_603, -32_000];

function numberOf(status: number, code: string): number {
  return numbers[code] ?? (status >= 500 ? internal : status === 400 ? invalidParams : refused);
}

// Gap G-722: Errors of the MCP binding have the HTTP status of REST, and `error.data` has what REST answers beside `code` and `content`.
/**
 * Failures as JSON-RPC: the number by what is wrong, the rest as the protocol of the door spells it. `id`: that of the message, where it is
 * known.
 */
export const spellFor =
  (id: string | number | undefined, spell: Spelling): Spelling =>
  (error, facts) => {
    const { status, body } = spell(error, facts);
    const said = body as { code?: unknown; content?: unknown };
    const after = error.details?.['retry_after'];
    const data = {
      code: error.code,
      content: error.message,
      ...said,
      ...(after !== undefined && { retry_after: after }),
      ...revisionsOf(error.details),
    };
    return {
      status,
      body: { jsonrpc: '2.0', id: id ?? null, error: { code: numberOf(status, error.code), message: error.message, data } },
    };
  };

/** MCP reads the revisions that are spoken beside the code. */
const revisionsOf = ({ supported, requested }: Readonly<Record<string, unknown>> = {}) =>
  requested === undefined || supported === undefined ? {} : { supported, requested };
