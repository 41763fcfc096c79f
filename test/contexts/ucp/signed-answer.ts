// Verifies a signed answer by plain RFC 9421, with the keys of a profile.
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { Json } from '../../harness.js';

interface SignedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Fails unless an answer is signed over its status, its bytes and its type. */
export function expectSigned({ status, headers, text }: SignedAnswer, keys: readonly Json[]): void {
  const header = (name: string) => String(headers[name]);
  expect(header('content-digest')).toBe(`sha-256=:${createHash('sha256').update(text).digest('base64')}:`);
  const [, parameters = '', keyId] = /^sig1=(.*keyid="([^"]+)".*)$/.exec(header('signature-input')) ?? [];
  expect(parameters).toMatch(/^\("@status" "content-digest" "content-type"\);created=\d+;/);
  const base = [
    `"@status": ${status}`,
    `"content-digest": ${header('content-digest')}`,
    `"content-type": ${header('content-type')}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const key = createPublicKey({ key: keys.find(({ kid }) => kid === keyId), format: 'jwk' });
  const bytes = Buffer.from(header('signature').replace(/^sig1=:|:$/g, ''), 'base64');
  expect(verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true);
}
