// POST /v1/login/sign-in
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { Browser, join, type Person, password } from './browser.js';

const harness = useHarness();
let ada: Person;
beforeAll(async () => {
  ada = await join(harness, 'owner');
});
const signIn = (body: object, headers = {}) => new Browser(harness.test).post('/v1/login/sign-in', body, { headers });

describe('POST /v1/login/sign-in', () => {
  it('200: signs in in whatever case the e-mail is written, under an id that was never there before', async () => {
    const first = new Browser(harness.test);
    expect((await first.signIn(ada.email.toUpperCase())).status).toBe(200);
    const fixed = first.cookie;
    const second = await first.signIn(ada.email);
    expect(second.status).toBe(200);
    expect(first.cookie).not.toBe(fixed);
    // What was known before the sign-in is worth nothing after it.
    const before = new Browser(harness.test);
    before.jar.set('ap_test', fixed.slice('ap_test='.length));
    expectRefused(await before.get('/v1/me'), 401, 'login_expired');
  });

  it('200: an id that somebody else has planted is not taken over', async () => {
    const planted = new Browser(harness.test);
    planted.jar.set('ap_test', 'planted-by-somebody-else');
    expect((await planted.signIn(ada.email)).status).toBe(200);
    expect(planted.jar.get('ap_test')).toMatch(/^(?:[\w-]{22})?[\w-]{43}$/);
  });

  it('400 for what is no request', async () => {
    expectInvalid(await signIn({ email: ada.email }), 'password');
    expectInvalid(await signIn({ email: ada.email, password, tenant: 'x' }), 'tenant');
  });

  it('401, the same for an unknown e-mail, a wrong password, another tenant and a suspended member', async () => {
    const suspended = await join(harness, 'viewer');
    expect(
      (await ada.browser.ask('mutation ($id: MemberId!) { updateMember(id: $id, input: { status: suspended }) { status } }', suspended))
        .updateMember,
    ).toEqual({
      status: 'suspended',
    });
    const answers = [
      await signIn({ email: 'nobody@example.com', password }),
      await signIn({ email: ada.email, password: `${password}.` }),
      await signIn({ email: ada.email, password, tenant: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' }),
      await signIn({ email: suspended.email, password }),
    ];
    const [first] = answers.map((answer) => {
      expectRefused(answer, 401, 'sign_in_failed');
      return shape(answer);
    });
    expect(answers.map(shape)).toEqual(answers.map(() => first));
  });

  it('401 for a password that is replaced while it is looked at', async () => {
    const { email, id } = await join(harness, 'viewer');
    const { pool } = harness.platform.database;
    const other = await pool.connect();
    let answer: Answer | undefined;
    try {
      await other.query('BEGIN');
      await other.query("UPDATE password SET phc = phc || 'A' WHERE tenant_id = $1 AND member_id = $2", [harness.tenantId, id.slice(4)]);
      const signing = signIn({ email, password }).then((said) => (answer = said));
      const blocked = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(async () => answer?.status ?? (await pool.query(blocked)).rows[0].n, { timeout: 20_000 }).toBe(1);
      await other.query('COMMIT');
      await signing;
    } finally {
      other.release();
    }
    expectRefused(answer as Answer, 401, 'sign_in_failed');
  });

  it('403 for a page of another origin', async () => {
    for (const origin of ['http://evil.example', harness.test.url.replace(/:\d+$/, ':1'), 'null']) {
      const answer = await signIn({ email: ada.email, password }, { Origin: origin });
      expectRefused(answer, 403, 'forbidden', { reason: 'csrf' });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });
});

/** All of an answer but what differs from one request to the next. */
function shape({ status, headers, body }: Awaited<ReturnType<typeof signIn>>): object {
  const {
    'x-request-id': _id,
    date: _date,
    'x-ratelimit-remaining': _left,
    'x-ratelimit-reset': _reset,
    ...others
  } = Object.fromEntries(headers);
  return { status, headers: others, body: { ...body, request_id: '' } };
}
