// What a client says of itself when it registers, as far as we take it (CONTRACT.md 22): a name, which nobody vouches for, and where answers
// may go. Whatever else it asks for, it gets a code and refresh tokens, and has no secret.
import { isLoopback } from '../../platform/authority.js';

/** Characters of a name that are shown. */
const longestName = 60;
const mostUris = 20;
const longestUri = 2_000;

/** Schemes that name no program to come back to. */
const notPrograms = new Set([
  'about:',
  'blob:',
  'chrome:',
  'chrome-extension:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'intent:',
  'javascript:',
  'mailto:',
  'sms:',
  'tel:',
  'urn:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

export interface ClientMetadata {
  client_name: string;
  redirect_uris: string[];
  application_type: 'web' | 'native';
  token_endpoint_auth_method: 'none';
  grant_types: string[];
  response_types: string[];
}

/** Why a registration is refused, as RFC 7591 says it. */
export interface RegistrationRefusal {
  error: 'invalid_client_metadata' | 'invalid_redirect_uri';
  error_description: string;
}

/** What is taken of a registration, or why it is refused. */
export function clientMetadata(body: Buffer): ClientMetadata | RegistrationRefusal {
  const given = parse(body);
  if (given === null) return { error: 'invalid_client_metadata', error_description: 'the body must be a JSON object' };
  const { redirect_uris: uris, client_name: name } = given;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostUris) {
    return { error: 'invalid_redirect_uri', error_description: `redirect_uris must be a list of 1 to ${mostUris} URIs` };
  }
  for (const uri of uris) {
    const reason = refusalOf(uri);
    if (reason !== undefined) return { error: 'invalid_redirect_uri', error_description: reason };
  }
  const places = uris.map((uri: string) => new URL(uri));
  const isWeb = places.every(({ protocol }) => protocol === 'https:');
  return {
    client_name: shownName(name) || (places[0] as URL).hostname || 'A program',
    redirect_uris: [...new Set(uris as string[])],
    // A client mostly says nothing of it. One of a program comes back to any port of this computer.
    application_type: isWeb ? 'web' : 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

function parse(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Why an answer may not go to `uri`; undefined where it may. */
function refusalOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > longestUri || !/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) {
    return 'redirect_uris must be URIs of printable ASCII, without spaces, quotes, brackets or backslashes';
  }
  if (!URL.canParse(uri)) return 'redirect_uris must be absolute URIs';
  const { protocol, username, password, hostname } = new URL(uri);
  if (uri.includes('#')) return 'redirect_uris must not have a fragment';
  if (username !== '' || password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(uri)) return 'redirect_uris must not name a user';
  if (notPrograms.has(protocol)) return `redirect_uris must not have the scheme ${protocol.slice(0, -1)}`;
  if (protocol === 'http:' && !isLoopback(hostname)) return 'redirect_uris with http must be on this computer: use https';
  if (protocol === 'https:' && isLoopback(hostname)) return 'redirect_uris on this computer use http';
  return undefined;
}

/** A name as it may be shown: no controls, nothing that turns the direction of text, at most 60 characters. */
export function shownName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const clean = name
    .slice(0, 1_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...clean].slice(0, longestName).join('');
}

/** Where an answer goes, as a person reads it: a host, or the scheme of a program. */
export function placeOf(redirectUri: string): { redirectHost: string; isLoopback: boolean } {
  const { protocol, hostname, host } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return { redirectHost: isWeb ? host : protocol.slice(0, -1), isLoopback: !isWeb || isLoopback(hostname) };
}
