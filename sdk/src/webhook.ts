// Verifies webhooks where they are received, in Node: the header is `t=<unix>,v1=<hex>[,v1=<hex>]`, an HMAC-SHA256 of `<t>.<raw body>`
// under the whole secret. While a secret is being rotated there is one v1 for each.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a webhook says. `id` stays the same when it is sent again: keep it, and do each once. */
export interface WebhookEvent {
  id: string;
  /** Such as transfer.completed. */
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface VerifyOptions {
  /** Seconds by which the signature may be older (or younger) than now; 300 by default. */
  toleranceSeconds?: number;
  /** In milliseconds since 1970. */
  now?: number;
}

/** What was received is not to be trusted: answer 400, and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: 'no_header' | 'bad_header' | 'too_old' | 'wrong_signature' | 'no_event';

  constructor(reason: WebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * The event of a webhook, once its signature is good. Throws WebhookError for any other, and TypeError without a secret to ask.
 * @param rawBody the bytes as they came, before any parser
 * @param header X-Svc-Signature
 * @param secret that of the subscription, or several during a rotation; by an empty list nothing is good
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): WebhookEvent {
  const secrets = [secret].flat();
  // Anybody can sign with a secret that was left empty.
  if (secrets.some((one) => typeof one !== 'string' || one === '')) throw new TypeError('The secret is empty: it begins with whsec_.');
  if (header == null || header === '') throw new WebhookError('no_header', 'There is no X-Svc-Signature.');
  const { t, signatures } = readHeader(header);
  // What is no number accepts nothing.
  if (!(Math.abs(now / 1000 - t) <= toleranceSeconds))
    throw new WebhookError('too_old', `The signature is not from the last ${toleranceSeconds} seconds.`);
  const expected = secrets.map((key) => createHmac('sha256', key).update(`${t}.`).update(rawBody).digest());
  // All of them are compared, so that the time says nothing about which one fits.
  const fitting = expected.flatMap((mac) => signatures.map((signature) => timingSafeEqual(mac, signature))).filter(Boolean);
  if (fitting.length === 0) throw new WebhookError('wrong_signature', 'The signature is not of this body and secret.');
  return readEvent(rawBody);
}

/** What to answer to a request. */
export interface WebhookAnswer {
  status: number;
  /** JSON for a challenge, the reason of a refusal, else nothing. */
  body: string;
}

/**
 * Receives one request whole: verifies it, gives the event to `handle`, and answers the challenge by which an endpoint proves itself.
 * What is not to be trusted is 400. What `handle` throws is thrown on: answer 500, and the event is sent again.
 */
export async function receiveWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string | readonly string[],
  handle: (event: WebhookEvent) => unknown,
  options: VerifyOptions = {},
): Promise<WebhookAnswer> {
  const challenge = header ? undefined : ownChallenge(rawBody, secret);
  if (challenge !== undefined) return { status: 200, body: JSON.stringify({ challenge }) };
  let event: WebhookEvent;
  try {
    event = verifyWebhook(rawBody, header, secret, options);
  } catch (error) {
    if (error instanceof WebhookError) return { status: 400, body: error.reason };
    throw error;
  }
  await handle(event);
  return { status: 200, body: '' };
}

/**
 * The challenge of a `webhook.verification`, to be answered with `{"challenge": …}`; undefined for anything else. It comes unsigned, and is
 * `<random>.<mac>` itself: one of a subscription that somebody else made to this endpoint is not answered.
 */
export function ownChallenge(rawBody: string | Uint8Array, secret: string | readonly string[]): string | undefined {
  const said = read(rawBody) as { type?: unknown; data?: { challenge?: unknown } } | null | undefined;
  const challenge = said?.type === 'webhook.verification' ? said.data?.challenge : undefined;
  const [, random, mac = ''] = typeof challenge === 'string' ? (/^([\w-]{16,128})\.([0-9a-f]{64})$/.exec(challenge) ?? []) : [];
  if (random === undefined) return undefined;
  const keys = [secret].flat().filter((key) => typeof key === 'string' && key !== '');
  const own = keys.filter((key) =>
    timingSafeEqual(createHmac('sha256', key).update(`challenge.${random}`).digest(), Buffer.from(mac, 'hex')),
  );
  return own.length > 0 ? `${random}.${mac}` : undefined;
}

function readHeader(header: string): { t: number; signatures: Buffer[] } {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const times = parts.filter(([name]) => name === 't').map(([, value = '']) => value);
  const signatures = parts
    .filter(([name, value = '']) => name === 'v1' && /^[0-9a-f]{64}$/.test(value))
    .map(([, value = '']) => Buffer.from(value, 'hex'));
  const [t = ''] = times;
  if (times.length !== 1 || !/^\d{1,12}$/.test(t) || signatures.length === 0)
    throw new WebhookError('bad_header', 'X-Svc-Signature is not t=<unix>,v1=<hex>.');
  return { t: Number(t), signatures };
}

function readEvent(rawBody: string | Uint8Array): WebhookEvent {
  const event = read(rawBody) as Partial<WebhookEvent> | null | undefined;
  if (typeof event?.id === 'string' && typeof event.type === 'string') return event as WebhookEvent;
  throw new WebhookError('no_event', 'The body is not an event.');
}

/** Undefined for what is no JSON. */
function read(rawBody: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody));
  } catch {
    return undefined;
  }
}
