// verifyWebhook() against the published vectors, and against what the platform signs.
import { readFileSync } from 'node:fs';
import { ownChallenge, receiveWebhook, verifyWebhook, WebhookError } from '@agent-payments/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { answersChallenge, newChallenge } from '../../src/contexts/webhooks/challenge.js';
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

describe('receiveWebhook', () => {
  const asked = (challenge: unknown) => JSON.stringify({ id: 'evt_1', type: 'webhook.verification', timestamp: '', data: { challenge } });
  const nothing = () => expect.fail('no event was to be handled');

  it('answers a challenge of its own subscription, by any of its secrets', async () => {
    for (const secrets of [secret, ['whsec_old', secret]]) {
      const challenge = newChallenge(secret);
      const answer = await receiveWebhook(Buffer.from(asked(challenge)), undefined, secrets, nothing);
      expect(answer).toEqual({ status: 200, body: JSON.stringify({ challenge }) });
      expect(answersChallenge(challenge, answer.body)).toBe(true);
    }
  });

  it('answers none of a stranger, and returns nothing that anybody sends', async () => {
    for (const challenge of [newChallenge('whsec_other'), newChallenge(''), 'x', '<script>', `${newChallenge(secret)}0`, null, { a: 1 }])
      expect(await receiveWebhook(asked(challenge), undefined, secret, nothing)).toEqual({ status: 400, body: 'no_header' });
    expect(ownChallenge(asked(newChallenge('')), [''])).toBeUndefined();
    expect(ownChallenge(body, secret)).toBeUndefined();
  });

  it('gives a signed event to its handler, refuses others, and throws on what the handler throws', async () => {
    const header = signatureHeader(body, [secret], at);
    const seen: unknown[] = [];
    expect(await receiveWebhook(body, header, secret, (got) => seen.push(got), { now })).toEqual({ status: 200, body: '' });
    expect(seen).toEqual([event]);
    expect(await receiveWebhook(body, header, 'whsec_other', nothing, { now })).toEqual({ status: 400, body: 'wrong_signature' });
    await expect(receiveWebhook(body, header, secret, () => Promise.reject(new Error('later')), { now })).rejects.toThrow('later');
  });
});
