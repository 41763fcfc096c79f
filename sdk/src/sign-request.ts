// Signs the requests that an agent sends to others, by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01): who gets one can ask the
// platform whose it is, with `POST /v1/signatures/verify`, or read the keys of the agent themselves.
import { type AgentKey, bytesIn, keyOf, toBase64 } from './credential.js';

/** The key of an agent, and where others find its public half. */
export interface SigningKey extends AgentKey {
  /**
   * The address of the agent's keys on the platform: its origin, `/.well-known/http-message-signatures-directory/`, and the id of the agent.
   */
  directory: string;
  /** Base64 of the 32 bytes of the public key; needed where `privateKey` is a function. */
  publicKey?: string;
}

export interface SigningOptions {
  /** Seconds for which the signature counts; 300 by default, at most a day. */
  seconds?: number;
  /** In milliseconds since 1970. */
  now?: number;
}

const label = 'sig1';

/**
 * The request with `Signature-Agent`, `Signature-Input` and `Signature`. Its method, host and path are signed, and `Content-Digest` where it
 * has one; a nonce lets a receiver take it once. Throws TypeError for a key that is none.
 */
export async function signRequest(
  request: Request,
  key: SigningKey,
  { seconds = 300, now = Date.now() }: SigningOptions = {},
): Promise<Request> {
  const { host, pathname } = new URL(request.url);
  const agent = `"${new URL(key.directory).href}"`;
  const digest = request.headers.get('Content-Digest');
  const parts: [name: string, value: string][] = [
    ['"@method"', request.method],
    ['"@authority"', host],
    ['"@path"', pathname],
    [`"signature-agent";key="${label}"`, agent],
    ...(digest === null ? [] : [['"content-digest"', digest] satisfies [string, string]]),
  ];
  const created = Math.floor(now / 1000);
  const nonce = toBase64(crypto.getRandomValues(new Uint8Array(32)));
  const keyId = await thumbprintOf(await publicKeyOf(key));
  const input =
    `(${parts.map(([name]) => name).join(' ')});created=${created};expires=${created + seconds}` +
    `;keyid="${keyId}";alg="ed25519";nonce="${nonce}";tag="web-bot-auth"`;
  const base = [...parts, ['"@signature-params"', input]].map(([name, value]) => `${name}: ${value}`).join('\n');
  const signature = await sign(key, new TextEncoder().encode(base));
  const signed = new Request(request);
  signed.headers.set('Signature-Agent', `${label}=${agent}`);
  signed.headers.set('Signature-Input', `${label}=${input}`);
  signed.headers.set('Signature', `${label}=:${toBase64(signature)}:`);
  return signed;
}

async function sign({ privateKey }: SigningKey, text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (typeof privateKey !== 'string') return privateKey(text);
  return new Uint8Array(await crypto.subtle.sign('Ed25519', await keyOf(privateKey), text));
}

/** Base64url of the public key: as it was given, the second half of a key of 64 bytes, or worked out of a seed. */
async function publicKeyOf({ privateKey, publicKey }: SigningKey): Promise<string> {
  const bytes = typeof privateKey === 'string' ? bytesIn(privateKey) : new Uint8Array();
  const given = publicKey === undefined ? bytes.subarray(32) : bytesIn(publicKey);
  if (given.length === 32) return toBase64url(given);
  if (typeof privateKey !== 'string' || publicKey !== undefined) throw new TypeError('publicKey is not the base64 of 32 bytes.');
  const { x = '' } = await crypto.subtle.exportKey('jwk', await keyOf(privateKey, true));
  return x;
}

/** The thumbprint of a public key (RFC 7638). */
async function thumbprintOf(x: string): Promise<string> {
  const jwk = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', jwk)));
}

function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
