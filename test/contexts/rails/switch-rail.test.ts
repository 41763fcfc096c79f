// POST /v1/rails/{rail}/switch
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tenantWorkspace } from '../../../src/contexts/identity/tenant.js';
import { depart } from '../../../src/contexts/rails/departure.js';
import { examine } from '../../../src/contexts/rails/doctor.js';
import { switchRail } from '../../../src/contexts/rails/switch.js';
import { createCtx } from '../../../src/platform/request.js';
import { newId } from '../../../src/platform/schema/id.js';
import type { CallOptions, Json } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { dataOf, farSide, plenty, useRails } from './test-kind.js';

const rails = useRails([`usdc-base: {kind: test, ${plenty}}`, `usdc-far: {kind: test, ${plenty}}`]);
const { harness } = rails;
const path = '/v1/rails/usdc-base/switch';
const to = (status: string, options: CallOptions = {}) => harness.live.post(path, { to: status, reason: 'First week' }, options);
const keyOf = async (...scopes: string[]) => (await harness.live.make('/v1/api-keys', { name: scopes.join(), scopes })).key;
const statusOf = async (name = 'usdc-base') => (await harness.live.get(`/v1/rails/${name}`)).body.data.status;

/** A person who signed in so many seconds ago. */
async function person(secondsAgo: number) {
  const workspace = await tenantWorkspace(harness.platform, harness.tenantId, 'live');
  if (workspace === null) throw new Error('no workspace');
  const at = harness.clock.now();
  const id = newId(at);
  const signedInAt = new Date(at.getTime() - secondsAgo * 1_000);
  const member = { id, name: 'Ada', role: 'owner', authority: null, methods: ['password'], signedInAt } as const;
  const actor = { type: 'member', id, name: 'Ada', scopes: ['*'], credential: { kind: 'login', id }, member } as const;
  return createCtx(harness.platform, { actor, workspace }, { requestId: 'req_1', ip: '', act: { action: 'switchRail' } });
}

describe('POST /v1/rails/{rail}/switch', () => {
  describe('200', () => {
    it('on, draining and off, each told and written down', async () => {
      const switched: Json[] = [];
      for (const status of ['on', 'draining', 'off'] as const) {
        switched.push(dataOf(await rails.turn('usdc-base', status), 200));
        expect(await statusOf()).toBe(status);
      }
      const [first] = switched;
      expect(first).toEqual({
        id: expect.stringMatching(/^swt_/),
        rail: 'usdc-base',
        from: 'off',
        to: 'on',
        reason: 'a test',
        by: expect.stringMatching(/^key_/),
        at: harness.clock.now().toISOString(),
      });
      expect(switched.map(({ from }) => from)).toEqual(['off', 'on', 'draining']);
      await harness.runDue();
      const events = (await harness.live.get('/v1/events?type=rail.switched')).body.data;
      const { id, ...rest } = first;
      expect(events.map(({ data }: Json) => data)).toContainEqual({ switch_id: id, ...rest });
      const [line] = (await harness.live.get('/v1/audit-log?action=switchRail&limit=1')).body.data;
      expect(line).toMatchObject({ action: 'switchRail', resource_id: switched[2].id });
    });

    it('once for a key', async () => {
      await examine(harness.platform, rails.rail());
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = dataOf(await to('on', { headers }), 200);
      dataOf(await to('off'), 200);
      expect(dataOf(await to('on', { headers }), 200)).toEqual(first);
      expect(await statusOf()).toBe('off');
    });

    it('off with freeze:write alone', async () => {
      await rails.turn();
      const as = await keyOf('freeze:write');
      for (const status of ['on', 'draining'])
        expectRefused(await to(status, { as }), 403, 'insufficient_scope', { required_scope: 'rails:write' });
      dataOf(await to('off', { as }), 200);
    });
  });

  it('202 with what is still being sent after ten seconds', { timeout: 60_000 }, async () => {
    await rails.turn('usdc-far');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sending = { rail: 'usdc-far', what: 'payout po_1' };
    const departed = depart(
      harness.platform,
      sending,
      async () => ({ value: 1, facts: [] }),
      () => held,
    );
    await expect.poll(async () => harness.platform.database.unscoped.railDeparture.count()).toBe(1);
    const begun = performance.now();
    const answer = await harness.live.post('/v1/rails/usdc-far/switch', { to: 'off', reason: 'stop' });
    expect([answer.status, answer.body.data.in_flight]).toEqual([202, ['payout po_1']]);
    expect(performance.now() - begun).toBeGreaterThan(9_000);
    release();
    await departed;
    expect(await harness.platform.database.unscoped.railDeparture.count()).toBe(0);
  });

  it('400 for what is no status and for no reason', async () => {
    expectInvalid(await harness.live.post(path, { to: 'up' }), 'to', 'reason');
  });

  it('401 without a credential', async () => expectRefused(await to('off', { as: null }), 401, 'missing_credential'));

  it('403 for whoever does not run the platform, for the sandbox, and without the scope', async () => {
    for (const client of [harness.test, harness.other])
      expectRefused(await client.post(path, { to: 'off', reason: 'x' }), 403, 'forbidden');
    const as = await keyOf('rails:read');
    for (const status of ['on', 'draining', 'off']) expectRefused(await to(status, { as }), 403, 'insufficient_scope');
  });

  it('403 for a person who signed in long ago, and opens it', async () => {
    await examine(harness.platform, rails.rail());
    await to('off');
    const old = await person(301);
    for (const status of ['on', 'draining'] as const)
      await expect(switchRail(old, { rail: 'usdc-base', to: status, reason: 'x' })).rejects.toMatchObject({ code: 'step_up_required' });
    expect(await switchRail(await person(10), { rail: 'usdc-base', to: 'on', reason: 'x' })).toMatchObject({ to: 'on' });
    expect(await switchRail(old, { rail: 'usdc-base', to: 'draining', reason: 'x' })).toMatchObject({ from: 'on', to: 'draining' });
    expect(await switchRail(old, { rail: 'usdc-base', to: 'off', reason: 'x' })).toMatchObject({ to: 'off' });
  });

  it('404 for a rail that is not configured', async () => {
    for (const name of ['ach', 'usdc-nowhere'])
      expectRefused(await harness.live.post(`/v1/rails/${name}/switch`, { to: 'off', reason: 'x' }), 404, 'not_found');
  });

  describe('409', () => {
    it('for a rail that no doctor has passed within a day', async () => {
      dataOf(await to('off'), 200);
      farSide.problem = 'it is silent';
      harness.clock.advance(86_401);
      await examine(harness.platform, rails.rail());
      for (const status of ['on', 'draining'])
        expectRefused(await to(status), 409, 'rail_unexamined', {
          next_actions: [{ rel: 'diagnose', actor: 'operator', command: 'rails doctor usdc-base' }],
        });
      expect(await statusOf()).toBe('off');
    });

    it('for a rail that a doctor passed as it was configured otherwise', async () => {
      await examine(harness.platform, { ...rails.rail(), digest: 'another' });
      expectRefused(await to('on'), 409, 'rail_unexamined');
    });
  });
});
