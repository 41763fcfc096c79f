import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol } from './identity.js';

const harness = useHarness();

describe('POST /v1/agents', () => {
  it('201: an agent and its token', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const body = {
      parent_account_id: account.id,
      name: 'Buyer',
      description: 'Buys paper.',
      kya_tier: 1,
      skills: ['buy', { id: 'sell', name: 'Sell paper', price: { amount: '1.5', currency: 'USD' } }],
      metadata: { a: 1 },
    };
    const answer = await harness.test.post('/v1/agents', body);
    expect(answer.status).toBe(201);
    const made = { created_at: harness.clock.now().toISOString(), updated_at: harness.clock.now().toISOString() };
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^agt_[0-9a-f-]{36}$/),
        ...body,
        skills: [
          { id: 'buy', name: 'buy', description: 'buy', tags: [], ...made },
          { id: 'sell', name: 'Sell paper', description: 'Sell paper', tags: [], price: { amount: '1.50', currency: 'USD' }, ...made },
        ],
        status: 'active',
        connected: false,
        created_at: harness.clock.now().toISOString(),
        updated_at: harness.clock.now().toISOString(),
      },
      credentials: { token: expect.stringMatching(/^agent_[\w-]{43}$/), warning: expect.any(String) },
    });
    const me = await harness.test.get('/v1/me', { as: answer.body.credentials.token });
    expect(me.body.data.actor).toEqual({ type: 'agent', id: answer.body.data.id, name: 'Buyer' });
  });

  it('201 with a key pair: the private key is told once and kept nowhere', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const answer = await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Signer', generate_keypair: true });
    const { authKey, data } = answer.body;
    expect(authKey).toEqual({
      keyId: expect.stringMatching(/^auth_[0-9a-f-]{36}$/),
      publicKey: data.public_key,
      privateKey: expect.any(String),
      algorithm: 'ed25519',
      warning: expect.any(String),
    });
    const secret = Buffer.from(authKey.privateKey, 'base64');
    expect(secret).toHaveLength(64);
    expect(secret.subarray(32).toString('base64')).toBe(authKey.publicKey);
    const stored = await harness.platform.database.unscoped.agentKey.findMany();
    expect(JSON.stringify(stored.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')))).not.toContain(
      secret.subarray(0, 32).toString('hex'),
    );
    const hashes = await harness.platform.database.unscoped.agentToken.findMany();
    expect(hashes.map(({ hash }) => Buffer.from(hash).toString())).not.toContain(answer.body.credentials.token);
  });

  it('201 with a wallet of its own', async () => {
    const { agent, account } = await enrol(harness.test, { wallet: { currency: 'USDC' } });
    const wallet = await harness.test.get(`/v1/wallets/${agent.default_wallet_id}`);
    expect(wallet.body.data).toMatchObject({ owner_type: 'agent', owner_id: agent.id.slice(4), account_id: account.id, currency: 'USDC' });
  });

  it('201 again with the same key: the same agent, without its secrets', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const body = { parent_account_id: account.id, name: 'Once', generate_keypair: true };
    const options = { headers: { 'Idempotency-Key': 'agent-once' } };
    const first = await harness.test.post('/v1/agents', body, options);
    const again = await harness.test.post('/v1/agents', body, options);
    const { token: _, ...credentials } = first.body.credentials;
    const { privateKey: __, ...authKey } = first.body.authKey;
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({ data: first.body.data, credentials: { warning: credentials.warning } });
    expect({ keyId: again.body.authKey.keyId, publicKey: again.body.authKey.publicKey }).toEqual({
      keyId: authKey.keyId,
      publicKey: authKey.publicKey,
    });
    const rows = await harness.platform.database.pool.query('SELECT body FROM keyed_answer');
    for (const text of [JSON.stringify(again.body), JSON.stringify(rows.rows)]) {
      expect(text).not.toContain(first.body.credentials.token);
      expect(text).not.toContain(first.body.authKey.privateKey);
    }
    const list = await harness.test.get(`/v1/agents?parent_account_id=${account.id}`);
    expect(list.body.pagination.total).toBe(1);
  });

  it('200 over GraphQL, and again with the same key: what it made, without its secrets', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const mutation = `mutation ($input: CreateAgentInput!) {
      createAgent(input: $input) { agent { id publicKey } credentials { token } authKey { keyId publicKey privateKey } }
    }`;
    const input = { parentAccountId: account.id, name: 'Twin', generateKeypair: true };
    const create = () => harness.test.graphql(mutation, { input }, { headers: { 'Idempotency-Key': 'agent-graphql' } });
    const first = (await create()).body.data.createAgent;
    expect(first).toMatchObject({ credentials: { token: expect.any(String) }, authKey: { privateKey: expect.any(String) } });
    const again = await create();
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.data.createAgent).toEqual({
      ...first,
      credentials: { token: null },
      authKey: { ...first.authKey, privateKey: null },
    });
  });

  it('400: what is missing, out of range or unknown', async () => {
    const answer = await harness.test.post('/v1/agents', { name: '', kya_tier: 4, skills: [1], generate_keypairs: true });
    expect(answer.body.code).toBe('validation_failed');
    expect(answer.body.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'generate_keypairs',
      'kya_tier',
      'name',
      'parent_account_id',
      'skills.0',
    ]);
    expect(JSON.stringify(answer.body.details)).toContain('did you mean generate_keypair?');
  });

  it('400: skills that are none, or twice', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const pathsOf = async (skills: unknown[]) => {
      const { body } = await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Odd', skills });
      return body.details.fields.map(({ path }: { path: string }) => path);
    };
    expect(await pathsOf(['buy', { id: 'buy' }])).toEqual(['skills.1.id']);
    expect(await pathsOf([{ name: 'No id', cost: 1 }])).toEqual(['skills.0.id', 'skills.0.cost']);
    expect(await pathsOf([{ id: 'sell', price: { amount: '0.001', currency: 'USD' } }])).toEqual(['skills.0.price.amount']);
  });

  it('401 without a credential', async () => {
    expect((await harness.test.post('/v1/agents', {}, { as: null })).body.code).toBe('missing_credential');
  });

  it('403 api_key_required for an agent and for a JWT session', async () => {
    const { token } = await enrol(harness.test);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [token, session.token]) {
      const answer = await harness.test.post('/v1/agents', {}, { as });
      expect([answer.status, answer.body.code]).toEqual([403, 'api_key_required']);
    }
  });

  it("404 for an account that is not there, or another tenant's", async () => {
    const theirs = await harness.other.make('/v1/accounts', { type: 'business', name: 'Eve' });
    for (const parent_account_id of [nowhere, theirs.id]) {
      const answer = await harness.test.post('/v1/agents', { parent_account_id, name: 'Stray' });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });

  it('409 for an account that is not active', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'suspended' });
    const answer = await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Late' });
    expect(answer.body).toMatchObject({ code: 'state_conflict', details: { current_status: 'suspended', allowed_from: ['active'] } });
  });
});
