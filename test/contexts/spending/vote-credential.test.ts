// Votes on what an agent asks for by a credential that a member made: he has seen it, so he has asked (CONTRACT.md 23, 29).
import { beforeEach, expect, it } from 'vitest';
import { provisionKey } from '../../../src/contexts/agents/key.js';
import { rotateToken } from '../../../src/contexts/agents/token.js';
import { createApiKey } from '../../../src/contexts/identity/api-key.js';
import { type Spender, spender, trip } from '../../factories/approval.js';
import { transferBody } from '../../factories/payment.js';
import { newVoters, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';
import { signIn } from '../agents/identity.js';

const harness = useHarness();
let ada: Voter;
let bob: Voter;
beforeEach(async () => {
  [ada, bob] = (await newVoters(harness, 2)) as [Voter, Voter];
});

async function asking(approvers: object | null): Promise<Spender> {
  const agent = await spender(harness);
  const approval = { threshold: '1.00', currency: 'USD', ...(approvers && { approvers }) };
  await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  await trip(harness, agent.uuid);
  return agent;
}

/** What the agent asks for with a credential. */
async function askedWith({ wallet, payee }: Spender, as: string): Promise<Json> {
  const { status, body } = await harness.test.post('/v1/transfers', transferBody(wallet, payee, '5.00'), { as });
  expect(status, JSON.stringify(body)).toBe(202);
  return body.approval;
}

it('who rotated the token, as himself or by a key that he made, has asked; who did not, decides', async () => {
  const agent = await asking({ count: 1 });
  const { token } = await rotateToken(ada.ctx, agent.uuid, 0);
  const approval = await askedWith(agent, token ?? '');
  expect(await ada.approve(approval)).toBe('own_request');
  expect(await bob.approve(approval)).toBe('approved');
  const key = await createApiKey(ada.ctx, { name: 'Of Ada' });
  const rotated = (await harness.test.post(`/v1/agents/${agent.id}/token/rotate`, {}, { as: key.key })).body.data;
  const other = await askedWith(agent, rotated.token);
  expect(await ada.approve(other)).toBe('own_request');
  expect(await bob.approve(other)).toBe('approved');
});

it('a token that the agent rotates then is still his', async () => {
  const agent = await asking({ count: 1 });
  const { token } = await rotateToken(ada.ctx, agent.uuid, 0);
  const { body } = await harness.test.post(`/v1/agents/${agent.id}/token/rotate`, {}, { as: token });
  const approval = await askedWith(agent, body.data.token);
  expect(await ada.approve(approval)).toBe('own_request');
  expect(await bob.approve(approval)).toBe('approved');
});

it('who made the key of the agent has asked by its sessions', async () => {
  const agent = await asking({ count: 1 });
  await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
  const { privateKey } = await provisionKey(ada.ctx, agent.uuid);
  const approval = await askedWith(agent, await signIn(harness.test, { id: agent.id, privateKey: privateKey ?? '' }));
  expect(await ada.approve(approval)).toBe('own_request');
  expect(await bob.approve(approval)).toBe('approved');
});

it('where no policy asks people he decides, and credentials that keys of nobody made bind nobody', async () => {
  const open = await asking(null);
  const { token } = await rotateToken(ada.ctx, open.uuid, 0);
  expect(await ada.approve(await askedWith(open, token ?? ''))).toBe('approved');
  const agent = await asking({ count: 1 });
  expect(await ada.approve(await askedWith(agent, agent.token))).toBe('approved');
});
