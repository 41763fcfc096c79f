import { describe, expect, it } from 'vitest';
import { connectionsOf } from '../../../src/contexts/agents/connection.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol, sign, signIn } from './identity.js';
import { pay, payer } from './payer.js';
import { connect } from './stream.js';

const harness = useHarness();
const beat = () => connectionsOf(harness.platform).turn();

const refusal = async (id: string, as: string | null) => {
  const answer = await harness.test.get(`/v1/agents/${id}/connect`, { as });
  return [answer.status, answer.body.code];
};

describe('GET /v1/agents/{id}/connect', () => {
  it('200: connected first, then what happens, each with a number', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    const connected = await stream.first('connected');
    expect(Number(/^retry: (\d+)\n\n/.exec(stream.text)?.[1])).toBeGreaterThanOrEqual(500);
    expect(connected).toEqual({
      id: '00000000001',
      event: 'connected',
      data: {
        id: expect.stringMatching(/^evt_/),
        type: 'connected',
        time: harness.clock.now().toISOString(),
        agent_id: agent.id,
        session_expires_at: new Date(harness.clock.now().getTime() + 3_600_000).toISOString(),
        resumed: false,
        replayed: 0,
      },
    });
    const [transfer] = await pay(harness, agent);
    const line = await stream.first('transfer_completed');
    expect(line).toEqual({
      id: '00000000002',
      event: 'transfer_completed',
      data: {
        id: expect.stringMatching(/^evt_/),
        type: 'transfer_completed',
        time: transfer.completed_at,
        agent_id: agent.id,
        transfer_id: `tx_${transfer.id}`,
        amount: '1.00',
        currency: 'USD',
        direction: 'outbound',
        counterparty_account_id: `acc_${agent.payee.account.id}`,
        protocol: 'internal',
      },
    });
    await stream.leave();
  });

  it('200: payer and payee are told, each from its side, also the agent that an API key pays for', async () => {
    const agent = await payer(harness);
    const other = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const [mine, theirs] = await Promise.all([
      connect(harness.test, agent.id, agent.session),
      connect(harness.test, other.id, await signIn(harness.test, other)),
    ]);
    const body = { type: 'internal', from_wallet_id: agent.wallet.id, to_wallet_id: other.agent.default_wallet_id, amount: '2.50' };
    await harness.test.make('/v1/transfers', { ...body, currency: 'USD', agent_id: agent.id });
    await harness.runDue();
    const [paid, got] = [await mine.first('transfer_completed'), await theirs.first('transfer_completed')];
    expect(paid.data).toMatchObject({ direction: 'outbound', counterparty_account_id: `acc_${other.account.id}` });
    expect(got.data).toMatchObject({ direction: 'inbound', counterparty_account_id: `acc_${agent.account.id}`, amount: '2.50' });
    expect(got.data.id).toBe(paid.data.id);
    await Promise.all([mine.leave(), theirs.leave()]);
  });

  it('200: with Last-Event-ID, what was missed and nothing twice', async () => {
    const agent = await payer(harness);
    await pay(harness, agent, 3);
    const stream = await connect(harness.test, agent.id, agent.session, '00000000002');
    expect((await stream.first('connected')).data).toMatchObject({ resumed: true, replayed: 2 });
    await pay(harness, agent);
    await stream.until((events) => events.length === 4);
    expect(stream.events.map(({ id }) => id)).toEqual([undefined, '00000000003', '00000000004', '00000000005']);
    await stream.leave();
  });

  it('200: a replay is what was shown at first, character by character', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    await pay(harness, agent);
    await stream.first('transfer_completed');
    await stream.leave();
    const shown = stream.text.slice(stream.text.indexOf('id: 00000000002'));
    const again = await connect(harness.test, agent.id, agent.session, '00000000001');
    await again.first('transfer_completed');
    expect(shown).toContain('"direction":"outbound"');
    expect(again.text).toContain(shown);
    await again.leave();
  });

  it('200: a gap is told before the replay: older than five minutes, more than a hundred, and not twice', async () => {
    const agent = await payer(harness);
    await pay(harness, agent, 2);
    harness.clock.advance(301);
    await pay(harness, agent, 1);
    const late = await connect(harness.test, agent.id, agent.session, '1');
    await late.until((events) => events.length === 3);
    const [, gap, line] = late.events;
    expect(gap).toMatchObject({
      event: 'gap',
      id: '00000000003',
      data: { last_seen_id: '00000000001', oldest_available_id: '00000000004' },
    });
    expect(gap?.data.backfill).toBe(`/v1/events?agent_id=${agent.id}&starting_after=${line?.data.id}`);
    await late.leave();
    harness.clock.advance(301);
    const later = await connect(harness.test, agent.id, agent.session, '00000000003');
    expect((await later.first('gap')).data).toMatchObject({ last_seen_id: '00000000003', oldest_available_id: null });
    await later.leave();
    await pay(harness, agent, 101);
    const many = await connect(harness.test, agent.id, agent.session, '4');
    await many.until((events) => events.length === 102);
    expect(many.events[1]).toMatchObject({ event: 'gap', id: '00000000005', data: { oldest_available_id: '00000000006' } });
    expect(many.lines.map(({ id }) => Number(id))).toEqual(Array.from({ length: 100 }, (_, n) => n + 6));
    const backfill = await harness.test.get(many.events[1]?.data.backfill);
    expect(backfill.status).toBe(200);
    await many.leave();
  });

  it('200: a heartbeat every thirty seconds, without a number', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    harness.clock.advance(30);
    await beat();
    expect(await stream.first('heartbeat')).toEqual({
      id: undefined,
      event: 'heartbeat',
      data: { id: expect.any(String), type: 'heartbeat', time: harness.clock.now().toISOString(), agent_id: agent.id },
    });
    expect(stream.text).toMatch(/\n\nevent: heartbeat\ndata: /);
    await harness.advance(30);
    await beat();
    await stream.until((events) => events.length === 3);
    await stream.leave();
  });

  it('200: one connection per session: a second closes the first', async () => {
    const agent = await payer(harness);
    const first = await connect(harness.test, agent.id, agent.session);
    await first.first('connected');
    const second = await connect(harness.test, agent.id, agent.session);
    await first.ended;
    await pay(harness, agent);
    await second.first('transfer_completed');
    expect((await harness.test.get(`/v1/agents/${agent.id}/liveness`)).body.data.connections).toBe(1);
    await second.leave();
  });

  it('200: rotating and revoking a key say key_rotated and end the stream; the session is over', async () => {
    const agent = await payer(harness);
    const stream = await connect(harness.test, agent.id, agent.session);
    await stream.first('connected');
    const rotated = await harness.test.post(
      `/v1/agents/${agent.id}/auth-keys/rotate`,
      { proof: sign(`rotate:${agent.id}`, agent.privateKey) },
      { as: null },
    );
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({
      id: '00000000002',
      event: 'key_rotated',
      data: { key_id: agent.keyId, new_public_key: rotated.body.data.publicKey, revoke_at: harness.clock.now().toISOString() },
    });
    expect(await refusal(agent.id, agent.session)).toEqual([401, 'session_revoked']);
    const again = await signIn(harness.test, { id: agent.id, privateKey: rotated.body.data.privateKey });
    const next = await connect(harness.test, agent.id, again, '1');
    await next.first('key_rotated');
    expect((await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`)).status).toBe(200);
    await next.ended;
    expect(next.events.at(-1)).toMatchObject({ event: 'key_rotated', data: { key_id: rotated.body.data.keyId, new_public_key: null } });
  });

  it('200: the stream ends with its session, or with the agent; freezing does not end it', async () => {
    const agent = await payer(harness);
    const [one, two] = [agent.session, await signIn(harness.test, agent)];
    const [ends, stays] = [await connect(harness.test, agent.id, one), await connect(harness.test, agent.id, two)];
    await ends.first('connected');
    await stays.first('connected');
    const sessions = (await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data;
    expect(sessions.map(({ connected }: Json) => connected)).toEqual([true, true]);
    await harness.test.delete(`/v1/agents/${agent.id}/sessions/${sessions[1].id}`);
    await ends.ended;
    await harness.test.post(`/v1/agents/${agent.id}/freeze`, {});
    await beat();
    await stays.first('heartbeat');
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    await stays.ended;
    await harness.test.post(`/v1/agents/${agent.id}/activate`, {});
    const expiring = await connect(harness.test, agent.id, two);
    await expiring.first('connected');
    harness.clock.advance(3_599);
    await beat();
    await expiring.ended;
    expect(expiring.events.at(-1)).toMatchObject({ event: 'reconnect', data: { reason: 'session_expires' } });
    expect(expiring.text).toMatch(/event: reconnect\nretry: \d+\n/);
  });

  it('400 for a header that is too long, 401 without a session that is known', async () => {
    const agent = await payer(harness);
    expect(await refusal(agent.id, null)).toEqual([401, 'missing_credential']);
    expect(await refusal(agent.id, 'sess_unknown')).toEqual([401, 'invalid_session_token']);
    const long = await harness.test.get(`/v1/agents/${agent.id}/connect`, {
      as: agent.session,
      headers: { 'Last-Event-ID': '1'.repeat(65) },
    });
    expect(long.status).toBe(400);
  });

  it('403: an API key and an agent token do not connect', async () => {
    const agent = await payer(harness);
    expect(await refusal(agent.id, harness.test.key)).toEqual([403, 'session_required']);
    expect(await refusal(agent.id, agent.token)).toEqual([403, 'session_required']);
  });

  it("404: missing, another agent's, another tenant's", async () => {
    const [agent, sibling] = [await payer(harness), await payer(harness)];
    const theirs = await enrol(harness.other);
    for (const id of [nowhere, sibling.id, theirs.id]) expect(await refusal(id, agent.session)).toEqual([404, 'not_found']);
  });

  it('409: a sixth session', async () => {
    const agent = await payer(harness);
    const sessions = [agent.session, ...(await Promise.all(Array.from({ length: 5 }, () => signIn(harness.test, agent))))];
    const streams = await Promise.all(sessions.slice(0, 5).map((session) => connect(harness.test, agent.id, session)));
    const answer = await harness.test.get(`/v1/agents/${agent.id}/connect`, { as: sessions[5] ?? '' });
    expect([answer.status, answer.body.code, answer.body.details.limit]).toEqual([
      409,
      'state_conflict',
      { name: 'connections', max: 5, used: 5 },
    ]);
    await streams[0]?.leave();
    const [, second] = sessions;
    const replaced = await connect(harness.test, agent.id, second ?? '');
    await replaced.first('connected');
    await Promise.all([...streams.slice(1), replaced].map((stream) => stream.leave()));
  });
});
