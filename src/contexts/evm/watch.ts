// Reading a chain: block after block by their parents, back to the common ancestor where it has gone another way, and the logs of each about
// addresses of ours. What is deep decides, and what is not is only expected (CONTRACT.md 27 "Chains").
import type { Platform } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { ChainAddress } from '../x402/chain/address.js';
import type { EvmChain } from './chain.js';
import type { Block, ChainLog } from './chain-data.js';
import { reorgs } from './metric.js';
import type { Nodes } from './nodes.js';
import { type ChainPaymentRow, cancelledUpTo, expiredBy, markSeen, movePayment, usedUpTo, wakeOrder } from './payment.sql.js';
import { decidedTo, noteDecided } from './resumption.sql.js';
import { addressTopic, authorizationStateCall, readFlag, readTokenLog, topics } from './token.js';
import { addBlock, forgetBlocks, lastSeen, removeLast, type SeenBlock, type SeenLog, seenAt, transferOf } from './watch.sql.js';

/** Blocks that one look reads at most. */
const mostBlocks = 100;
/** Blocks that are kept below the deep one. */
const keptBelow = 256n;

/** What is known of a chain now. */
export interface View {
  head: Block;
  /** The block up to which money is booked; null while the chain is not so long, or what was read does not reach it yet. */
  deep: Block | null;
}

/** Somebody must look: what was read and is deep is in the chain no more. */
export class DeepReorg extends Error {}

/** Reads what is new of a chain, and decides what its deep part decides. Null where nobody knows: nothing is decided. */
export async function look(platform: Platform, chain: EvmChain, ours: readonly ChainAddress[]): Promise<View | null> {
  const nodes = await chain.nodes(platform);
  const known = await nodes.head();
  if (known.state === 'unknown') return null;
  const head = known.value;
  const deepest = await nodes.deep(chain.credit, head);
  if (deepest.state === 'unknown') return null;
  const isRead = await readUpTo(platform, chain, { nodes, head, deep: deepest.value, ours });
  if (!isRead) return { head, deep: null };
  const deep = await readDeep(platform, chain, deepest.value);
  if (deep !== null) await decide(platform, chain, nodes, deep);
  return { head, deep };
}

interface Reading {
  nodes: Nodes;
  head: Block;
  deep: Block | null;
  ours: readonly ChainAddress[];
}

/** True where everything up to the head was read. */
async function readUpTo(platform: Platform, chain: EvmChain, { nodes, head, deep, ours }: Reading): Promise<boolean> {
  const { pool } = platform.database;
  let last = await lastSeen(pool, chain.chainId);
  if (last === null) {
    // Before the first look nothing of ours was there.
    const first = deep ?? head;
    await addBlock(pool, chain.chainId, first, [], platform.clock.now());
    last = first;
  }
  for (let steps = 0; steps < mostBlocks; steps += 1) {
    const isBehind = last.number < head.number;
    const found = await nodes.blockAt(isBehind ? last.number + 1n : head.number);
    if (found.state === 'unknown') return false;
    if (!isBehind) {
      const there = last.number === head.number ? last : await seenAt(pool, chain.chainId, head.number);
      if (there === null || there.hash === found.value.hash) return there !== null && last.number === head.number;
      last = await goBack(platform, chain, last);
    } else if (found.value.parentHash === last.hash) {
      const logs = await nodes.logsOf(found.value, { addresses: [chain.token], topics: [Object.values(topics), ours.map(addressTopic)] });
      if (logs.state === 'unknown') return false;
      const seen = logs.value.flatMap((log) => seenLog(chain, log));
      if (!(await addBlock(pool, chain.chainId, found.value, seen, platform.clock.now()))) return false;
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

function ring(platform: Platform): void {
  ringAt({ platform, clock: platform.clock }, 'connector_order', platform.clock.now());
}

function seenLog({ token }: EvmChain, log: ChainLog): SeenLog[] {
  const read = readTokenLog(token, log);
  if (read === null) return [];
  const place = { logIndex: Number(log.logIndex), txHash: log.transactionHash };
  if (read.kind === 'transfer') return [{ ...place, kind: 'transfer', holder: read.from, payee: read.to, value: read.value, nonce: null }];
  return [{ ...place, kind: read.kind, holder: read.authorizer, payee: null, value: null, nonce: read.nonce }];
}

/** The deep block, where it is one of those that were read; null where it lies above or below them. */
async function readDeep(platform: Platform, { chainId }: EvmChain, deep: Block | null): Promise<Block | null> {
  if (deep === null) return null;
  const there = await seenAt(platform.database.pool, chainId, deep.number);
  if (there === null) return null;
  if (there.hash !== deep.hash) throw new DeepReorg(`the deep block ${deep.number} is another one than was read`);
  return deep;
}

/** What the deep part of the chain decides: what was used is done, and what was cancelled or whose time is over lapses. */
async function decide(platform: Platform, chain: EvmChain, nodes: Nodes, deep: Block): Promise<void> {
  const { pool } = platform.database;
  const { chainId } = chain;
  await noteDecided(pool, chainId, deep.number);
  await markSeen(pool, chainId, platform.clock.now());
  for (const payment of await usedUpTo(pool, chainId, deep.number)) await finish(platform, chain, payment);
  for (const payment of await cancelledUpTo(pool, chainId, deep.number)) await lapse(platform, payment, 'cancelled');
  const end = new Date(Number(deep.timestamp) * 1_000);
  for (const payment of await expiredBy(pool, chainId, end)) await lapseUnused(platform, chain, nodes, deep, payment);
  await forgetBlocks(pool, chainId, deep.number - keptBelow);
}

/** An authorization that was used in a deep block is done, when that transaction has paid the payee the amount. */
async function finish(platform: Platform, chain: EvmChain, payment: ChainPaymentRow): Promise<void> {
  const { pool } = platform.database;
  const { blockNumber, txHash, value } = payment;
  const paid = blockNumber === null || txHash === null ? [] : await transferOf(pool, chain.chainId, { ...payment, blockNumber, txHash });
  if (!paid.includes(value)) {
    platform.log.error(
      { rail: chain.rail, order: payment.id, txHash },
      'an authorization was used, and its transaction does not pay its payee',
    );
    return;
  }
  await movePayment(pool, payment, { state: 'done' });
  await wake(platform, payment);
}

async function lapseUnused(platform: Platform, chain: EvmChain, nodes: Nodes, deep: Block, payment: ChainPaymentRow): Promise<void> {
  const asked = await nodes.call(deep, { to: chain.token, data: authorizationStateCall(payment.authorizer, payment.nonce) });
  const isUsed = asked.state === 'known' && 'data' in asked.value ? readFlag(asked.value.data) : null;
  if (isUsed === false) return lapse(platform, payment, payment.refusal ?? 'expired');
  if (isUsed === true)
    platform.log.error({ rail: chain.rail, order: payment.id }, 'the token says that an authorization is used, of which no log was read');
}

async function lapse(platform: Platform, payment: ChainPaymentRow, refusal: string): Promise<void> {
  await movePayment(platform.database.pool, payment, { state: 'lapsed', refusal });
  await wake(platform, payment);
}

async function wake(platform: Platform, payment: ChainPaymentRow): Promise<void> {
  await wakeOrder(platform.database.pool, payment, platform.clock.now());
  ring(platform);
}
