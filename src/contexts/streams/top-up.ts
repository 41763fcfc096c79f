// More money for a stream that is open (CONTRACT.md 3). A top-up is a spend like the first deposit; one that waits for an approval leaves
// the stream as it is.
import type { Stream, Transfer } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId, printId } from '../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import type { SpendForm, SpendResult } from '../spending/pipeline/execution.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import { type SpendPlan, spendMutation } from '../spending/pipeline/spend-mutation.js';
import { checkpointed } from './accrual.js';
import { beginChange, type Changing, checkOpen, lockPayerOf } from './change.js';
import { saveFlow } from './checkpoint.js';
import { depositMoney, draftStreamDeposit, readDeposit, type StreamDeposit } from './deposit.js';
import type { TopUpStreamInput } from './stream.input.js';
import { viewOf } from './stream.js';

/** `create` puts more money into a stream. An exhausted one flows again. 400, 403, 404, 409, and what refuses a spend. */
export const topUpStreamMutation = spendMutation({
  terms: () => null,
  plan: planTopUp,
  insert: async (ctx, tx, { changing, deposit }: TopUpPlan, spent: SpendResult<Transfer> | null) => {
    const { value: transfer, approval } = spent as SpendResult<Transfer>;
    const row = approval === null ? await addToStream(ctx, tx, changing, deposit.amount) : changing.row;
    return { stream: viewOf(ctx, row), transfer };
  },
  due: ({ stream: { row } }) => ['stream', row.dueAt],
  reference: ({ transfer: { id } }) => id,
  read: readDeposit,
});

/** Writes that a stream has more money. What was exhausted flows again. */
export function addToStream(ctx: Ctx, tx: Tx, { row, flow, at }: Changing, amount: bigint): Promise<Stream> {
  const status = flow.status === 'exhausted' ? 'active' : flow.status;
  return saveFlow(ctx, tx, row, checkpointed(flow, at, { status, deposited: flow.deposited + amount }));
}

/** What is ever put into one stream, minor units: as much as a wallet can hold, which leaves room for what waits for approvals. */
const mostDeposited = 9n * 10n ** 17n;

function tooMuchDeposited(currency: string): ValidationFailed {
  const message = `would make more than the ${formatMinor(mostDeposited, currency)} that are ever put into one stream`;
  return new ValidationFailed([{ path: ['amount'], message, rule: 'max' }]);
}

interface TopUpPlan {
  changing: Changing;
  deposit: StreamDeposit;
  spend: SpendPlan<Transfer>;
}

async function planTopUp(ctx: Ctx, tx: Tx, input: TopUpStreamInput & { id: string }): Promise<TopUpPlan> {
  const { id, amount: text, agentId, requestApproval } = input;
  const reader = within(ctx, tx);
  await lockPayerOf(ctx, tx, id);
  const changing = await beginChange(ctx, tx, id, 'payer');
  checkOpen(changing);
  const { row, at } = changing;
  const { currency } = row;
  const amount = parseMinor(text, currency, ['amount']);
  if (changing.flow.deposited + amount > mostDeposited) throw tooMuchDeposited(currency);
  const { from, to } = await streamSidesOf(reader, row);
  const authority = await authorizeSpend(reader, {
    from,
    to,
    // Whoever tops up for the agent of the stream is bound as it is.
    agentId: agentId ?? (ctx.actor.agent === undefined ? (row.agentId ?? undefined) : undefined),
    protocol: 'internal',
    currency,
    amount,
    at,
    request: { path: `/v1/streams/${printId('stream', id)}/top-up`, body: () => ctx.platform.printInput('TopUpStreamInput', input) },
    requestApproval: requestApproval === true,
  });
  const deposit: StreamDeposit = { id: newId(at), stream: row, subjectType: 'stream_top_up', from, to, amount, authority };
  const money = await depositMoney(ctx, tx, deposit);
  const draft = (form: SpendForm) => draftStreamDeposit(ctx, deposit, money, form);
  return { changing, deposit, spend: { authority, draft, requestApproval: requestApproval === true } };
}

/** The wallets of a stream. */
export async function streamSidesOf(ctx: Ctx, { id, fromWalletId, toWalletId }: Stream): Promise<{ from: WalletRef; to: WalletRef }> {
  const [from, to] = [await walletRef(ctx, fromWalletId), await walletRef(ctx, toWalletId)];
  if (from === null || to === null) throw new Error(`stream ${id} has no wallets`);
  return { from, to };
}
