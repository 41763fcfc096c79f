// What becomes of money that reached the address of a wallet. The watch says what the chain says; here it is told to the wallet: expected when
// it is seen, credited when it is deep, given up when the chain has taken it back for good (CONTRACT.md 27 "Deposits").
import type { ChainArrival } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { openDeposit, refuseDeposit, settleDeposit } from '../funding/deposit.js';
import { depositProvider } from '../funding/provider.js';
import { reasonOfCode } from '../settlement/rail/rail-code.js';
import type { EvmChain } from './chain.js';
import { evmChains } from './configured-chain.js';
import { lastSeen } from './watch.sql.js';

const currency = 'USDC';
/** What waits for a person, or for a file that names its chain again, is looked at again after so many seconds. */
const patienceSeconds = 3_600;
/** What the chain has taken back is looked at again after so many seconds, until it can come no more. */
const goneSeconds = 30;

/** The due step of what has reached a wallet. */
export async function stepArrival(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db.chainArrival.findFirst({ where: { id } });
  if (found === null || found.dueAt === null || found.dueAt > ctx.clock.now()) return;
  const chain = ctx.platform.extensions.of(evmChains).find(({ chainId }) => chainId === found.chainId);
  if (chain === undefined) {
    ctx.log.error({ rail: found.rail, arrival: id }, 'RAILS_FILE names the chain of a deposit no more: it waits');
    return wait(ctx, found, patienceSeconds);
  }
  const isGone = found.state === 'gone' && found.fundingId !== null;
  if (isGone && !(await isPassed(ctx, chain, found.blockNumber))) return wait(ctx, found, goneSeconds);
  const fundingId = newId(ctx.clock.now());
  const told = isDeposit(chain, found) ? toldAs(ctx, found.fundingId ?? fundingId) : ctx;
  const after = await transact(told, async (tx) => {
    const row = await lockRow(tx.chainArrival, id);
    const isSame = row.state === found.state && row.blockNumber === found.blockNumber && row.paymentId === found.paymentId;
    // The watch has said something else meanwhile: the row is due.
    const next = isSame ? await nextOf({ ctx: told, tx, chain, fundingId }, row) : { dueAt: row.dueAt };
    return tx.chainArrival.update({ where: rowKey(ctx, id), data: { ...next, leaseUntil: null } });
  });
  if (after.dueAt !== null) ringAt(ctx, 'chain_arrival', after.dueAt);
}

/** True for what is credited here: it is no x402 payment, and not too little. What was expected once is so, whatever the file says since. */
function isDeposit({ setting }: EvmChain, { paymentId, fundingId, value }: ChainArrival): boolean {
  return paymentId === null && (fundingId !== null || value >= setting.deposit_minimum);
}

/** The audit log is told of the deposit, not of the row that keeps its books. */
function toldAs(ctx: Ctx, fundingId: string): Ctx {
  const resourceType = 'funding_transaction';
  return { ...ctx, act: { action: `due.${resourceType}`, resourceType, resourceId: fundingId } };
}

/** Nothing happens now. What the watch has said of the row meanwhile stays due. */
async function wait(ctx: Ctx, { id, state }: ChainArrival, seconds: number): Promise<void> {
  const dueAt = addSeconds(ctx.clock.now(), seconds);
  await ctx.db.chainArrival.updateMany({ where: { id, state }, data: { dueAt } });
  await ctx.db.chainArrival.updateMany({ where: { id }, data: { leaseUntil: null } });
  ringAt(ctx, 'chain_arrival', dueAt);
}

/** True where the chain is known to be deep at a height, and was read beyond it: what was there and is not will not be. */
async function isPassed(ctx: Ctx, chain: EvmChain, height: bigint): Promise<boolean> {
  const { platform } = ctx;
  const last = await lastSeen(platform.database.pool, chain.chainId);
  if (last === null || last.number < height) return false;
  const nodes = await chain.nodes(platform);
  const head = await nodes.head();
  if (head.state === 'unknown') return false;
  const deep = await nodes.deep(chain.credit, head.value);
  return deep.state === 'known' && deep.value !== null && deep.value.number >= height;
}

interface Step {
  ctx: Ctx;
  tx: Tx;
  chain: EvmChain;
  /** The id of the funding transaction, if one is made. */
  fundingId: string;
}

type Next = Partial<Pick<ChainArrival, 'state' | 'fundingId'>> & { dueAt: Date | null };

/** Takes the step of a row under its lock. */
async function nextOf(step: Step, row: ChainArrival): Promise<Next> {
  const isOurs = isDeposit(step.chain, row);
  if (row.paymentId !== null && row.fundingId !== null) await refuse(step, row.fundingId, 'paid_by_x402');
  switch (row.state) {
    case 'seen':
      return { ...(isOurs ? { fundingId: await openOnce(step, row) } : {}), dueAt: null };
    case 'deep':
      await bookLine(step, row);
      return isOurs ? credit(step, row) : { state: 'booked', dueAt: null };
    case 'gone':
      if (row.fundingId !== null) await refuse(step, row.fundingId, 'reorged');
      return { dueAt: null };
    case 'booked':
      return { dueAt: null };
  }
}

// Gap G-856: A deposit for a wallet that was closed stands on the statement and waits, until its operator pays it back over the chain.
async function credit(step: Step, row: ChainArrival): Promise<Next> {
  const { ctx, tx } = step;
  const { status } = await tx.wallet.findFirstOrThrow({ where: { id: row.walletId }, select: { status: true } });
  if (status === 'closed') {
    ctx.log.error({ rail: row.rail, arrival: row.id, txHash: row.txHash }, 'a deposit has reached a wallet that is closed: it waits');
    return { dueAt: addSeconds(ctx.clock.now(), patienceSeconds) };
  }
  const fundingId = await openOnce(step, row);
  await settleDeposit(ctx, tx, fundingId);
  return { state: 'booked', fundingId, dueAt: null };
}

/** The funding transaction of a deposit: one that has failed is followed by another when the money comes again. */
async function openOnce({ ctx, tx, fundingId }: Step, row: ChainArrival): Promise<string> {
  const before = row.fundingId === null ? null : await lockRow(tx.fundingTransaction, row.fundingId);
  if (before !== null && before.status !== 'failed') return before.id;
  const { rail, walletId, value: amount, txHash, place } = row;
  const known = { provider: depositProvider, type: 'stablecoin', rail, walletId, amount, currency } as const;
  const made = await openDeposit(ctx, tx, { ...known, id: fundingId, sourceRef: `${txHash}:${place}`, railReference: referenceOf(row) });
  return made.id;
}

function refuse({ ctx, tx }: Step, fundingId: string, code: 'reorged' | 'paid_by_x402') {
  return refuseDeposit(ctx, tx, fundingId, { code, reason: reasonOfCode(code) });
}

/** What the statement calls it: the transaction, which as a rule pays one wallet here. */
function referenceOf({ txHash, place, paymentId }: ChainArrival): string {
  return place === 0 || paymentId !== null ? txHash : `${txHash}:${place}`;
}

/** What the chain has booked is a line of the rail's statement, once. */
async function bookLine({ ctx, tx }: Step, row: ChainArrival): Promise<void> {
  const { rail, value: amount, paymentId } = row;
  const reference = referenceOf(row);
  const description = paymentId === null ? 'deposit' : 'x402';
  // A deposit that waits has its line already. Payments that one transaction carries have lines of one reference.
  const where = { rail, reference, direction: 'credit', description } as const;
  if (paymentId === null && (await tx.railStatement.findFirst({ where, select: { id: true } })) !== null) return;
  const bookedAt = ctx.clock.now();
  await tx.railStatement.create({
    data: { id: newId(bookedAt), rail, reference, amount, currency, direction: 'credit', description, bookedAt },
  });
}
