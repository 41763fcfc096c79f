// Signatures of what we say (RFC 9421), by the key of the platform, which signs for its merchants: of answers and of order webhooks.
import type { Ctx, Platform } from '../../platform/ctx.js';
import { contentDigest } from '../../platform/http-signature.js';
import { signingKey } from '../identity/signing-key.js';

const encoder = new TextEncoder();

/** The two headers that sign these components, in their order. */
export async function signParts(
  platform: Platform,
  parts: readonly (readonly [name: string, value: string])[],
): Promise<Record<string, string>> {
  const { kid, privateKey } = await signingKey(platform);
  const created = Math.floor(platform.clock.now().getTime() / 1000);
  const parameters = `(${parts.map(([name]) => `"${name}"`).join(' ')});created=${created};keyid="${kid}"`;
  const base = [...parts, ['@signature-params', parameters]].map(([name, value]) => `"${name}": ${value}`).join('\n');
  const bytes = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, encoder.encode(base));
  return { 'Signature-Input': `sig1=${parameters}`, Signature: `sig1=:${Buffer.from(bytes).toString('base64')}:` };
}

const type = 'application/json; charset=utf-8';

/** The headers that sign an answer of these bytes: its status, its body and its type. */
export async function signAnswer({ platform }: Pick<Ctx, 'platform'>, status: number, text: string): Promise<Record<string, string>> {
  const digest = contentDigest(text);
  const signature = await signParts(platform, [
    ['@status', String(status)],
    ['content-digest', digest],
    ['content-type', type],
  ]);
  return { 'Content-Digest': digest, ...signature };
}
