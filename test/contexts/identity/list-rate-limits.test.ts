// GET /v1/rate-limits
import { expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol, signIn } from '../agents/identity.js';

const harness = useHarness({ limits: { general: 50, sandbox: 40, auth: 5, login: 20 } });

it('200 with every limit, and what is left of those that it draws on', async () => {
  const { status, body, headers } = await harness.test.get('/v1/rate-limits');
  expect(status).toBe(200);
  const of = (name: string, limit: number, workspace: number) => [
    { class: name, per: 'address', limit, window_seconds: 60 },
    { class: name, per: 'actor', limit, window_seconds: 60 },
    { class: name, per: 'workspace', limit: workspace, window_seconds: 60 },
  ];
  const resetAt = expect.stringMatching(/^2026-03-02T10:0[01]:/);
  expect(body.data).toEqual([
    { class: 'general', per: 'address', limit: 40, window_seconds: 60, used: 1, remaining: 39, reset_at: resetAt },
    { class: 'general', per: 'actor', limit: 40, window_seconds: 60, used: 1, remaining: 39, reset_at: resetAt },
    { class: 'general', per: 'workspace', limit: 400, window_seconds: 60, used: 1, remaining: 399, reset_at: resetAt },
    ...of('auth', 5, 50),
    ...of('login', 20, 200),
  ]);
  expect(headers.get('x-ratelimit-remaining')).toBe('39');
});

it('200 in production, with its own numbers, and for an agent over GraphQL', async () => {
  expect((await harness.live.get('/v1/rate-limits')).body.data[2]).toMatchObject({ per: 'workspace', limit: 500, remaining: 499 });
  const agent = await enrol(harness.test);
  const { body } = await harness.test.graphql(
    '{ rateLimits { class per limit remaining } }',
    {},
    { as: await signIn(harness.test, agent) },
  );
  expect(body.data.rateLimits[1]).toEqual({ class: 'general', per: 'actor', limit: 40, remaining: 39 });
});

it('401 without a credential, 403 for a portal token', async () => {
  expectRefused(await harness.test.get('/v1/rate-limits', { as: null }), 401, 'missing_credential');
  const { token } = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c-1', scopes: ['usage:read'] });
  expectRefused(await harness.test.get('/v1/rate-limits', { as: token }), 403, 'insufficient_scope');
});
