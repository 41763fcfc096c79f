// Reading a chain: block after block by their parents, back to the common ancestor where it has gone another way, and the logs of each about
// addresses of ours. What is deep decides, and what is not is only expected (CONTRACT.md 27 "Chains").
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { askedSince, deepenArrivals, watchedAuthorizers } from './arrival-log.sql.js';
import { type Reading, readContent, type Watched } from './block-content.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import { findUse, readAllDeposits } from './late-reading.js';
import { reorgs } from './metric.js';
import { admitAnswers, claimArrival } from './payer-payment.sql.js';
import { type ChainPaymentRow, cancelledUpTo, expiredBy, markSeen, movePayment, usedUpTo, wake } from './payment.sql.js';
import { treasuryAddresses } from './proof.sql.js';
import type { Known } from './quorum.js';
import { decidedTo, noteDecided } from './resumption.sql.js';
import { authorizationStateCall, readFlag } from './token.js';
import { addBlock, forgetBlocks, lastSeen, removeLast, type SeenBlock, seenAt, transferOf } from './watch.sql.js';

/** Blocks that one look reads at most. */
const mostBlocks = 100;
/** Blocks that are kept below the deep one. */
const keptBelow = 256n;
/** While the head stays the same blocks are not read again, for at most so long. */
const sameSeconds = 10;

/** What is known of a chain now. */
export interface View {
  head: Block;
  /** The block up to which money is booked; null while the chain is not so long, or what was read does not reach it yet. */
  deep: Block | null;
  /** False where the head is still the one of the look before. */
  isNew: boolean;
}

/** The last look of this process at each chain that found everything, and when it was. */
const lastLooks = new WeakMap<EvmChain, { view: View; at: Date }>();

/** Somebody must look: what was read and is deep is in the chain no more. */
export class DeepReorg extends Error {}

/** Addresses that were asked for within so many seconds are watched at every block, at most so many: with the treasuries they fit into one question. */
const askedSeconds = 3_600;
const mostAsked = 900;

/** Reads what is new of a chain, and decides what its deep part decides. Null where nobody knows: nothing is decided. */
export async function look(platform: Platform, chain: EvmChain, treasury: ChainAddress): Promise<View | null> {
  const nodes = await chain.nodes(platform);
  const reading = { platform, chain, nodes };
  const known = await nodes.head();
  if (known.state === 'unknown') return null;
  const head = known.value;
  const at = platform.clock.now();
  const before = lastLooks.get(chain);
  if (before?.view.head.hash === head.hash && at < addSeconds(before.at, sameSeconds)) {
    if (before.view.deep !== null) await decide(reading, before.view.deep, treasury);
    return { ...before.view, isNew: false };
  }
  const deepest = await nodes.deep(chain.credit, head);
  if (deepest.state === 'unknown') return null;
  const isRead = await readUpTo(reading, { known, deep: deepest.value, watched: await watchedNow(reading, treasury) });
  if (!isRead) return { head, deep: null, isNew: true };
  await answer(reading, head);
  const deep = await readDeep(platform, chain, deepest.value);
  if (deep !== null) await decide(reading, deep, treasury);
  const view = { head, deep, isNew: true };
  lastLooks.set(chain, { view, at });
  return view;
}

async function watchedNow({ platform, chain }: Reading, treasury: ChainAddress): Promise<Watched> {
  const { pool } = platform.database;
  const since = addSeconds(platform.clock.now(), -askedSeconds);
  const authorizers = await watchedAuthorizers(pool, chain.chainId);
  const payees = await askedSince(pool, chain.chainId, since, mostAsked);
  const treasuries = await treasuryAddresses(pool, chain.chainId, treasury);
  return { authorizers: [...new Set([...treasuries, ...authorizers])], payees: [...treasuries, ...payees] };
}

/** True where everything up to the head was read. */
async function readUpTo(
  reading: Reading,
  { known, deep, watched }: { known: Known<Block> & { state: 'known' }; deep: Block | null; watched: Watched },
): Promise<boolean> {
  const { platform, chain, nodes } = reading;
  const { pool } = platform.database;
  const head = known.value;
  let last = await lastSeen(pool, chain.chainId);
  if (last === null) {
    // Before the first look nothing of ours was there.
    const first = deep ?? head;
    await addBlock(pool, chain.chainId, first, { logs: [], arrivals: [] }, platform.clock.now());
    last = first;
  }
  for (let steps = 0; steps < mostBlocks; steps += 1) {
    const isBehind = last.number < head.number;
    const height: bigint = isBehind ? last.number + 1n : head.number;
    const found: Known<Block> = height === head.number ? known : await nodes.blockAt(height);
    if (found.state === 'unknown') return false;
    if (!isBehind) {
      const there = last.number === head.number ? last : await seenAt(pool, chain.chainId, head.number);
      if (there === null || there.hash === found.value.hash) return there !== null && last.number === head.number;
      last = await goBack(platform, chain, last);
    } else if (found.value.parentHash === last.hash) {
      const content = await readContent(reading, found.value, watched);
      if (content === null || !(await addBlock(pool, chain.chainId, found.value, content, platform.clock.now()))) return false;
      ring(platform);
      last = found.value;
    } else last = await goBack(platform, chain, last);
  }
  return last.number === head.number;
}

/** Takes the last block back. Throws DeepReorg where nothing is left to go back to. */
async function goBack(platform: Platform, chain: EvmChain, last: SeenBlock): Promise<SeenBlock> {
  const { pool } = platform.database;
  if (last.number <= (await decidedTo(pool, chain.chainId)))
    throw new DeepReorg(`block ${last.number} is in the chain no more, and money was booked by it`);
  const before = await seenAt(pool, chain.chainId, last.number - 1n);
  if (before === null) throw new DeepReorg(`block ${last.number} is in the chain no more, and none below it was kept`);
  await removeLast(pool, chain.chainId, last, platform.clock.now());
  reorgs.inc({ rail: chain.rail });
  ring(platform);
  return before;
}

/** What may go on by what was read. */
const woken = ['connector_order', 'x402_payment', 'chain_arrival'];

function ring(platform: Platform): void {
  for (const table of woken) ringAt({ platform, clock: platform.clock }, table, platform.clock.now());
}

/** The deep block, where it is one of those that were read; null where it lies above or below them. */
async function readDeep(platform: Platform, { chainId }: EvmChain, deep: Block | null): Promise<Block | null> {
  if (deep === null) return null;
  const there = await seenAt(platform.database.pool, chainId, deep.number);
  if (there === null) return null;
  if (there.hash !== deep.hash) throw new DeepReorg(`the deep block ${deep.number} is another one than was read`);
  return deep;
}

/** Lets payments be answered as settled that are in a block, as deep as the file says. */
async function answer({ platform, chain }: Reading, head: Block): Promise<void> {
  const { confirmations, answer_limit: limit } = chain.setting;
  const upTo = head.number - BigInt(confirmations.answer) + 1n;
  await admitAnswers(
    platform.database.pool,
    chain.chainId,
    { upTo, perPayment: limit.per_payment, open: limit.open },
    platform.clock.now(),
  );
}

/** What the deep part of the chain decides: what was used is done, and what was cancelled or whose time is over lapses. */
async function decide(reading: Reading, deep: Block, treasury: ChainAddress): Promise<void> {
  const { platform, chain } = reading;
  const { pool } = platform.database;
  const { chainId } = chain;
  await noteDecided(pool, chainId, deep.number);
  await markSeen(pool, chainId, platform.clock.now());
  await readAllDeposits(reading, deep);
  if (await deepenArrivals(pool, chainId, deep.number, platform.clock.now())) ring(platform);
  for (const payment of await usedUpTo(pool, chainId, deep.number)) await finish(platform, chain, payment);
  for (const payment of await cancelledUpTo(pool, chainId, deep.number)) await lapse(platform, payment, 'cancelled');
  const at = new Date(Number(deep.timestamp) * 1_000);
  for (const payment of await expiredBy(pool, { chainId, treasury, at })) await lapseUnused(reading, deep, payment);
  await forgetBlocks(pool, chainId, deep.number - keptBelow);
}

/**
 * An authorization that was used in a deep block is done, when that transaction has paid the payee the amount; one of a payer outside besides, when
 * what arrived is nobody else's.
 */
async function finish(platform: Platform, chain: EvmChain, payment: ChainPaymentRow): Promise<void> {
  const { pool } = platform.database;
  const { kind, blockNumber, txHash, value } = payment;
  const paid = blockNumber === null || txHash === null ? [] : await transferOf(pool, chain.chainId, { ...payment, blockNumber, txHash });
  const isPaid = paid.includes(value);
  if (kind === 'x402') {
    // Its owner may have signed the nonce for something else, and it may have become a deposit before it was handed in.
    if (!isPaid || !(await claimArrival(pool, payment))) return lapse(platform, payment, 'authorization_used');
  } else if (!isPaid) {
    platform.log.error(
      { rail: chain.rail, order: payment.id, txHash },
      'an authorization was used, and its transaction does not pay its payee',
    );
    return;
  }
  await movePayment(pool, payment, { state: 'done' });
  await wakeFor(platform, payment);
}

async function lapseUnused(reading: Reading, deep: Block, payment: ChainPaymentRow): Promise<void> {
  const { platform, chain, nodes } = reading;
  const asked = await nodes.call(deep, { to: chain.token, data: authorizationStateCall(payment.authorizer, payment.nonce) });
  const isUsed = asked.state === 'known' && 'data' in asked.value ? readFlag(asked.value.data) : null;
  if (isUsed === false) return lapse(platform, payment, payment.refusal ?? 'expired');
  if (isUsed === true && !(await findUse(reading, payment, deep)))
    platform.log.error({ rail: chain.rail, order: payment.id }, 'the token says that an authorization is used, of which no log is found');
}

async function lapse(platform: Platform, payment: ChainPaymentRow, refusal: string): Promise<void> {
  await movePayment(platform.database.pool, payment, { state: 'lapsed', refusal });
  await wakeFor(platform, payment);
}

async function wakeFor(platform: Platform, payment: ChainPaymentRow): Promise<void> {
  await wake(platform.database.pool, [payment], platform.clock.now());
  ring(platform);
}
