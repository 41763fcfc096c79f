// Reading transfers: one, a page with filters, their entries (CONTRACT.md 2).
import type { Approval, Prisma, Transfer } from '../../generated/prisma/client.js';
import { type Entry, transferEntries } from '../../ledger/entry.js';
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { countedTo, firstIdAt, type Page, type PageInput, readPage, type Source } from '../../platform/schema/page.js';
import type { Scope } from '../../platform/scope.js';
import { Visibility } from '../../platform/visibility.js';
import { readableEntries } from '../accounts/entry.js';
import { subjectTypes } from './subject.js';
import type { TransferFilters } from './transfer.input.js';
import { countTransfers, openTransferIds, type TransferChoice, transferRows } from './transfer-list.sql.js';

/**
 * Who sees which transfers: an agent those that it or one of its wallets took part in (see G-29). A customer those that its accounts pay,
 * and those without a payer that its accounts get (CONTRACT.md 18).
 */
function visibility(scope: Scope, walletIds: readonly string[]): Visibility<Prisma.TransferWhereInput> {
  const ids = [...walletIds];
  return new Visibility<Prisma.TransferWhereInput>({
    scope,
    agent: ({ id }) => ({ OR: [{ agentId: id }, { fromWalletId: { in: ids } }, { toWalletId: { in: ids } }] }),
    portal: {
      scope: 'transfers:read',
      where: ({ accountIds }) => ({
        OR: [{ fromAccountId: { in: [...accountIds] } }, { fromAccountId: null, toAccountId: { in: [...accountIds] } }],
      }),
    },
  });
}

/** Who sees transfers, those that are shown as something else with the scope of that. */
async function visibilityFor(ctx: Ctx, scope: Scope): Promise<Visibility<Prisma.TransferWhereInput>> {
  const { agent } = ctx.actor;
  const own = agent === undefined ? [] : await ctx.db.wallet.findMany({ where: { agentId: agent.id }, select: { id: true } });
  return visibility(
    scope,
    own.map(({ id }) => id),
  );
}

/** The transfers that the actor sees, as a filter. */
export async function visibleTransfers(ctx: Ctx, scope: Scope = 'transfers:read'): Promise<Prisma.TransferWhereInput> {
  return (await visibilityFor(ctx, scope)).where(ctx);
}

/** The transfers that the actor may name, as a filter: for what is done with them. */
export async function reachableTransfers(ctx: Ctx): Promise<Prisma.TransferWhereInput> {
  return (await visibilityFor(ctx, 'transfers:read')).reach(ctx);
}

/** The transfer, or 404. `scope` is that of what it is shown as. */
export async function transfer(ctx: Ctx, id: string, scope?: Scope): Promise<Transfer> {
  const found = await ctx.db.transfer.findFirst({ where: { AND: [{ id }, await visibleTransfers(ctx, scope)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The transfer that a request is about, which it need not be allowed to read; or 404. */
export async function namedTransfer(ctx: Ctx, id: string): Promise<Transfer> {
  const found = await ctx.db.transfer.findFirst({ where: { AND: [{ id }, await reachableTransfers(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

const paidAsTransfer: ReadonlySet<string> = new Set(['transfer', 'mpp_payment', 'card_charge']);

// Gap G-425: An approved MPP payment of an x402 endpoint shows `payment` and `transfer`; `batch_item` is beside them.
/** The transfer that an approval was about; null for what shows another noun. A payment of an endpoint by MPP shows both. */
export async function approvedTransfer(ctx: Ctx, { subjectType, transferId }: Approval): Promise<Transfer | null> {
  if (transferId === null || !(paidAsTransfer.has(subjectType) || subjectType === 'x402_payment')) return null;
  const found = await transfer(ctx, transferId);
  return subjectType === 'x402_payment' && found.protocol !== 'mpp' ? null : found;
}

/** More entries than the life of a transfer makes: setting aside, paying out, giving back. */
export const mostTransferEntries = 100;

/** The entries of all its ledger transactions, oldest first, as far as the actor may read their wallets. 404 for an unknown one. */
export async function entriesOfTransfer(ctx: Ctx, id: string): Promise<Entry[]> {
  await transfer(ctx, id);
  return readableEntries(ctx, await transferEntries(ctx, id));
}

/** Transfers that are still to happen from or to one of the wallets: a hold to be captured, or one that waits for its time. */
export async function openTransfers(ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const openedBy = (side: 'payer' | 'payee') => subjectTypes(ctx, ({ openBy }) => openBy?.includes(side) === true);
  const others = { payer: openedBy('payer'), payee: openedBy('payee') };
  const open = await openTransferIds(tx, ctx.workspace.id, walletIds, others, most);
  return open.map((id) => ({
    type: 'transfer',
    id: printId('transfer', id),
    ends: { rel: 'cancel', actor: 'any', method: 'POST', path: `/v1/transfers/${id}/cancel` },
  }));
}

export type TransferFilter = PageInput & TransferFilters;

// Gap G-49: `min_amount` and `max_amount` need `currency`, because amounts of different currencies are not compared.
/** Transfers, newest first. Amounts are compared within one currency, so `currency` goes with them (400 otherwise). */
export function transfers(ctx: Ctx, filter: TransferFilter): Promise<Page<Transfer>> {
  const choice = choiceOf(ctx, filter);
  const source: Source<Transfer> = {
    read: (window) => transferRows(ctx, choice, window),
    count: (most) => countedTo(most, (take) => countTransfers(ctx, choice, take)),
    parse: (text) => parseId('transfer', text),
  };
  return readPage(ctx, 'transfer', source, filter);
}

/** The id of no agent: an actor that is none, and does not see the whole workspace, sees no transfer. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** What the filters of a request choose, of what its actor sees. */
export function choiceOf(ctx: Ctx, filter: TransferFilter): TransferChoice {
  const equal: TransferChoice['equal'] = {};
  for (const field of ['status', 'type', 'protocol', 'currency', 'reference'] as const) if (filter[field]) equal[field] = filter[field];
  const { since, until } = filter;
  return {
    ...seenBy(ctx),
    equal,
    walletId: filter.walletId ?? undefined,
    batchId: filter.batchId ?? undefined,
    streamId: filter.streamId ?? undefined,
    quoteId: filter.quoteId ?? undefined,
    mandateId: filter.mandateId ?? undefined,
    agentId: filter.agentId ?? undefined,
    accountId: filter.accountId ?? undefined,
    fromAccountId: filter.fromAccountId ?? undefined,
    toAccountId: filter.toAccountId ?? undefined,
    ...amountsOf(filter),
    from: since ? firstIdAt(since) : undefined,
    below: until ? firstIdAt(until) : undefined,
  };
}

/** What the actor sees, as the list chooses rows by it. */
function seenBy(ctx: Ctx): Pick<TransferChoice, 'visibleTo' | 'customerAccounts'> {
  if (visibility('transfers:read', []).isWhole(ctx)) return {};
  const { agent, customer } = ctx.actor;
  return customer === undefined ? { visibleTo: agent?.id ?? nobody } : { customerAccounts: customer.accountIds };
}

function amountsOf({ currency, minAmount, maxAmount }: TransferFilter): Pick<TransferChoice, 'least' | 'most'> {
  if (!minAmount && !maxAmount) return {};
  if (!currency) throw new ValidationFailed([{ path: ['currency'], message: 'goes with min_amount and max_amount', rule: 'required' }]);
  return {
    least: minAmount ? parseMinor(minAmount, currency, ['minAmount'], 0n) : undefined,
    most: maxAmount ? parseMinor(maxAmount, currency, ['maxAmount'], 0n) : undefined,
  };
}
