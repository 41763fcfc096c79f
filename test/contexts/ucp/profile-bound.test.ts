// What a foreign profile may cost: the memory that is kept of it, and the fetches of a workspace. And what its keys and names may be.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseProfile } from '../../../src/contexts/ucp/agent-profile.js';
import { sizeOf } from '../../../src/platform/size.js';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { checkoutName, current, currentProfile, ProfileHost, profileOf, songs, Talk, version } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let talk: Talk;
beforeAll(async () => {
  talk = new Talk(harness.test, (await newSeller(harness.test)).merchant, host.publish(profileOf()));
});
// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => harness.clock.advance(60));

const by = (profile: string) => talk.create(songs(), { agent: `profile="${profile}"` });
const malformed = { status: 422, body: { code: 'profile_malformed' } };

describe('a profile', () => {
  it('422 for more than 20 keys, and for names of keys that are longer than 128 characters', async () => {
    const keys = (count: number, kid = 'k') => Array.from({ length: count }, (_, n) => ({ kty: 'EC', kid: `${kid}${n}` }));
    expect((await by(host.publish(profileOf(undefined, { keys: keys(20, 'k'.repeat(126)) })))).status).toBe(201);
    expect(await by(host.publish(profileOf(undefined, { keys: keys(21) })))).toMatchObject(malformed);
    expect(await by(host.publish(profileOf(undefined, { keys: keys(1, 'k'.repeat(128)) })))).toMatchObject(malformed);
  });
  it('takes little memory, however large it is', async () => {
    const x = 'x'.repeat(200);
    const keys = Array.from({ length: 20 }, (_, n) => ({
      kid: `${n}`.padEnd(128),
      kty: 'EC',
      crv: 'P-256',
      x,
      y: x,
      alg: x,
      n: 'y'.repeat(3_000),
    }));
    const versions = Array.from({ length: 49 }, (_, n) => ({ version: `2025-01-${10 + (n % 20)}` }));
    const capabilities = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`com.other.thing${n}`, versions]));
    const text = JSON.stringify(
      profileOf([], { keys, ucp: { capabilities: { ...capabilities, [checkoutName]: [...versions, { version }] } } }),
    );
    expect(text.length).toBeGreaterThan(100_000);
    const { capabilities: kept } = parseProfile(text);
    expect(kept.get(checkoutName)).toEqual([version]);
    expect(sizeOf(parseProfile(text))).toBeLessThan(20_000);
  });
  it('a fault in it is told in short', async () => {
    const { body } = await by(host.publish(profileOf([], { ucp: { capabilities: { ['x'.repeat(60_000)]: [{ version }] } } })));
    expect(body.code).toBe('profile_malformed');
    expect(body.content.length).toBeLessThan(500);
  });
  it('is not fetched for a merchant that is not there', async () => {
    const url = host.publish(profileOf());
    const answer = await new Talk(harness.test, { id: `mer_${nowhere}` }, url).create(songs());
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(host.fetched).not.toContain(new URL(url).pathname);
  });
  it('429 for the 31st that is fetched for a workspace in a minute; others and those that are kept go on', async () => {
    const first = host.publish(profileOf());
    expect((await by(first)).status).toBe(201);
    for (let i = 1; i < 30; i += 1) await by(host.publish({}));
    const late = host.publish(profileOf());
    const answer = await by(late);
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(host.fetched).not.toContain(new URL(late).pathname);
    expect((await by(first)).status).toBe(201);
    const { merchant: foreign } = await newSeller(harness.other);
    expect((await new Talk(harness.other, foreign, late).create(songs())).status).toBe(201);
    harness.clock.advance(60);
    expect((await by(late)).status).toBe(201);
  });
});

describe('the keys and names of a profile', () => {
  const key = { kid: 'k', kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
  const kidsOf = (profile: Json) => parseProfile(JSON.stringify(profile)).keys.map(({ kid }) => kid);

  it('has its keys in keys, else in signing_keys, in either version', () => {
    const earlier = { ...key, kid: 'earlier' };
    for (const profile of [profileOf(), currentProfile()]) {
      expect(kidsOf({ ...profile, keys: [key], signing_keys: [earlier] })).toEqual(['k']);
      expect(kidsOf({ ...profile, keys: undefined, signing_keys: [earlier] })).toEqual(['earlier']);
    }
    expect(kidsOf(currentProfile([], [{ kid: 'later', kty: 'AKP', alg: 'ML-DSA-65' }, key]))).toEqual(['later', 'k']);
  });
  it('422 profile_malformed with a private key', async () => {
    const url = host.publish(currentProfile(undefined, [{ ...key, d: 'd' }]));
    expect(await by(url)).toMatchObject(malformed);
  });
  it('may use names with hyphens and digits', () => {
    const profile = currentProfile();
    profile.ucp.capabilities['com.2example.my-shop.cart'] = [{ version: '2026-01-01' }];
    expect(parseProfile(JSON.stringify(profile)).version).toBe(current);
  });
});
