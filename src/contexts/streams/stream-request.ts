// What callers ask for: a stream from one wallet to another, paid out of a first deposit (CONTRACT.md 3).
import type { Prisma, Stream, Transfer } from '../../generated/prisma/client.js';
import { openEscrowAccount } from '../../ledger/account.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { CurrencyMismatch, type FieldIssue, NotFound, ValidationFailed } from '../../platform/errors.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import type { SpendForm, SpendResult } from '../spending/pipeline/execution.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import { type SpendPlan, spendMutation } from '../spending/pipeline/spend-mutation.js';
import { SameWallet } from '../transfers/errors.js';
import { type Flow, healthAt } from './accrual.js';
import { flowData, writeCheckpoint } from './checkpoint.js';
import { depositMoney, draftStreamDeposit, readDeposit, type StreamDeposit } from './deposit.js';
import { type GivenRate, unitsPerMs } from './flow-rate.js';
import type { CreateStreamInput } from './stream.input.js';
import { viewOf } from './stream.js';

/** The rate of a request; undefined when it says none. 400 for both. */
export function flowRateOf({ flowRate, rate }: Pick<CreateStreamInput, 'flowRate' | 'rate'>): GivenRate | undefined {
  if (flowRate && rate) throw new ValidationFailed([{ path: ['flowRate'], message: 'name one of flow_rate and rate', rule: 'one_of' }]);
  return rate ?? (flowRate ? { amount: flowRate, per: 'second' } : undefined);
}

/**
 * `create` starts a stream with its first deposit, which flows from now on; or from its approval on, until which it is pending. 400, 404,
 * 422 `same_wallet` and `currency_mismatch`, and what refuses a spend. Its reference is the transfer.
 */
export const streamMutation = spendMutation({
  terms: termsOf,
  plan: planStream,
  insert: async (ctx, tx, plan: Plan, spent: SpendResult<Transfer> | null) => {
    const { value: transfer, approval } = spent as SpendResult<Transfer>;
    return { stream: viewOf(ctx, await insertStream(tx, plan, approval === null ? 'active' : 'pending')), transfer };
  },
  due: ({ stream: { row } }) => ['stream', row.dueAt],
  reference: ({ transfer: { id } }) => id,
  read: readDeposit,
});

/** What a request says by itself: sums in minor units. */
interface Terms {
  at: Date;
  rate: GivenRate;
  amount: bigint;
  buffer: bigint;
  maxTotal: bigint | null;
  endsAt: Date | null;
}

function termsOf(ctx: Ctx, input: CreateStreamInput): Terms {
  const { currency, endsAt = null } = input;
  const at = ctx.clock.now();
  const rate = flowRateOf(input);
  const issues: FieldIssue[] = [];
  if (rate === undefined) issues.push({ path: ['flowRate'], message: 'name one of flow_rate and rate', rule: 'one_of' });
  if (endsAt !== null && endsAt <= at) issues.push({ path: ['endsAt'], message: `must be after ${at.toISOString()}`, rule: 'min' });
  const amount = parseMinor(input.initialDeposit, currency, ['initialDeposit']);
  const buffer = input.buffer == null ? 0n : parseMinor(input.buffer, currency, ['buffer'], 0n);
  if (buffer >= amount) {
    const message = `must be less than the initial_deposit of ${formatMinor(amount, currency)}: it never flows`;
    issues.push({ path: ['buffer'], message, rule: 'max' });
  }
  if (rate === undefined || issues.length > 0) throw new ValidationFailed(issues);
  const maxTotal = input.maxTotal == null ? null : parseMinor(input.maxTotal, currency, ['maxTotal']);
  return { at, rate, amount, buffer, maxTotal, endsAt };
}

interface Plan {
  terms: Terms;
  deposit: StreamDeposit;
  spend: SpendPlan<Transfer>;
  metadata: CreateStreamInput['metadata'];
}

/** Reads the parties and what binds them, keeps the payer's standing, and opens the escrow. */
async function planStream(ctx: Ctx, tx: Tx, input: CreateStreamInput, terms: Terms): Promise<Plan> {
  const reader = within(ctx, tx);
  const { currency, requestApproval, metadata } = input;
  const { at, amount } = terms;
  const [from, to] = await partiesIn(reader, input);
  const authority = await authorizeSpend(reader, {
    from,
    to,
    agentId: input.agentId ?? undefined,
    protocol: 'internal',
    currency,
    amount,
    at,
    request: { path: '/v1/streams', body: () => ctx.platform.printInput('CreateStreamInput', input), amountMember: 'initial_deposit' },
    requestApproval: requestApproval === true,
  });
  const { agentId = null } = authority;
  const { walletId, accountId } = from;
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, walletId, accountId, agentIds: [from.agentId, agentId] });
  const id = newId(at);
  const stream = { id, escrowAccountId: await openEscrowAccount(ctx, tx, 'stream.escrow', id, currency) };
  const deposit: StreamDeposit = { id: newId(at), stream, subjectType: 'stream', from, to, amount, authority };
  const money = await depositMoney(ctx, tx, deposit);
  const spend = {
    authority,
    draft: (form: SpendForm) => draftStreamDeposit(ctx, deposit, money, form),
    requestApproval: requestApproval === true,
  };
  return { terms, deposit, spend, metadata };
}

async function partiesIn(ctx: Ctx, { fromWalletId, toWalletId, currency }: CreateStreamInput): Promise<[WalletRef, WalletRef]> {
  const [from, to] = [await walletRef(ctx, fromWalletId), await walletRef(ctx, toWalletId)];
  if (from === null) throw new NotFound('fromWalletId');
  if (to === null) throw new NotFound('toWalletId');
  if (fromWalletId === toWalletId) throw new SameWallet();
  for (const side of [from, to]) if (side.currency !== currency) throw new CurrencyMismatch(side.walletId, side.currency, currency);
  return [from, to];
}

async function insertStream(tx: Tx, { terms, deposit, metadata }: Plan, status: 'active' | 'pending'): Promise<Stream> {
  const { at, rate, amount, buffer, maxTotal, endsAt } = terms;
  const { stream, from, to, authority } = deposit;
  const flow: Flow = {
    status,
    currency: from.currency,
    rateUnits: unitsPerMs(rate),
    accrued: 0n,
    checkpointAt: at,
    deposited: amount,
    buffer,
    withdrawn: 0n,
    returned: 0n,
    maxTotal,
    endsAt,
  };
  const row = await tx.stream.create({
    data: {
      ...stream,
      fromWalletId: from.walletId,
      toWalletId: to.walletId,
      fromAccountId: from.accountId,
      toAccountId: to.accountId,
      fromAgentId: from.agentId,
      toAgentId: to.agentId,
      agentId: authority.agentId ?? null,
      currency: from.currency,
      rateAmount: rate.amount,
      ratePer: rate.per,
      ...flowData(flow, healthAt(flow, at)),
      metadata: (metadata ?? {}) as Prisma.InputJsonObject,
      createdAt: at,
      updatedAt: at,
    },
  });
  await writeCheckpoint(tx, row);
  return row;
}
