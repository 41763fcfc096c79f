// Which of the two eras of MCP a message speaks (decision 0084). It is asked of each message, and of nothing before it. The package of the
// modern era would say the same, and is not loaded for it.
import { modern } from './revision.js';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Dates of one form are compared as text. */
export const isModernName = (version: unknown): boolean => typeof version === 'string' && version.trim() >= modern;

/** What a message says of itself beside its parameters; empty where it says nothing. */
export function metaOf({ params }: Members): Members {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : {};
}

/**
 * True for a message that names its revision in itself, whichever it is, and for one whose header names a modern one. `initialize` begins a
 * session as ever, unless what it says of itself is whole.
 */
export function isModern(message: Members, versionHeader: string): boolean {
  const meta = metaOf(message);
  if (message['method'] === 'initialize' && message['id'] !== undefined && !isModernName(versionHeader))
    return isModernName(meta[versionKey]) && isObject(meta[capabilitiesKey]);
  return versionKey in meta || isModernName(versionHeader);
}

/** The id of a request, as its answer repeats it; undefined where it has none that may be repeated. */
export function idOf({ method, id }: Members): string | number | undefined {
  return typeof method === 'string' && (typeof id === 'string' || Number.isSafeInteger(id)) ? (id as string | number) : undefined;
}
