// Things that tests of cards need: vaulted cards, and parcels, which cards pay for here.

import { walletRef } from '../../src/contexts/accounts/wallet-ref.js';
import { type ChargeInput, type OpenedCharge, openCharge, planCharge, ringCharge } from '../../src/contexts/cards/charge/charge-request.js';
import { type ChargeOutcome, type ChargeSubject, chargeSubjects } from '../../src/contexts/cards/charge/charge-subject.js';
import { manifest } from '../../src/contexts.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { transact } from '../../src/platform/idempotency.js';
import { parseMinor } from '../../src/platform/money.js';
import { createCtx } from '../../src/platform/request.js';
import { newId, parseAnyId } from '../../src/platform/schema/id.js';
import type { Client, Harness, Json } from '../harness.js';
import { newSeller } from './mandate.js';
import { newAccount } from './payment.js';

export function cardBody(accountId: string, extra: object = {}): Json {
  return {
    account_id: accountId,
    processor: 'simulated',
    processor_token: 'tok_visa',
    card_last_four: '4242',
    card_brand: 'visa',
    expiry_month: 12,
    expiry_year: 2030,
    ...extra,
  };
}

/** A card of an account, a new one by default. */
export async function newCard(client: Client, extra: object = {}, account?: Json): Promise<Json> {
  const { id } = account ?? (await newAccount(client));
  return client.make('/v1/cards/vault', cardBody(id, extra));
}

/** A card as it would stand in the workspace of a client: production has no processor to vault one. */
export async function storedCard({ platform, clock }: Harness, client: Client): Promise<Json> {
  const account = await newAccount(client);
  const { workspaceId } = await platform.database.unscoped.account.findFirstOrThrow({ where: { id: account.id } });
  const at = clock.now();
  const id = newId(at);
  const said = { processor: 'simulated', cardLastFour: '4242', cardBrand: 'visa', expiryMonth: 12, expiryYear: 2030 };
  const sealedToken = platform.vault.seal('tok_visa', id);
  await platform.database.unscoped.vaultedCard.create({
    data: { workspaceId, id, accountId: account.id, sealedToken, createdAt: at, ...said },
  });
  return { id: `card_${id}` };
}

/** What became of parcels, by id, in the order in which it was told. */
const told = new Map<string, ChargeOutcome[]>();
const parcel: ChargeSubject = {
  lock: async () => {},
  settle: async (_ctx, _tx, { subjectId }, outcome) => told.set(subjectId, [...(told.get(subjectId) ?? []), outcome]),
};

/** What was told of the parcel of a charge. */
export const toldOfParcel = ({ charge }: Pick<OpenedCharge, 'charge'>): ChargeOutcome[] => told.get(charge.subjectId) ?? [];

/** The ctx of a request with this credential. */
export async function ctxAs({ platform }: Pick<Harness, 'platform'>, token: string): Promise<Ctx> {
  const resolver = manifest.credentials.find(({ prefix }) => token.startsWith(prefix));
  if (resolver === undefined) throw new Error('nobody knows the credential');
  return createCtx(platform, await resolver.resolve(platform, token, 'test'), { requestId: 'req_card', ip: '127.0.0.1' });
}

/** A card, and a merchant whose wallet it pays. */
export interface Buyer {
  card: Json;
  merchant: Json;
  currency: string;
}

export async function newBuyer(
  client: Client,
  { token = 'tok_ok', currency = 'USD', account, ...extra }: { token?: string; currency?: string; account?: Json; agent_id?: string } = {},
): Promise<Buyer> {
  const card = await newCard(client, { processor_token: token, ...extra }, account);
  return { card, merchant: await newSeller(client, currency), currency };
}

type Extra = Partial<Omit<ChargeInput, 'amount'>> & { as?: string };

/** The plan of a charge for a new parcel, as the one with this credential asks for it. */
export async function planFor(harness: Harness, { card, merchant, currency }: Buyer, amount: string, { as, ...extra }: Extra = {}) {
  const subjects = harness.platform.extensions.of(chargeSubjects);
  if (!subjects.has('parcel')) subjects.add('parcel', parcel);
  const ctx = await ctxAs(harness, as ?? harness.test.key);
  const to = await walletRef(ctx, merchant.settlement_wallet_id);
  if (to === null) throw new Error('the merchant has no wallet');
  const plan = await planCharge(ctx, {
    cardId: parseAnyId(card.id) ?? '',
    field: 'paymentMethodId',
    subject: { type: 'parcel', id: newId(ctx.clock.now()) },
    protocol: 'acp',
    merchantId: parseAnyId(merchant.id) ?? '',
    to,
    amount: parseMinor(amount, currency, ['amount']),
    currency: currency as ChargeInput['currency'],
    ...extra,
  });
  return { ctx, plan };
}

/** Opens a charge for a new parcel, as a context that is paid by card does. */
export async function charge(harness: Harness, buyer: Buyer, amount = '100.00', extra: Extra = {}): Promise<OpenedCharge> {
  const { ctx, plan } = await planFor(harness, buyer, amount, extra);
  const opened = await transact(
    ctx,
    (tx) => openCharge(ctx, tx, plan),
    ({ charge: { id } }) => id,
  );
  ringCharge(ctx, opened);
  return opened;
}

/** The rows of the rail's books and of its statement. */
export async function booksOfCharge(
  { platform }: Harness,
  { charge: { id } }: OpenedCharge,
): Promise<{ orders: Json[]; statement: Json[] }> {
  const { railReference } = await platform.database.unscoped.cardCharge.findFirstOrThrow({ where: { id } });
  const where = { reference: railReference ?? '' };
  const orders = await platform.database.unscoped.railOrder.findMany({ where });
  const statement = await platform.database.unscoped.railStatement.findMany({ where, orderBy: { id: 'asc' } });
  return { orders, statement };
}
