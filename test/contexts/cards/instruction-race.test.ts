// What was verified is used by one authorization, and what a budget has left by no more than it covers, however many ask at once in two
// processes.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { jwsIdentity, someIntent } from '../../factories/bot-identity.js';
import { ask, insist, make, type Server } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let first: ServerOnDatabase;
/** The sandbox of another process. */
let second: string;

beforeAll(async () => {
  first = await ServerOnDatabase.start();
  second = await first.startSecond();
});

afterAll(() => first?.stop());

/** The server that takes the n-th request. */
const serverOf = (server: Server, n: number): Server => (n % 2 === 0 ? server : { ...server, url: second });
const times = (n: number) => Array.from({ length: n }, (_, at) => at);

/** An agent with a key, and requests of it. */
async function newAgent(server: Server) {
  const account = await make(server, '/v1/accounts', { type: 'person', name: 'Somebody' });
  const { body } = await ask(server, 'POST', '/v1/agents', { parent_account_id: account.id, name: 'Agent', generate_keypair: true });
  const id = body.data.id.slice('agt_'.length);
  const signer = { id: body.data.id, privateKey: body.authKey.privateKey };
  const verify = (n: number, payload: object = {}) => {
    const signed_bot_identity = jwsIdentity(signer, new Date(), { payload });
    return insist(serverOf(server, n), 'POST', '/v1/cards/verify', { agent_id: id, transaction_intent: someIntent, signed_bot_identity });
  };
  const authorize = (n: number, network_ref: string) =>
    insist(serverOf(server, n), 'POST', '/v1/cards/visa/instructions', { agent_id: id, payload: { network_ref } });
  return { id, verify, authorize };
}

describe('a verified payment', () => {
  it('is verified once by 20 with one nonce, and authorized once by 50', async () => {
    const { verify, authorize } = await newAgent(first.sandbox);
    const answers = await Promise.all(times(20).map((n) => verify(n, { nonce: 'once' })));
    const verified = answers.filter(({ body }) => body.data.verified);
    expect(verified).toHaveLength(1);
    expect(answers.filter(({ body }) => body.data.rejection_reason === 'replayed_nonce')).toHaveLength(19);
    const reference = verified[0]?.body.data.network_ref;
    const codes = (await Promise.all(times(50).map((n) => authorize(n, reference)))).map(({ status, body }) =>
      status === 202 ? 'queued' : `${status} ${body.code} ${body.details.reason}`,
    );
    expect(codes.sort()).toEqual([...times(49).map(() => '409 state_conflict used'), 'queued']);
  });

  it('is authorized only as far as the budget of its agent goes', async () => {
    const { id, verify, authorize } = await newAgent(first.sandbox);
    const refs = await Promise.all(times(12).map(async (n) => (await verify(n)).body.data.network_ref));
    await make(first.sandbox, '/v1/budgets', {
      name: 'Cards',
      scope: { type: 'agent', id },
      period: 'day',
      amount: '210.00',
      currency: 'USD',
    });
    const answers = await Promise.all(refs.map((reference, n) => authorize(n, reference)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    expect(answers.filter(({ body }) => body.code === 'budget_exceeded')).toHaveLength(7);
  });
});
