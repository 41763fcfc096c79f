// An endpoint proves itself by its answer to a challenge (CONTRACT.md 29 on 16).
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersChallenge, newChallenge } from '../../../src/contexts/webhooks/challenge.js';
import { type Json, useHarness } from '../../harness.js';
import { type Answer, happen, Receiver } from './receiver.js';
import { challengesAt, eventsAt, proves, reroute, subscribeTo } from './strange-host.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
beforeAll(() => reroute(harness, receiver));
afterAll(() => receiver.stop());

const verificationOf = async (id: string): Promise<string> => (await harness.test.get(`/v1/webhooks/${id}`)).body.data.verification;
const leave = (id: string) => harness.test.delete(`/v1/webhooks/${id}`);
const said = ({ json }: { json: Json }): string => json.data.challenge;

describe('an endpoint', () => {
  it('is asked after the answer to its creation, and verified when it returns the challenge', async () => {
    receiver.answer('/proved.example/hook', proves);
    const made = await subscribeTo(harness.test, 'https://proved.example/hook');
    expect(made).toMatchObject({ status: 'active', verification: 'pending' });
    expect(receiver.received).toEqual([]);
    await harness.advance(1);
    const [asked, ...more] = receiver.at('/proved.example/hook');
    expect(more).toEqual([]);
    expect(asked?.json).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.verification',
      timestamp: harness.clock.now().toISOString(),
      data: { challenge: expect.stringMatching(/^[A-Za-z0-9_-]{32}\.[0-9a-f]{64}$/) },
    });
    expect(asked?.headers).toMatchObject({ 'x-svc-webhook-id': made.id, 'content-type': 'application/json' });
    expect(asked?.headers).not.toHaveProperty('x-svc-signature');
    // Its receiver can tell it from a challenge of a stranger's subscription.
    const [random, mac] = said(asked as never).split('.');
    expect(createHmac('sha256', made.secret).update(`challenge.${random}`).digest('hex')).toBe(mac);
    expect(await verificationOf(made.id)).toBe('verified');
    const { body } = await harness.test.graphql(`{ webhook(id: "${made.id}") { status verification verifiedUntil } }`);
    expect(body.data.webhook).toEqual({ status: 'active', verification: 'verified', verifiedUntil: null });
    await harness.advance(10_000);
    expect(challengesAt(receiver, '/proved.example/hook')).toHaveLength(1);
    await leave(made.id);
  });

  const answers: Record<string, [Answer | number, string]> = {
    'the bare text': [(response, got) => void response.end(`${said(got)}\n`), 'verified'],
    'all that it was sent': [(response, { body }) => void response.end(body), 'pending'],
    'all data that it was sent, and more': [
      (response, got) => void response.end(JSON.stringify({ ...got.json.data, ok: true })),
      'pending',
    ],
    'the challenge with a failure': [(response, got) => void response.writeHead(500).end(said(got)), 'pending'],
    'another challenge': [(response) => void response.end('{"challenge":"x"}'), 'pending'],
    'a redirect to where the answer would be': [
      (response) => void response.writeHead(307, { Location: receiver.url('/proved.example/hook') }).end(),
      'pending',
    ],
    nothing: [204, 'pending'],
  };
  for (const [index, [name, [answer, expected]]] of Object.entries(answers).entries()) {
    it(`is ${expected} after ${name}`, async () => {
      receiver.answer(`/answers-${index}.example/hook`, answer);
      const { id } = await subscribeTo(harness.test, `https://answers-${index}.example/hook`);
      await harness.advance(1);
      expect(challengesAt(receiver, `/answers-${index}.example/hook`)).toHaveLength(1);
      expect(await verificationOf(id)).toBe(expected);
      await leave(id);
    });
  }

  it('is asked four times, after 1, 5 and 15 minutes too, each time something else', async () => {
    const { id } = await subscribeTo(harness.test, 'https://silent.example/hook');
    const challenges = () => challengesAt(receiver, '/silent.example/hook');
    for (const [index, wait] of [1, 60, 300, 900].entries()) {
      await harness.advance(wait - 1);
      expect(challenges()).toHaveLength(index);
      await harness.advance(1);
      expect(challenges()).toHaveLength(index + 1);
    }
    await harness.advance(100_000);
    expect(new Set(challenges().map(said)).size).toBe(4);
    expect(challenges()).toHaveLength(4);
    expect(await verificationOf(id)).toBe('pending');
    await leave(id);
  });

  it('has to prove itself again at another URL, and not for anything else', async () => {
    for (const path of ['/moving.example/a', '/moving.example/b']) receiver.answer(path, proves);
    const { id } = await subscribeTo(harness.test, 'https://moving.example/a');
    await harness.advance(1);
    await harness.test.patch(`/v1/webhooks/${id}`, { url: 'https://moving.example/a', description: 'Moved' });
    await harness.test.post(`/v1/webhooks/${id}/rotate-secret`, { strategy: 'immediate' });
    expect(await verificationOf(id)).toBe('verified');
    await harness.test.patch(`/v1/webhooks/${id}`, { url: 'https://moving.example/b' });
    expect(await verificationOf(id)).toBe('pending');
    await harness.advance(1);
    expect([challengesAt(receiver, '/moving.example/b').length, await verificationOf(id)]).toEqual([1, 'verified']);
    await leave(id);
  });

  it('of WEBHOOK_ALLOW_HOSTS is verified, and asked nothing', async () => {
    const { id, verification } = await subscribeTo(harness.test, receiver.url('/own'));
    expect(verification).toBe('verified');
    await harness.advance(1_000);
    expect(challengesAt(receiver, '/own')).toEqual([]);
    await leave(id);
  });

  it('that is verified in one workspace is not in another', async () => {
    receiver.answer('/shared.example/hook', (response, got) => {
      const own = got.headers['x-svc-webhook-id'] === mine.id;
      response.end(own ? said(got) : '');
    });
    const mine = await subscribeTo(harness.test, 'https://shared.example/hook');
    const theirs = await subscribeTo(harness.other, 'https://shared.example/hook');
    await harness.advance(1);
    const { body } = await harness.other.get(`/v1/webhooks/${theirs.id}`);
    expect([await verificationOf(mine.id), body.data.verification]).toEqual(['verified', 'pending']);
    await leave(mine.id);
    await harness.other.delete(`/v1/webhooks/${theirs.id}`);
  });

  it('of before counts as verified for 30 days, and is asked then', async () => {
    receiver.answer('/old.example/hook', (response) => response.end('ok'));
    const { id } = await subscribeTo(harness.test, 'https://old.example/hook');
    const until = new Date(harness.clock.now().getTime() + 30 * 86_400_000);
    await harness.platform.database.unscoped.webhook.updateMany({
      where: { id: id.slice(3) },
      data: { verifiedUntil: until, dueAt: until },
    });
    const { body } = await harness.test.get(`/v1/webhooks/${id}`);
    expect(body.data).toMatchObject({ verification: 'verified', verified_until: until.toISOString() });
    for (let n = 0; n < 3; n += 1) await happen(harness.test);
    await harness.runDue();
    expect([eventsAt(receiver, '/old.example/hook').length, challengesAt(receiver, '/old.example/hook').length]).toEqual([3, 0]);
    await harness.advance(30 * 86_400);
    expect([challengesAt(receiver, '/old.example/hook').length, await verificationOf(id)]).toEqual([1, 'pending']);
    await leave(id);
  });

  it('is not asked by one workspace again and again', async () => {
    const { id } = await subscribeTo(harness.test, 'https://pestered.example/hook');
    for (let n = 0; n < 30; n += 1) await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect(challengesAt(receiver, '/pestered.example/hook')).toHaveLength(16);
    await leave(id);
  });
});

describe('an answer', () => {
  it('is the challenge, as an object or as text, and nothing beside it', () => {
    const challenge = newChallenge('whsec_x');
    for (const good of [challenge, ` ${challenge}\r\n`, JSON.stringify({ challenge }), JSON.stringify({ challenge }, null, 2)])
      expect(answersChallenge(challenge, good), good).toBe(true);
    for (const bad of [
      '',
      '{}',
      '{',
      'null',
      `"${challenge}"`,
      `[${challenge}]`,
      JSON.stringify({ challenge, id: 1 }),
      JSON.stringify({ data: { challenge } }),
      JSON.stringify({ challenge: [challenge] }),
      challenge.slice(1),
      newChallenge('whsec_x'),
    ])
      expect(answersChallenge(challenge, bad), bad).toBe(false);
  });
});
