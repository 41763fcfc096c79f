// POST /v1/login/join, and what is taken as e-mail and password.
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { Browser, inviteByPlatform, join, password, tokenOf } from './browser.js';

const harness = useHarness();
const joinBy = (token: string, body: object = {}) =>
  new Browser(harness.test).post('/v1/login/join', { token, name: 'Ada', password, ...body });

describe('POST /v1/login/join', () => {
  it('201: of 50 who use a link at once one joins', async () => {
    const token = tokenOf(await inviteByPlatform(harness, 'one@example.com', 'owner'));
    const answers = await Promise.all(Array.from({ length: 50 }, () => joinBy(token)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    // The others were too late, or more than were computed at once.
    expect([...new Set(statuses)].every((status) => [201, 401, 503].includes(status))).toBe(true);
    expectRefused(await joinBy(token), 401, 'sign_in_failed');
    const { rows } = await harness.platform.database.pool.query(
      "SELECT count(*)::int AS count FROM member WHERE email_key = 'one@example.com'",
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('400 for passwords that anybody would guess, and for those that are too short or too long', async () => {
    const token = tokenOf(await inviteByPlatform(harness, 'ada.lovelace@example.com', 'owner'));
    const bad = [
      'elevenchars',
      'x'.repeat(1_025),
      ' '.repeat(20),
      'password1234',
      'PasswordPassword',
      'qwertyuiop12',
      '123456789012',
      'aaaaaaaaaaaa',
      'ada.lovelace',
      'Ada.Lovelace@Example.com',
      '1q2w3e4r5t6y',
      'Summer2024!!!',
      'iloveyou123456',
      'Ada Augusta King',
      'abcdefghijkl',
    ];
    for (const word of bad) expectInvalid(await joinBy(token, { password: word, name: 'Ada Augusta King' }), 'password');
    expectInvalid(await joinBy(token, { name: undefined }), 'name');
    expectInvalid(await joinBy(token, { email: 'other@example.com' }), 'email');
    // Twelve characters, written in another form of Unicode than they are typed in later.
    expect((await joinBy(token, { password: 'Ångström-kvarn' })).status).toBe(201);
    expect((await new Browser(harness.test).signIn('ADA.lovelace@example.com', 'A\u030Angstro\u0308m-kvarn')).status).toBe(200);
  });

  it('401 for a token that is none, has expired or was revoked', async () => {
    const token = tokenOf(await inviteByPlatform(harness, 'late@example.com', 'owner'));
    await inviteByPlatform(harness, 'LATE@example.com', 'owner');
    expectRefused(await joinBy(token), 401, 'sign_in_failed');
    expectRefused(await joinBy('join_nonsense'), 401, 'sign_in_failed');
    const expired = tokenOf(await inviteByPlatform(harness, 'later@example.com', 'owner'));
    harness.clock.advance(604_801);
    expectRefused(await joinBy(expired), 401, 'sign_in_failed');
  });
});

describe('an e-mail', () => {
  it('400 for one that is too long, has a line break, or could be read as something else', async () => {
    await join(harness, 'owner');
    const bad = [
      `${'x'.repeat(309)}@example.com`,
      'ada@example.com\r\nBcc: all@example.com',
      'ada@example.com\n',
      'ada',
      'a@b@c',
      'Ada <ada@example.com>',
      'ada@exam ple.com',
      'a,b@example.com',
      'ada\u0000@example.com',
      'ada@example.com\u2028',
    ];
    for (const email of bad)
      expect((await harness.live.post('/v1/invitations', { email, role: 'viewer' })).status, JSON.stringify(email)).toBe(400);
    expect((await harness.live.post('/v1/invitations', { email: `${'x'.repeat(308)}@example.com`, role: 'viewer' })).status).toBe(201);
  });

  it('409 for the e-mail of a member, in whatever case', async () => {
    const { email } = await join(harness, 'owner');
    expectRefused(await harness.live.post('/v1/invitations', { email: email.toUpperCase(), role: 'viewer' }), 409, 'already_exists');
  });

  it('409 where the first member would be no owner', async () => {
    const body = { query: 'mutation { createInvitation(input: { email: "x@example.com", role: viewer }) { id } }' };
    expect((await harness.other.post('/graphql', body)).body.errors[0].extensions.code).toBe('forbidden');
  });
});
