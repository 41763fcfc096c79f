// Things that tests of funding need: money on its way into a wallet, and short ways to read what became of it.
import { newId } from '../../src/platform/schema/id.js';
import { type Client, type Harness, type Json, openWallet } from '../harness.js';

/** The provider and the type of each rail, and the currency of a wallet that it reaches. */
export const ways = {
  'card-simulated-us': { provider: 'simulated-us', type: 'card', currency: 'USD' },
  'card-simulated-eu': { provider: 'simulated-eu', type: 'card', currency: 'EUR' },
  ach: { provider: 'simulated-us', type: 'bank_transfer', currency: 'USD' },
  wire: { provider: 'simulated-wire', type: 'bank_transfer', currency: 'USD' },
  sepa: { provider: 'simulated-eu', type: 'bank_transfer', currency: 'EUR' },
  pix: { provider: 'simulated-br', type: 'bank_transfer', currency: 'BRL' },
  spei: { provider: 'simulated-mx', type: 'bank_transfer', currency: 'MXN' },
  'usdc-base': { provider: 'simulated-base', type: 'stablecoin', currency: 'USDC' },
  sandbox: { provider: 'sandbox', type: 'sandbox', currency: 'USD' },
} as const;
export type Way = keyof typeof ways;

export function fundingBody({ id }: Json, rail: Way = 'card-simulated-us', extra: object = {}): Json {
  return { ...ways[rail], wallet_id: id, amount: '100.00', ...extra };
}

/** Money on its way into a wallet, a new one by default. */
export async function newFunding(client: Client, rail: Way = 'card-simulated-us', extra: object = {}, into?: Json): Promise<Json> {
  const wallet = into ?? (await openWallet(client, { currency: ways[rail].currency })).wallet;
  return client.make('/v1/funding/transactions', fundingBody(wallet, rail, extra));
}

export async function readFunding(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/funding/transactions/${id}`)).body.data;
}

/** A funding transaction as it would stand in the workspace of a client: production has no rail to make one. */
export async function storedFunding({ platform, clock }: Harness, client: Client): Promise<Json> {
  const { wallet } = await openWallet(client);
  const { workspaceId } = await platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
  const at = clock.now();
  const id = newId(at);
  const about = { workspaceId, id, transferId: newId(at), walletId: wallet.id, lane: newId(at), createdAt: at, provider: 'simulated-us' };
  const money = { amount: 100n, fee: 3n, currency: 'USD', rail: 'card-simulated-us', type: 'card', status: 'pending' } as const;
  await platform.database.unscoped.fundingTransaction.create({ data: { ...about, ...money } });
  return { id: `fnd_${id}` };
}

/** The types of what was told of its transfer, oldest first. */
export async function toldOfFunding({ platform }: Harness, { transfer_id: objectId }: Json): Promise<string[]> {
  const events = await platform.database.unscoped.event.findMany({ where: { objectId }, orderBy: { id: 'asc' }, select: { type: true } });
  return events.map(({ type }) => type);
}

/** The rows of the rail's books and of its statement. */
export async function booksOfFunding({ platform }: Harness, { id }: Json): Promise<{ orders: Json[]; statement: Json[] }> {
  const { railReference } = await platform.database.unscoped.fundingTransaction.findFirstOrThrow({ where: { id: id.slice(4) } });
  const where = { reference: railReference ?? '' };
  const orders = await platform.database.unscoped.railOrder.findMany({ where });
  const statement = await platform.database.unscoped.railStatement.findMany({ where, orderBy: { id: 'asc' } });
  return { orders, statement };
}
