// PUT /v1/breakers
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const put = (detectors: unknown, options = {}) => harness.test.put('/v1/breakers', { detectors }, options);
const same = { kind: 'same_payment', action: 'notify', count: 3, seconds: 60 };

describe('PUT /v1/breakers', () => {
  it('200: those that were put, whole, and none of before', async () => {
    const all = [
      { kind: 'same_payment', action: 'freeze', count: 2, seconds: 1 },
      { kind: 'failures', action: 'approve', count: 1_000, seconds: 86_400 },
      { kind: 'rate', action: 'notify', factor: 2.5 },
      { kind: 'ping_pong', action: 'notify', count: 5, seconds: 60 },
    ];
    const answer = await put(all);
    expect([answer.status, answer.body]).toEqual([200, { data: { detectors: all } }]);
    expect((await put([same])).body.data.detectors).toEqual([same]);
    expect((await harness.test.get('/v1/breakers')).body.data.detectors).toEqual([same]);
    expect((await harness.other.get('/v1/breakers')).body).toEqual({ data: { detectors: [] } });
    expect((await put([])).body).toEqual({ data: { detectors: [] } });
    expect((await harness.test.get('/v1/breakers')).body).toEqual({ data: { detectors: [] } });
  });

  it('200 for many at once: one after the other', async () => {
    const answers = await Promise.all([2, 3, 4, 5].map((count) => put([{ ...same, count }])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await harness.test.get('/v1/breakers')).body.data.detectors).toHaveLength(1);
  });

  it('200 over GraphQL, and a replay of it', async () => {
    const mutation = 'mutation ($input: BreakersInput!) { setBreakers(input: $input) { detectors { kind factor } } }';
    const input = { detectors: [{ kind: 'rate', action: 'notify', factor: 4 }] };
    const headers = { 'Idempotency-Key': 'breakers-once' };
    for (const _ of [1, 2]) {
      const { body } = await harness.test.graphql(mutation, { input }, { headers });
      expect(body.data).toEqual({ setBreakers: { detectors: [{ kind: 'rate', factor: 4 }] } });
    }
  });

  describe('400', () => {
    const cases: [string, object, string][] = [
      ['a kind that is none', { ...same, kind: 'same' }, 'kind'],
      ['an action that is none', { ...same, action: 'stop' }, 'action'],
      ['a count of 1', { ...same, count: 1 }, 'count'],
      ['a count of 1,001', { ...same, count: 1_001 }, 'count'],
      ['a count that is no whole number', { ...same, count: 2.5 }, 'count'],
      ['no seconds', { ...same, seconds: 0 }, 'seconds'],
      ['more than a day', { ...same, seconds: 86_401 }, 'seconds'],
      ['a factor below 2', { kind: 'rate', action: 'notify', factor: 1.9 }, 'factor'],
      ['a factor above 1,000', { kind: 'rate', action: 'notify', factor: 1_000.5 }, 'factor'],
      ['a missing count', { kind: 'failures', action: 'notify', seconds: 60 }, 'count'],
      ['missing seconds', { kind: 'ping_pong', action: 'notify', count: 3 }, 'seconds'],
      ['a missing factor', { kind: 'rate', action: 'notify' }, 'factor'],
      ['a factor of what counts', { ...same, factor: 3 }, 'factor'],
      ['a count of a rate', { kind: 'rate', action: 'notify', factor: 3, count: 3 }, 'count'],
      ['a member that it does not know', { ...same, secs: 60 }, 'secs'],
    ];
    it.each(cases)('%s', async (_name, detector, member) => {
      const fine = { kind: same.kind === (detector as { kind: string }).kind ? 'ping_pong' : 'same_payment', action: 'notify' };
      expectInvalid(await put([{ ...fine, count: 3, seconds: 60 }, detector]), `detectors.1.${member}`);
    });
    it('two of a kind', async () => expectInvalid(await put([same, { ...same, count: 4 }]), 'detectors.1.kind'));
    it('no list', async () => expectInvalid(await put(undefined), 'detectors'));
    it('a list that is too long', async () => expectInvalid(await put(Array(9).fill(same)), 'detectors'));
  });

  it('403 for an agent and a JWT session: it takes an API key', async () => {
    const { token } = await enrol(harness.test);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [token, session.token]) expectRefused(await put([], { as }), 403, 'api_key_required');
  });
});
