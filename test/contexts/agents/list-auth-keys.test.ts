import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol, sign } from './identity.js';

const harness = useHarness();

describe('GET /v1/agents/{id}/auth-keys', () => {
  it('200: every key there was, newest first, to an API key and to the agent', async () => {
    const { id, privateKey, keyId, token } = await enrol(harness.test);
    harness.clock.advance(10);
    const at = harness.clock.now().toISOString();
    const rotated = await harness.test.post(`/v1/agents/${id}/auth-keys/rotate`, { proof: sign(`rotate:${id}`, privateKey) }, { as: null });
    const answer = await harness.test.get(`/v1/agents/${id}/auth-keys`);
    expect(answer.body).toEqual({
      data: [
        {
          key_id: rotated.body.data.keyId,
          public_key: rotated.body.data.publicKey,
          algorithm: 'ed25519',
          status: 'active',
          created_at: at,
        },
        {
          key_id: keyId,
          public_key: expect.any(String),
          algorithm: 'ed25519',
          status: 'rotated',
          created_at: expect.any(String),
          rotated_at: at,
        },
      ],
    });
    expect((await harness.test.get(`/v1/agents/${id}/auth-keys`, { as: token })).body).toEqual(answer.body);
  });

  it('200: none', async () => {
    const { id } = await enrol(harness.test, { generate_keypair: false });
    expect((await harness.test.get(`/v1/agents/${id}/auth-keys`)).body).toEqual({ data: [] });
  });

  it("401 without a credential, 404: missing, another tenant's, another agent's", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const sibling = await enrol(harness.test);
    expect((await harness.test.get(`/v1/agents/${mine.id}/auth-keys`, { as: null })).status).toBe(401);
    for (const id of [nowhere, theirs.id]) expect((await harness.test.get(`/v1/agents/${id}/auth-keys`)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/${sibling.id}/auth-keys`, { as: mine.token })).status).toBe(404);
  });
});
