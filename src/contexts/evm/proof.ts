// What a chain holds for us at a deep block that was read, and what our books say of the same blocks (CONTRACT.md 27, decision 0102).
import type { Platform } from '../../platform/ctx.js';
import type { ProofPart, RailHoldings } from '../rails/rail-kind.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { checksummed } from '../x402/chain/address.js';
import { balanceSumCode, mostSummed } from './balance-sum.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import { tokensOf } from './check.js';
import type { Nodes } from './nodes.js';
import {
  belowMinimum,
  depositPlaces,
  inFlightOf,
  keepOpening,
  movedCapital,
  netOf,
  provableBlock,
  type Treasury,
  treasuriesOf,
} from './proof.sql.js';
import { answerOf } from './quorum.js';
import { readUint } from './token.js';

/** Reads what the treasury and the deposit addresses have. Throws one sentence where nobody knows. */
export async function readHoldings(platform: Platform, chain: EvmChain): Promise<RailHoldings> {
  const { pool } = platform.database;
  const nodes = await chain.nodes(platform);
  const block = await blockToProve(platform, chain, nodes);
  const treasuries: Treasury[] = [];
  const outside: { where: string; amount: bigint }[] = [];
  for (const treasury of await treasuriesOf(pool, chain.chainId)) {
    if (treasury.fromBlock > block.number) throw new Error('the first blocks that were read of the treasury are not deep yet');
    const amount = await tokensOf(nodes, block, chain, treasury.address);
    treasuries.push({ ...treasury, opening: treasury.opening ?? (await open(platform, chain, { ...treasury, block, amount })) });
    outside.push({ where: `treasury ${checksummed(treasury.address)}`, amount });
  }
  if (treasuries.length === 0) throw new Error('no process with the keys has read this chain yet');
  const places = await depositPlaces(pool, chain.chainId);
  if (places.length > 0) outside.push({ where: `${places.length} deposit addresses`, amount: await sumOf(nodes, block, chain, places) });
  const scope = { chainId: chain.chainId, rail: chain.rail, block: block.number };
  return {
    at: { block: Number(block.number), hash: block.hash, time: new Date(Number(block.timestamp) * 1_000) },
    outside,
    books: async (tx) => ({
      inFlight: await inFlightOf(tx, scope),
      explained: [...openingPart(treasuries), ...(await movedCapital(tx, scope)), ...(await belowMinimum(tx, scope))],
    }),
  };
}

/** The highest deep block of which all logs about us were read, as a quorum has it. */
async function blockToProve({ database }: Platform, { chainId, credit }: EvmChain, nodes: Nodes): Promise<Block> {
  const deep = answerOf(await nodes.deep(credit, answerOf(await nodes.head())));
  const seen = deep === null ? null : await provableBlock(database.pool, chainId, deep.number);
  if (seen === null) throw new Error('nothing of this chain that is deep was read yet');
  const block = answerOf(await nodes.blockAt(seen.number));
  if (block.hash !== seen.hash) throw new Error(`block ${block.number} is another one than was read`);
  return block;
}

/**
 * Keeps what a treasury had of which no log was read: what it has less what its logs come to. It is worked out once, so that whatever appears or
 * vanishes later without a log is a difference.
 */
async function open(
  { database }: Platform,
  { chainId }: EvmChain,
  { address, block, amount }: { address: ChainAddress; block: Block; amount: bigint },
): Promise<bigint> {
  const opening = amount - (await netOf(database.pool, { chainId, address, block: block.number }));
  return keepOpening(database.pool, { chainId, address, opening });
}

function openingPart(treasuries: readonly Treasury[]): ProofPart[] {
  const opened = treasuries.filter(({ opening }) => opening !== null && opening !== 0n);
  if (opened.length === 0) return [];
  const amount = opened.reduce((sum, { opening }) => sum + (opening ?? 0n), 0n);
  return [{ reason: 'opening', amount, count: opened.length, newest: [] }];
}

async function sumOf(nodes: Nodes, block: Block, { token }: EvmChain, places: readonly ChainAddress[]): Promise<bigint> {
  let sum = 0n;
  for (let at = 0; at < places.length; at += mostSummed) {
    const result = answerOf(await nodes.run(block, balanceSumCode(token, places.slice(at, at + mostSummed))));
    const part = 'data' in result ? readUint(result.data) : null;
    if (part === null) throw new Error('the token does not say what deposit addresses have');
    sum += part;
  }
  return sum;
}
