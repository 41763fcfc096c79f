// POST /acp/{merchant_id}/checkout_sessions/{checkout_session_id}/cancel
import { beforeAll, describe, expect, it } from 'vitest';
import { type AcpClient, byWallet, newShop } from '../../factories/acp.js';
import { openWallet, useHarness } from '../../harness.js';
import published from '../../vectors/acp/examples.agentic_checkout.json' with { type: 'json' };

const harness = useHarness();
let acp: AcpClient;

beforeAll(async () => {
  ({ acp } = await newShop(harness.test));
});

describe('200', () => {
  it('calls the session off, with why the buyer has left', async () => {
    const session = await acp.ready();
    const { status, body } = await acp.cancel(session, published.cancel_checkout_session_request);
    expect([status, body.status]).toEqual([200, 'canceled']);
    expect(body.messages).toMatchObject([{ type: 'info' }]);
    const { body: read } = await harness.test.get(`/v1/acp/checkouts/${session.id}`);
    expect(read.data.status).toBe('cancelled');
    const { rows } = await harness.platform.database.pool.query('SELECT intent_trace FROM checkout WHERE id = $1', [
      session.id.replace('acp_chk_', ''),
    ]);
    expect(rows[0].intent_trace).toMatchObject({ reasonCode: 'shipping_cost', traceSummary: expect.stringContaining('standard shipping') });
  });

  it('without a body, and again with the same key', async () => {
    const session = await acp.ready();
    const first = await acp.cancel(session, undefined, { key: 'leave' });
    const again = await acp.cancel(session, undefined, { key: 'leave' });
    expect([first.status, again.status, again.body.status]).toEqual([200, 200, 'canceled']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('also one that is not ready to be paid', async () => {
    const { body } = await acp.create();
    expect((await acp.cancel(body)).body.status).toBe('canceled');
  });
});

it('400 for a reason that ACP does not know', async () => {
  const session = await acp.ready();
  const answer = await acp.cancel(session, { intent_trace: { reason_code: 'boredom' } });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid', param: '$.intent_trace.reason_code' } });
});

describe('405', () => {
  it('for one that is canceled, and for one that is completed, with what is allowed', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const [canceled, completed] = [await acp.ready(), await acp.ready()];
    await acp.cancel(canceled);
    await acp.complete(completed, byWallet(wallet));
    for (const session of [canceled, completed]) {
      const { status, headers, body } = await acp.cancel(session);
      expect([status, headers.get('allow')]).toEqual([405, 'GET']);
      expect(body).toMatchObject({ type: 'invalid_request', code: 'not_cancelable' });
    }
    expect((await acp.read(completed)).body.status).toBe('completed');
  });
});

it('409 for one whose payment is under way, which says so', async () => {
  const session = await acp.ready();
  const id = session.id.replace('acp_chk_', '');
  await harness.platform.database.pool.query("UPDATE checkout SET status = 'pending_payment' WHERE id = $1", [id]);
  const { body } = await acp.read(session);
  expect(body).toMatchObject({ status: 'complete_in_progress', messages: [{ type: 'info' }] });
  expect(await acp.cancel(session)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

it('409 for one whose time is over', async () => {
  const session = await acp.ready();
  harness.clock.advance(1_800);
  expect(await acp.cancel(session)).toMatchObject({ status: 409, body: { code: 'expired' } });
});
