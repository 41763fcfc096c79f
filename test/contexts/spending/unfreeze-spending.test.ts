// POST /v1/spending/unfreeze
import { describe, expect, it } from 'vitest';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const unfreeze = (body: unknown = {}, options = {}) => harness.test.post('/v1/spending/unfreeze', body, options);

describe('POST /v1/spending/unfreeze', () => {
  it('200: the workspace spends again', async () => {
    const { from, to } = await twoWallets(harness.test);
    await harness.test.make('/v1/spending/freeze', { reason: 'a drill' });
    expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'workspace_frozen');
    const { status, body } = await unfreeze({ reason: 'the drill is over' });
    expect([status, body]).toEqual([200, { data: { frozen: false } }]);
    expect((await harness.test.post('/v1/transfers', transferBody(from, to, '1.00'))).status).toBe(201);
  });

  it('400: a reason that is no text', async () => expectInvalid(await unfreeze({ reason: 1 }), 'reason'));

  it('403 for an agent', async () => {
    const { token } = await enrol(harness.test);
    expectRefused(await unfreeze({}, { as: token }), 403, 'api_key_required');
  });

  it('409 when nothing is frozen', async () =>
    expectRefused(await unfreeze(), 409, 'state_conflict', {
      current_status: 'active',
      allowed_from: ['frozen'],
      next_actions: [{ rel: 'read', method: 'GET', path: '/v1/spending' }],
    }));
});
