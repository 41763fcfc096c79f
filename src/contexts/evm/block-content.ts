// What a block has about addresses of ours: the logs of the token, and the transfers to addresses of wallets, each with its place in its
// transaction, which stays the same when another block takes the transaction up.
import type { Platform } from '../../platform/ctx.js';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import { ofWallets, type SeenArrival } from './arrival-log.sql.js';
import type { EvmChain } from './chain.js';
import type { Block, ChainLog, LogFilter, Receipt } from './chain-data.js';
import type { Nodes } from './nodes.js';
import { addressTopic, readTokenLog, topics } from './token.js';
import type { BlockContent, SeenLog } from './watch.sql.js';

/** Whose logs are looked for. */
export interface Watched {
  /** Who pays, and whose authorizations are used. */
  authorizers: readonly ChainAddress[];
  /** Who is paid. */
  payees: readonly ChainAddress[];
}

export interface Reading {
  platform: Platform;
  chain: EvmChain;
  nodes: Nodes;
}

/** Addresses in one question. Geth, and so most nodes, refuses more. */
export const mostAddresses = 1_000;

/** Receipts that are asked for at once. */
const mostReceipts = 10;

/** Splits a list into parts of at most so many. */
export function pagesOf<T>(all: readonly T[], most = mostAddresses): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most));
}

/** Reads a block. Null where nobody knows what it has. */
export async function readContent(reading: Reading, block: Block, { authorizers, payees }: Watched): Promise<BlockContent | null> {
  const { chain, nodes, platform } = reading;
  const filters: LogFilter['topics'][] = [
    ...pagesOf(authorizers).map((page) => [Object.values(topics), page.map(addressTopic)]),
    ...pagesOf(payees).map((page) => [topics.transfer, null, page.map(addressTopic)]),
  ];
  const found = await nodes.logsOf(block, ...filters.map((each) => ({ addresses: [chain.token], topics: each })));
  if (found.state === 'unknown') return null;
  const logs = found.value.flatMap((log) => seenLog(chain, log));
  const paid = logs.flatMap(({ payee, txHash }) => (payee === null ? [] : [{ payee, txHash }]));
  const ours = await ofWallets(
    platform.database.pool,
    chain.chainId,
    paid.map(({ payee }) => payee),
  );
  const hashes = new Set(paid.filter(({ payee }) => ours.has(payee)).map(({ txHash }) => txHash));
  const arrivals = await readArrivals(reading, block, [...hashes]);
  return arrivals === null ? null : { logs, arrivals };
}

/** What transactions up to a block have paid to anybody in the token. Null where nobody knows. */
export async function readArrivals({ chain, nodes }: Reading, block: Block, hashes: readonly Bytes32[]): Promise<SeenArrival[] | null> {
  const arrivals: SeenArrival[] = [];
  for (const page of pagesOf(hashes, mostReceipts)) {
    for (const receipt of await Promise.all(page.map((hash) => nodes.receipt(hash, block)))) {
      // A node that has the log and no receipt is behind with its index.
      if (receipt.state === 'unknown' || receipt.value === null) return null;
      arrivals.push(...arrivalsOf(chain, receipt.value));
    }
  }
  return arrivals;
}

/** A transfer of nothing is no arrival: anybody can make one at any address. */
function arrivalsOf({ token, rail }: EvmChain, { transactionHash: txHash, blockNumber, logs }: Receipt): SeenArrival[] {
  return logs
    .flatMap((log) => {
      const read = readTokenLog(token, log);
      return read?.kind === 'transfer' ? [read] : [];
    })
    .map(({ from: payer, to: payee, value }, place) => ({ rail, txHash, place, blockNumber, payer, payee, value }))
    .filter(({ value }) => value > 0n);
}

function seenLog({ token }: EvmChain, log: ChainLog): SeenLog[] {
  const read = readTokenLog(token, log);
  if (read === null || (read.kind === 'transfer' && read.value === 0n)) return [];
  const place = { logIndex: Number(log.logIndex), txHash: log.transactionHash };
  if (read.kind === 'transfer') return [{ ...place, kind: 'transfer', holder: read.from, payee: read.to, value: read.value, nonce: null }];
  return [{ ...place, kind: read.kind, holder: read.authorizer, payee: null, value: null, nonce: read.nonce }];
}
