// Payment sessions of MPP as tests make them.
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import { type Answer, type Client, type Harness, type Json, openWallet } from '../harness.js';

/** The body of a session of 100.00 between two wallets, which the agent pays. */
export function sessionBody({ wallet, payee, agent }: { wallet: string; payee: string; agent: string }, extra: object = {}): Json {
  return {
    service_url: 'https://api.example.com/data',
    payee_wallet_id: payee,
    deposit_amount: '100.00',
    agent_id: agent,
    wallet_id: wallet,
    ...extra,
  };
}

/** The body of a payment of 1.00 between two wallets. */
export function payBody({ wallet, payee, agent }: { wallet: string; payee: string; agent: string }, extra: object = {}): Json {
  return {
    service_url: 'https://api.example.com/data',
    payee_wallet_id: payee,
    amount: '1.00',
    agent_id: agent,
    wallet_id: wallet,
    ...extra,
  };
}

/** A session between the wallets of two agents. */
export interface TestSession {
  payer: TestAgent;
  payee: TestAgent;
  /** Their wallets. */
  from: Json;
  to: Json;
  session: Json;
  /** Asks for a voucher, as the payer unless `as` says otherwise. */
  voucher(body: object, options?: { as?: string; headers?: Record<string, string> }): Promise<Answer>;
  read(): Promise<Json>;
}

/** Two agents with wallets, of which the first one has 1000.00. */
export async function newSides(client: Client): Promise<Pick<TestSession, 'payer' | 'payee' | 'from' | 'to'>> {
  const [payer, payee] = await Promise.all([
    enrol(client, { wallet: { currency: 'USD' } }),
    enrol(client, { wallet: { currency: 'USD' } }),
  ]);
  const [from, to] = [payer, payee].map(({ agent }) => ({ id: agent.default_wallet_id, currency: 'USD' })) as [Json, Json];
  await client.make(`/v1/wallets/${from.id}/fund`, { amount: '1000.00' });
  return { payer, payee, from, to };
}

/** Opens a session of 100.00 between two new agents. */
export async function newMppSession(client: Client, extra: object = {}): Promise<TestSession> {
  const sides = await newSides(client);
  const { payer, from, to } = sides;
  const body = sessionBody({ wallet: from.id, payee: to.id, agent: payer.id }, extra);
  const { body: made } = await client.post('/v1/mpp/sessions', body, { as: payer.token });
  if (made.data === undefined) throw new Error(JSON.stringify(made));
  const { id } = made.data;
  return {
    ...sides,
    session: made.data,
    voucher: (asked, { as = payer.token, headers = {} } = {}) => client.post(`/v1/mpp/sessions/${id}/vouchers`, asked, { as, headers }),
    read: async () => (await client.get(`/v1/mpp/sessions/${id}`)).body.data,
  };
}

/** A session as rows alone: it needs no money, so it can be made in production too. */
export async function storedMppSession({ platform, clock }: Harness, client: Client): Promise<Json> {
  const { unscoped } = platform.database;
  const [payer, payee] = [await openWallet(client), await openWallet(client)];
  const { workspaceId } = await unscoped.account.findFirstOrThrow({ where: { id: payer.account.id } });
  const at = clock.now();
  const [id, escrowAccountId] = [newId(at), newId(at)];
  await unscoped.ledgerAccount.create({ data: { workspaceId, id: escrowAccountId, ownerId: id, kind: 'mpp.escrow', currency: 'USD' } });
  await unscoped.mppSession.create({
    data: {
      workspaceId,
      id,
      escrowAccountId,
      serviceUrl: 'https://api.example.com/data',
      walletId: payer.wallet.id,
      payeeWalletId: payee.wallet.id,
      accountId: payer.account.id,
      payeeAccountId: payee.account.id,
      agentId: newId(at),
      currency: 'USD',
      status: 'pending',
      deposited: 1n,
      voucherKey: Buffer.alloc(32),
      sealedKey: Buffer.alloc(60),
      expiresAt: new Date(at.getTime() + 86_400_000),
      createdAt: at,
      updatedAt: at,
    },
  });
  return { id: `mses_${id}` };
}

/** A payment as a row alone: a transfer that was called off. */
export async function storedMppPayment({ platform, clock }: Harness, client: Client): Promise<Json> {
  const { unscoped } = platform.database;
  const [{ wallet }, payee] = [await openWallet(client), await openWallet(client)];
  const { workspaceId, accountId } = await unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
  const at = clock.now();
  const id = newId(at);
  await unscoped.transfer.create({
    data: {
      workspaceId,
      id,
      type: 'internal',
      status: 'cancelled',
      amount: 100n,
      currency: 'USD',
      fromAccountId: accountId,
      fromWalletId: wallet.id,
      toWalletId: payee.wallet.id,
      protocol: 'mpp',
      capture: 'automatic',
      initiatedByType: 'user',
      initiatedById: id,
      protocolMetadata: { service_url: 'https://api.example.com/data' },
      createdAt: at,
      updatedAt: at,
    },
  });
  return { id: `mpay_${id}` };
}
