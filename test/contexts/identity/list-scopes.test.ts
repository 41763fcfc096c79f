// GET /v1/scopes
import { expect, it } from 'vitest';
import { scopes } from '../../../src/platform/scope.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();

it('lists every scope with what it opens, and every role, to anybody', async () => {
  const { status, body } = await harness.test.get('/v1/scopes', { as: null });
  expect(status).toBe(200);
  expect(body.data.scopes.map(({ scope }: { scope: string }) => scope)).toEqual(scopes);
  const opened = Object.fromEntries(
    body.data.scopes.map(({ scope, operations }: { scope: string; operations: string[] }) => [scope, operations]),
  );
  expect(opened['freeze:write'].sort()).toEqual(['freezeAgent', 'freezeSpending', 'freezeWallet', 'suspendAgent']);
  expect(opened['keys:write']).toContain('createApiKey');
  expect(body.data.roles).toHaveLength(5);
  expect(body.data.roles[0]).toEqual({ role: 'owner', live: ['*'], test: ['*'] });
});
