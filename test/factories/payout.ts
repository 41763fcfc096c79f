// Things that tests of payouts need: bank accounts, payouts at each stage, and short ways to read what became of them.
import { signCallback } from '../../src/contexts/settlement/rail/callback.js';
import { newId } from '../../src/platform/schema/id.js';
import { type Answer, type Client, type Harness, type Json, openWallet } from '../harness.js';

/** Details that are right, by rail. */
export const rightDetails: Readonly<Record<string, object>> = {
  ach: { routing_number: '021000021', account_number: '123456789' },
  wire: { bic: 'DEUTDEFF500', account_number: 'DE89370400440532013000' },
  sepa: { iban: 'DE89 3704 0044 0532 0130 00' },
  pix: { key: '529.982.247-25'.replaceAll(/[.-]/g, '') },
  spei: { clabe: '032180000118359719' },
};
export const currencyOf: Readonly<Record<string, string>> = { ach: 'USD', wire: 'USD', sepa: 'EUR', pix: 'BRL', spei: 'MXN' };

export const address = '0x52908400098527886E0F7030069857D2E4169EE7';
export const solanaAddress = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

export function newBankAccount(client: Client, accountId: string, rail = 'ach', extra: object = {}): Promise<Json> {
  return client.make('/v1/bank-accounts', {
    account_id: accountId,
    rail,
    holder_name: 'Ada Lovelace',
    details: rightDetails[rail],
    ...extra,
  });
}

/** A wallet with money, and a bank account of its account that its currency can go to. */
export async function newPayer(client: Client, rail = 'ach', funded: string | undefined = '1000.00') {
  const { account, wallet } = await openWallet(client, { currency: currencyOf[rail] ?? 'USDC', ...(funded && { funded }) });
  const bank = currencyOf[rail] === undefined ? undefined : await newBankAccount(client, account.id, rail);
  return { account, wallet, bank };
}

type Payer = Awaited<ReturnType<typeof newPayer>>;

export function payoutBody({ wallet, bank }: Payer, extra: object = {}): Json {
  const destination = bank === undefined ? { type: 'wallet', ref: address } : { type: 'bank', ref: bank.id };
  return { wallet_id: wallet.id, amount: '100.00', currency: wallet.currency, destination, ...extra };
}

export function newPayout(client: Client, payer: Payer, extra: object = {}): Promise<Json> {
  return client.make('/v1/payouts', payoutBody(payer, extra));
}

/** A payout as it would stand in the workspace of a client: production has no rail to make one. */
export async function storedPayout({ platform, clock }: Harness, client: Client): Promise<Json> {
  const { wallet } = await openWallet(client);
  const { workspaceId } = await platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
  const at = clock.now();
  const id = newId(at);
  const about = { workspaceId, id, transferId: newId(at), walletId: wallet.id, lane: newId(at), createdAt: at };
  const money = { amount: 100n, fee: 25n, currency: 'USD', rail: 'ach', destinationType: 'bank', destinationRef: 'ba_1' } as const;
  await platform.database.unscoped.payout.create({ data: { ...about, ...money, status: 'pending' } });
  return { id: `po_${id}` };
}

export async function readPayout(client: Client, { id }: Json): Promise<Json> {
  return (await client.get(`/v1/payouts/${id}`)).body.data;
}

export async function readTransfer(client: Client, { transfer_id: id }: Json): Promise<Json> {
  return (await client.get(`/v1/transfers/${id}`)).body.data;
}

/** Types of what was told of a payout and of its transfer, oldest first. */
export async function toldOf(
  { platform }: Harness,
  { id, transfer_id: transferId }: Json,
): Promise<{ payout: string[]; transfer: string[] }> {
  const read = async (objectId: string) =>
    (await platform.database.unscoped.event.findMany({ where: { objectId }, orderBy: { id: 'asc' }, select: { type: true } })).map(
      ({ type }) => type,
    );
  return { payout: await read(id.slice('po_'.length)), transfer: await read(transferId) };
}

/** Balances of the workspace's own accounts of a kind. */
export async function ownBalance({ platform }: Harness, wallet: Json, kind: string, currency = wallet.currency): Promise<bigint> {
  const { workspaceId } = await platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
  const row = await platform.database.unscoped.ledgerAccount.findFirst({ where: { workspaceId, ownerId: workspaceId, kind, currency } });
  return row?.balance ?? 0n;
}

/** The rows of the rail's books and of its statement. */
export async function booksOf({ platform }: Harness, payout: Json): Promise<{ orders: Json[]; statement: Json[] }> {
  const where = {
    reference: (await platform.database.unscoped.payout.findFirstOrThrow({ where: { id: payout.id.slice(3) } })).railReference ?? '',
  };
  const orders = await platform.database.unscoped.railOrder.findMany({ where });
  const statement = await platform.database.unscoped.railStatement.findMany({ where, orderBy: { id: 'asc' } });
  return { orders, statement };
}

/** What a provider sends of a payout. */
export async function callbackOf({ platform }: Pick<Harness, 'platform'>, payout: Json, extra: object = {}): Promise<Json> {
  const row = await platform.database.unscoped.payout.findFirstOrThrow({ where: { id: payout.id.slice(3) } });
  return {
    workspace: row.workspaceId,
    reference: row.railReference,
    state: 'settled',
    amount: payout.amount,
    currency: payout.currency,
    ...extra,
  };
}

/** Sends a callback over HTTP, signed as it should be unless `signature` says otherwise. */
export function sendSigned(
  { platform, test }: Harness,
  rail: string,
  body: Json,
  { signature, at = platform.clock.now(), client = test }: { signature?: string; at?: Date; client?: Client } = {},
): Promise<Answer> {
  const raw = JSON.stringify(body);
  const own = signCallback(platform.vault, { workspaceId: body.workspace, rail, at }, Buffer.from(raw));
  const headers: Record<string, string> = signature === '' ? {} : { 'X-Rail-Signature': signature ?? own };
  return client.call('POST', `/v1/rails/${rail}/callbacks`, { as: null, raw, headers });
}
