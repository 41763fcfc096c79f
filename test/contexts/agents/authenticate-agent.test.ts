import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/platform/crypto.js';
import { hasCells, nowhere, useHarness } from '../../harness.js';
import { authenticate, challengeOf, countQueries, enrol, sign, signIn } from './identity.js';

const harness = useHarness();
const answer = (id: string, challenge: string, signature: string, client = harness.test) =>
  client.post(`/v1/agents/${id}/authenticate`, { challenge, signature }, { as: null });

describe('POST /v1/agents/{id}/authenticate', () => {
  it('200: a session, unwrapped, that works on every authenticated endpoint', async () => {
    const agent = await enrol(harness.test);
    const { status, body } = await authenticate(harness.test, agent.id, agent.privateKey);
    expect(status).toBe(200);
    expect(body).toEqual({ sessionToken: expect.stringMatching(/^sess_[\w-]{43,65}$/), expiresIn: 3600, agentId: agent.id });
    expect((await harness.test.get('/v1/me', { as: body.sessionToken })).body.data.actor.id).toBe(agent.id);
    const [key] = (await harness.test.get(`/v1/agents/${agent.id}/auth-keys`)).body.data;
    expect(key.last_used_at).toBe(harness.clock.now().toISOString());
  });

  it('200 with the bare id', async () => {
    const { uuid, privateKey } = await enrol(harness.test);
    expect((await authenticate(harness.test, uuid, privateKey)).status).toBe(200);
  });

  it('200 over GraphQL', async () => {
    const { id, privateKey } = await enrol(harness.test);
    const asked = await harness.test.graphql('mutation ($id: AgentId!) { createChallenge(id: $id) { challenge } }', { id }, { as: null });
    const { challenge } = asked.body.data.createChallenge;
    const mutation = 'mutation ($id: AgentId!, $input: AuthenticateInput!) { authenticateAgent(id: $id, input: $input) { sessionToken } }';
    const signed = await harness.test.graphql(mutation, { id, input: { challenge, signature: sign(challenge, privateKey) } }, { as: null });
    const as = signed.body.data.authenticateAgent.sessionToken;
    expect((await harness.test.graphql('{ me { actor { id } } }', {}, { as })).body.data.me.actor.id).toBe(id);
  });

  it('200 once: of 50 parallel answers to one challenge exactly one wins', async () => {
    const { id, privateKey } = await enrol(harness.test);
    const challenge = await challengeOf(harness.test, id);
    const signature = sign(challenge, privateKey);
    const answers = await Promise.all(Array.from({ length: 50 }, () => answer(id, challenge, signature)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'challenge_invalid')).toHaveLength(49);
    expect((await harness.test.get(`/v1/agents/${id}/sessions`)).body.data).toHaveLength(1);
  });

  it('400 for what is missing', async () => {
    const { status, body } = await harness.test.post(`/v1/agents/${nowhere}/authenticate`, {}, { as: null });
    expect([status, body.details.fields.map(({ path }: { path: string }) => path).sort()]).toEqual([400, ['challenge', 'signature']]);
  });

  it('401 challenge_invalid: unknown, used, expired, and of another agent, all the same', async () => {
    const agent = await enrol(harness.test);
    const other = await enrol(harness.test);
    const used = await challengeOf(harness.test, agent.id);
    await answer(agent.id, used, sign(used, agent.privateKey));
    const old = await challengeOf(harness.test, agent.id);
    harness.clock.advance(60);
    const theirs = await challengeOf(harness.test, other.id);
    const bodies = [];
    for (const challenge of ['unknown', used, old, theirs]) {
      const { status, body } = await answer(agent.id, challenge, sign(challenge, agent.privateKey));
      bodies.push({ status, ...body, request_id: undefined });
    }
    for (const body of bodies) expect(body).toEqual({ ...bodies[0], status: 401, code: 'challenge_invalid' });
  });

  it('401 signature_invalid, which uses the challenge up: another text, another key, not strict base64', async () => {
    const { id, privateKey } = await enrol(harness.test);
    const stranger = await enrol(harness.test);
    const forge = [
      (text: string) => sign(`${text} `, privateKey),
      (text: string) => sign(text, stranger.privateKey),
      (text: string) => sign(text, privateKey).replace(/=+$/, ''),
      (text: string) => Buffer.from(sign(text, privateKey), 'base64').toString('hex'),
      () => 'none',
    ];
    for (const signed of forge) {
      const challenge = await challengeOf(harness.test, id);
      const refused = await answer(id, challenge, signed(challenge));
      expect([refused.status, refused.body.code]).toEqual([401, 'signature_invalid']);
      expect((await answer(id, challenge, sign(challenge, privateKey))).body.code).toBe('challenge_invalid');
    }
  });

  it('401 signature_invalid, the same, for an agent without a key, one of the other environment and one that nobody knows', async () => {
    const bodies = [];
    const keyless = await enrol(harness.test, { generate_keypair: false });
    const live = await enrol(harness.live);
    const { privateKey } = await enrol(harness.test);
    for (const [id, key] of [
      [keyless.id, privateKey],
      [live.id, live.privateKey],
      [nowhere, privateKey],
    ] as const) {
      const { status, body } = await authenticate(harness.test, id, key);
      bodies.push({ status, ...body, request_id: undefined });
    }
    for (const body of bodies) expect(body).toEqual({ ...bodies[0], status: 401, code: 'signature_invalid' });
  });

  it.skipIf(hasCells)('401 after the same questions to the database, whether the agent is known or not', async () => {
    const agent = await enrol(harness.test);
    const count = (id: string) =>
      countQueries(harness.platform, async () => {
        expect(
          (
            await authenticate(
              harness.test,
              id,
              agent.privateKey.replace(/^./, (first) => (first === 'x' ? 'y' : 'x')),
            )
          ).body.code,
        ).toBe('signature_invalid');
      });
    const known = await count(agent.id);
    // One for the challenge and one for its answer.
    expect(known).toBe(2);
    expect([await count(nowhere), await count((await enrol(harness.live)).id)]).toEqual([known, known]);
  });

  it('401 challenge_invalid for one that was asked for on the other listener', async () => {
    const agent = await enrol(harness.test);
    const challenge = await challengeOf(harness.live, agent.id);
    const refused = await answer(agent.id, challenge, sign(challenge, agent.privateKey));
    expect([refused.status, refused.body.code]).toEqual([401, 'challenge_invalid']);
  });

  it('401 key_revoked, told to the holder of the revoked key alone', async () => {
    const { id, privateKey } = await enrol(harness.test);
    const stranger = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    expect((await authenticate(harness.test, id, privateKey)).body.code).toBe('key_revoked');
    expect((await authenticate(harness.test, id, stranger.privateKey)).body.code).toBe('signature_invalid');
  });

  it('403 agent_suspended, told to the holder of the key alone', async () => {
    const { id, privateKey } = await enrol(harness.test);
    const stranger = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${id}/suspend`, {});
    const refused = await authenticate(harness.test, id, privateKey);
    expect([refused.status, refused.body.code]).toEqual([403, 'agent_suspended']);
    expect((await authenticate(harness.test, id, stranger.privateKey)).body.code).toBe('signature_invalid');
  });

  it('makes no session beside the rotation of its key', async () => {
    for (let round = 0; round < 5; round += 1) {
      const agent = await enrol(harness.test);
      const proof = sign(`rotate:${agent.id}`, agent.privateKey);
      const logins = Array.from({ length: 4 }, () => authenticate(harness.test, agent.id, agent.privateKey));
      const [rotated, ...signed] = await Promise.all([
        harness.test.post(`/v1/agents/${agent.id}/auth-keys/rotate`, { proof }, { as: null }),
        ...logins,
      ]);
      expect(rotated.status).toBe(200);
      for (const { status, body } of signed.filter(({ status }) => status === 200)) {
        const read = await harness.test.get('/v1/me', { as: body.sessionToken });
        expect([status, read.status, read.body.code]).toEqual([200, 401, 'session_revoked']);
      }
    }
  });

  it('makes no session beside the revocation of its key', async () => {
    for (let round = 0; round < 5; round += 1) {
      const agent = await enrol(harness.test);
      const logins = Array.from({ length: 4 }, () => authenticate(harness.test, agent.id, agent.privateKey));
      const [revoked, ...signed] = await Promise.all([harness.test.delete(`/v1/agents/${agent.id}/auth-keys`), ...logins]);
      expect(revoked.status).toBe(200);
      expect(signed.map(({ status }) => status).filter((status) => status !== 200 && status !== 401)).toEqual([]);
      expect((await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data).toEqual([]);
    }
  });

  it('reads the challenges by index, however few there are when the statement is planned', async () => {
    const { id, uuid, privateKey } = await enrol(harness.test);
    const challenge = await challengeOf(harness.test, id);
    const client = await harness.platform.database.pool.connect();
    try {
      await client.query('ANALYZE challenge');
      await client.query('BEGIN');
      const values = [sha256(id), 'test', uuid, sha256(challenge), harness.clock.now()];
      const { rows } = await client.query('SELECT used FROM consume_challenge($1, $2, $3, $4, $5)', values);
      expect(rows).toEqual([{ used: true }]);
      const scans = "SELECT seq_scan::int, idx_scan::int FROM pg_stat_xact_user_tables WHERE relname = 'challenge'";
      // Counts that the connection has not reported yet are among them.
      expect((await client.query(scans)).rows).toEqual([{ seq_scan: 0, idx_scan: expect.toSatisfy((count: number) => count > 0) }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect((await answer(id, challenge, sign(challenge, privateKey))).status).toBe(200);
  });

  it('keeps the token out of the database', async () => {
    const token = await signIn(harness.test, await enrol(harness.test));
    const { rows } = await harness.platform.database.pool.query('SELECT * FROM agent_session LEFT JOIN credential USING (id)');
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});
