// Streams as tests make them, and short ways to read what became of them.
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import { type Answer, type Client, type Harness, type Json, openWallet } from '../harness.js';
import { newBudget } from './budget.js';
import { twoWallets } from './payment.js';

/** The body of a stream of 0.01 a second out of 100.00. */
export function streamBody(from: Json, to: Json, extra: object = {}): Json {
  const { flow_rate: _, ...rest }: Json = extra;
  const rate = 'rate' in extra ? {} : { flow_rate: '0.01' };
  return {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    currency: from.currency,
    ...rate,
    initial_deposit: '100.00',
    ...rest,
    ...('flow_rate' in extra ? { flow_rate: extra.flow_rate } : {}),
  };
}

export interface TestStream {
  from: Json;
  to: Json;
  stream: Json;
  transfer: Json;
}

/** A stream between two new wallets. */
export async function newStream(client: Client, { funded = '1000.00', currency = 'USD', ...extra }: Json = {}): Promise<TestStream> {
  const { from, to } = await twoWallets(client, { funded, currency });
  const { body } = await client.post('/v1/streams', streamBody(from, to, extra));
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return { from, to, stream: body.data, transfer: body.transfer };
}

export async function readStream(client: Client, { id }: Json, at?: string): Promise<Json> {
  const { body } = await client.get(`/v1/streams/${id}${at === undefined ? '' : `?at=${at}`}`);
  return body.data;
}

/** A step of a stream: `pause`, `withdraw`... */
export function step(client: Client, { id }: Json, name: string, body: object = {}, as?: string): Promise<Answer> {
  return client.post(`/v1/streams/${id}/${name}`, body, as === undefined ? {} : { as });
}

/** The streams that have flowed so far, in seconds of the harness. */
export function inSeconds({ clock }: Harness, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}

/** A stream of 0.01 a second between the wallets of two agents, which the first one made. With `budget`: of 10000.00 a day. */
export async function agentStream(
  harness: Harness,
  { budget = false, ...extra }: Json = {},
): Promise<{ payer: TestAgent & { budget: Json }; payee: TestAgent; stream: Json }> {
  const { test } = harness;
  const [payer, payee] = await Promise.all([enrol(test, { wallet: { currency: 'USD' } }), enrol(test, { wallet: { currency: 'USD' } })]);
  const [from, to] = [payer, payee].map(({ agent }) => ({ id: agent.default_wallet_id, currency: 'USD' }));
  await test.make(`/v1/wallets/${from?.id}/fund`, { amount: '1000.00' });
  const scope = { type: 'agent', id: payer.id };
  const made = budget ? await newBudget(test, { scope, amount: '10000.00' }) : null;
  const { body } = await test.post('/v1/streams', streamBody(from, to, extra), { as: payer.token });
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return { payer: { ...payer, budget: made }, payee, stream: body.data };
}

/** A stream as rows alone: it needs no money, so it can be made in production too. */
export async function storedStream({ platform, clock }: Harness, client: Client): Promise<Json> {
  const { unscoped } = platform.database;
  const [payer, payee] = [await openWallet(client), await openWallet(client)];
  const { workspaceId } = await unscoped.account.findFirstOrThrow({ where: { id: payer.account.id } });
  const at = clock.now();
  const [id, escrowAccountId] = [newId(at), newId(at)];
  const sums = {
    deposited: 0n,
    buffer: 0n,
    withdrawn: 0n,
    returned: 0n,
    rateAmount: '0.01',
    ratePer: 'second',
    rateUnits: 1,
    accrued: 0,
  } as const;
  await unscoped.ledgerAccount.create({ data: { workspaceId, id: escrowAccountId, ownerId: id, kind: 'stream.escrow', currency: 'USD' } });
  await unscoped.stream.create({
    data: {
      workspaceId,
      id,
      escrowAccountId,
      fromWalletId: payer.wallet.id,
      toWalletId: payee.wallet.id,
      fromAccountId: payer.account.id,
      toAccountId: payee.account.id,
      currency: 'USD',
      status: 'paused',
      ...sums,
      checkpointAt: at,
      createdAt: at,
      updatedAt: at,
    },
  });
  await unscoped.streamCheckpoint.create({ data: { workspaceId, streamId: id, version: 1, at, status: 'paused', ...sums } });
  return { id: `str_${id}` };
}
