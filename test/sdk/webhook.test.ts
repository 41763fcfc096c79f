// verifyWebhook() against the published vectors, and against what the platform signs.
import { readFileSync } from 'node:fs';
import { verifyWebhook, WebhookError } from '@agent-payments/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeader } from '../../src/contexts/webhooks/signature.js';
import type { Json } from '../harness.js';

const file = new URL('../vectors/webhooks/stripe_style_t_v1.json', import.meta.url);
const { vectors, must_reject: rejected }: Json = JSON.parse(readFileSync(file, 'utf8'));
const secret = 'whsec_0123456789';
const at = 1_700_000_000;
const event = { id: 'evt_1', type: 'transfer.completed', timestamp: '2026-01-01T00:00:00.000Z', data: { amount: '1.00' } };
const body = JSON.stringify(event);
const now = at * 1000;
const reasonOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error instanceof WebhookError ? error.reason : error;
  }
};

describe('verifyWebhook', () => {
  it('takes what the platform signs, as text and as bytes, and gives the event', () => {
    const header = signatureHeader(body, [secret], at);
    expect(verifyWebhook(body, header, secret, { now })).toEqual(event);
    expect(verifyWebhook(Buffer.from(body), header, secret, { now })).toEqual(event);
    expect(verifyWebhook(body, signatureHeader(body, [secret], Math.floor(Date.now() / 1000)), secret)).toEqual(event);
  });

  it('takes every published vector whose body is an event, and reads the signature of the others', () => {
    expect(vectors).toHaveLength(3);
    for (const { secret: one, secrets = [one], timestamp, body: text, header } of vectors) {
      const found = reasonOf(() => verifyWebhook(text, header, secrets[0], { now: timestamp * 1000 }));
      expect(found).toEqual('type' in JSON.parse(text) ? JSON.parse(text) : 'no_event');
    }
  });

  it('takes either secret during a rotation', () => {
    const header = signatureHeader(body, ['whsec_new', 'whsec_old'], at);
    for (const known of ['whsec_new', 'whsec_old', ['whsec_other', 'whsec_old']])
      expect(verifyWebhook(body, header, known, { now })).toEqual(event);
  });

  it('refuses what is too old, another body, another secret, another time, and a header that is none', () => {
    const header = signatureHeader(body, [secret], at);
    const reason = (text: string, signed: string | undefined, key = secret, when = now) =>
      reasonOf(() => verifyWebhook(text, signed, key, { now: when }));
    expect(reason(body, header, secret, now + 300_000)).toEqual(event);
    expect(reason(body, header, secret, now + 301_000)).toBe('too_old');
    expect(reason(body, header, secret, now - 301_000)).toBe('too_old');
    expect(reasonOf(() => verifyWebhook(body, header, secret, { now, toleranceSeconds: Number.NaN }))).toBe('too_old');
    expect(reason(`${body} `, header)).toBe('wrong_signature');
    expect(reason(body, header, 'whsec_other')).toBe('wrong_signature');
    expect(reason(body, header.replace(`t=${at}`, `t=${at + 1}`))).toBe('wrong_signature');
    expect(reason(body, undefined)).toBe('no_header');
    expect(rejected.length).toBeGreaterThan(3);
    for (const wrong of rejected)
      expect(['bad_header', 'wrong_signature', 'too_old', 'no_header'], String(wrong)).toContain(reason(body, wrong));
    expect(reason('[]', signatureHeader('[]', [secret], at))).toBe('no_event');
  });

  it('takes nothing without a secret: anybody can sign with none', () => {
    const header = signatureHeader(body, [''], at);
    for (const none of ['', ['whsec_new', ''], undefined as unknown as string])
      expect(() => verifyWebhook(body, header, none, { now })).toThrow(TypeError);
    expect(reasonOf(() => verifyWebhook(body, header, [], { now }))).toBe('wrong_signature');
  });
});
