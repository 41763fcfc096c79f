// How a delivery is signed: `t=<unix>,v1=<hex>`, HMAC-SHA256 of `<t>.<raw body>` (SPEC.md "Webhook signatures"). The key is the whole
// secret as UTF-8, `whsec_` included. While a secret is being rotated there is a v1 for each, the new one first.
import { createHmac } from 'node:crypto';

/**
 * The X-Svc-Signature of `body`, the exact bytes that are sent.
 * @param unixSeconds real time, so that a receiver may refuse what is older than 300 s
 */
export function signatureHeader(body: string | Buffer, secrets: readonly string[], unixSeconds: number): string {
  const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')}`);
  return [`t=${unixSeconds}`, ...signatures].join(',');
}
