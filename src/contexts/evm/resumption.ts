// Reading a chain again after deep blocks were taken back, when a person has looked (decision 0100).
import type { Platform } from '../../platform/ctx.js';
import type { ResumedReading } from '../rails/rail-kind.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import type { Nodes } from './nodes.js';
import { answerOf } from './quorum.js';
import { beginAt, bookedAfter, relayersOf, reopenNonces, seenBlocks } from './resumption.sql.js';
import { lastSeen, removeLast } from './watch.sql.js';

/**
 * Takes back the blocks that are in the chain no more, and lets the watch go on from the one below them; from a block that is named, where none of
 * those that were kept is in the chain. Nothing is booked or sent; what was paid above it is carried again when the rail is on, while it is good.
 * Throws one sentence where there is nothing to resume, or nobody knows.
 */
export async function resumeReading(platform: Platform, chain: EvmChain, from: bigint | null): Promise<ResumedReading> {
  const { pool } = platform.database;
  const nodes = await chain.nodes(platform);
  const deep = answerOf(await nodes.deep(chain.credit, answerOf(await nodes.head())));
  const last = await lastSeen(pool, chain.chainId);
  if (deep === null || last === null) throw new Error('nothing of this chain that is deep was read yet');
  const start = from === null ? await commonBlock(platform, chain, nodes) : answerOf(await nodes.blockAt(from));
  if (start === null) throw new Error('no block that was kept is in the chain: name a deep one from which it is read again, with --from');
  if (start.hash === last.hash) throw new Error('all that was read is in the chain: it is read on by itself');
  if (start.number > deep.number) throw new Error(`block ${start.number} is not deep yet: the deep one is ${deep.number}`);
  const booked = await bookedAfter(pool, chain.chainId, start.number);
  const at = platform.clock.now();
  for (let top = await lastSeen(pool, chain.chainId); top !== null && top.number > start.number; ) {
    await removeLast(pool, chain.chainId, top, at);
    top = await lastSeen(pool, chain.chainId);
  }
  for (const address of await relayersOf(pool, chain.chainId))
    await reopenNonces(pool, { chainId: chain.chainId, address }, answerOf(await nodes.nonce(address, start)));
  await beginAt(pool, chain.chainId, start);
  platform.log.warn({ rail: chain.rail, block: start.number.toString(), booked }, 'a chain is read again from a deep block');
  return { block: Number(start.number), booked };
}

/** The highest block that was read and is in the chain. */
async function commonBlock(platform: Platform, { chainId }: EvmChain, nodes: Nodes): Promise<Block | null> {
  for (const seen of await seenBlocks(platform.database.pool, chainId)) {
    const there = answerOf(await nodes.blockAt(seen.number));
    if (there.hash === seen.hash) return there;
  }
  return null;
}
