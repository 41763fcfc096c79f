// What the reading of each block does not see: transfers to addresses that nobody asked for lately, which are looked for once a minute in what is
// deep, and the use of an authorization that was handed in just when its block was read.
import { addSeconds } from '../../platform/clock.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { noteAsked, type WalletKey, walletsAfter } from './address.sql.js';
import { addressesAfter, arrivedBy, depositsRead, noteDepositsRead, type SeenArrival, seeArrival } from './arrival-log.sql.js';
import { mostAddresses, type Reading, readArrivals, readContent } from './block-content.js';
import type { Block, ChainLog, LogFilter } from './chain-data.js';
import type { Nodes } from './nodes.js';
import type { ChainPaymentRow } from './payment.sql.js';
import type { Known } from './quorum.js';
import { addressTopic, readTokenLog, topics } from './token.js';
import { addLate, blockSince } from './watch.sql.js';

const everySeconds = 60;
/** Where nothing was read for so long the database may have been put back, and know nothing of addresses that it gave away since. */
const longAgoSeconds = 600;
/** Wallets whose addresses are derived at once: each takes a millisecond. */
const mostWallets = 50;
/** Blocks of one question; nodes refuse long ranges. */
const mostBlocks = 500n;
/** An authorization is looked for from so long before it was handed in. */
const beforeSeconds = 600;

/** Reads what has reached any address of a wallet up to a deep block, once a minute, or at once where that is far behind. */
export async function readAllDeposits(reading: Reading, deep: Block): Promise<void> {
  const { platform, chain, nodes } = reading;
  const { pool } = platform.database;
  const at = platform.clock.now();
  const before = await depositsRead(pool, chain.chainId);
  // Before the first look nobody had an address.
  if (before === null) return noteDepositsRead(pool, chain.chainId, deep.number, at);
  const behind = deep.number - before.to;
  const isDue = at >= addSeconds(before.at, everySeconds) || behind >= mostBlocks;
  if (behind <= 0n || !isDue) return;
  const isLongAgo = at >= addSeconds(before.at, longAgoSeconds);
  for (let count = behind > mostBlocks ? mostBlocks : behind; count > 0n; count /= 2n) {
    const last = await nodes.blockAt(before.to + count);
    if (last.state === 'unknown') return;
    const arrivals = await arrivalsUpTo(reading, { from: before.to + 1n, last: last.value, isLongAgo });
    if (arrivals === null) continue;
    const { number: to } = last.value;
    await inTransaction(pool, async (tx) => {
      for (const arrival of arrivals) await seeArrival(tx, chain.chainId, { ...arrival, state: 'deep' }, at);
      // Until all is read it stays as long ago as it was.
      await noteDepositsRead(tx, chain.chainId, to, to === deep.number ? at : before.at);
    });
    return;
  }
}

/**
 * What has reached wallets in some blocks and is not known yet. Null where nobody knows. Nodes refuse answers that are too long, and whoever likes can
 * make so many transfers: then fewer blocks are tried.
 */
async function arrivalsUpTo(
  reading: Reading,
  { from, last, isLongAgo }: { from: bigint; last: Block; isLongAgo: boolean },
): Promise<SeenArrival[] | null> {
  if (isLongAgo && !(await knowPaidWallets(reading, from, last))) return null;
  const logs = await logsToWallets(reading, from, last);
  if (logs === null) return null;
  const { platform, chain } = reading;
  const known = await arrivedBy(
    platform.database.pool,
    chain.chainId,
    logs.map(({ transactionHash }) => transactionHash),
  );
  // One transaction may pay several wallets, of which some were not known when its block was read.
  const isNew = (log: ChainLog) => {
    const read = readTokenLog(chain.token, log);
    return read?.kind === 'transfer' && read.value > 0n && !known.has(`${log.transactionHash} ${read.to}`);
  };
  return readArrivals(reading, last, [...new Set(logs.filter(isNew).map(({ transactionHash }) => transactionHash))]);
}

/** Looks at the addresses of all wallets, and keeps those that something has reached. False where nobody knows. */
async function knowPaidWallets({ platform, chain, nodes }: Reading, from: bigint, last: Block): Promise<boolean> {
  const { depositAddress, chainId, token } = chain;
  if (depositAddress === null) return true;
  const { pool } = platform.database;
  // Nobody has asked for them lately.
  const at = new Date(0);
  let after: WalletKey | null = null;
  for (;;) {
    const page: WalletKey[] = await walletsAfter(pool, after, mostWallets);
    const [end] = page.slice(-1);
    if (end === undefined) return true;
    after = end;
    const byAddress = new Map(page.map((wallet) => [depositAddress(wallet.walletId), wallet]));
    const filter = { addresses: [token], topics: [topics.transfer, null, [...byAddress.keys()].map(addressTopic)] };
    const found = await logsOfBlocks(nodes, { from, last }, filter);
    if (found.state === 'unknown') return false;
    for (const log of found.value) {
      const read = readTokenLog(token, log);
      if (read?.kind !== 'transfer') continue;
      const wallet = byAddress.get(read.to);
      if (wallet !== undefined) await noteAsked(pool, { ...wallet, chainId, address: read.to, at });
    }
  }
}

/** One block is asked for as it is, which has a way for too many logs. */
function logsOfBlocks(nodes: Nodes, { from, last }: { from: bigint; last: Block }, filter: LogFilter): Promise<Known<ChainLog[]>> {
  return from === last.number ? nodes.logsOf(last, filter) : nodes.logsUpTo(last, from, filter);
}

async function logsToWallets({ platform, chain, nodes }: Reading, from: bigint, last: Block): Promise<ChainLog[] | null> {
  const logs: ChainLog[] = [];
  let after = '';
  for (;;) {
    const page = await addressesAfter(platform.database.pool, chain.chainId, after, mostAddresses);
    const [end] = page.slice(-1);
    if (end === undefined) return logs;
    after = end;
    const filter = { addresses: [chain.token], topics: [topics.transfer, null, page.map(addressTopic)] };
    const found = await logsOfBlocks(nodes, { from, last }, filter);
    if (found.state === 'unknown') return null;
    logs.push(...found.value);
  }
}

/** Looks for the use of an authorization that the token says is used, and of which no log was read. True where it was found. */
export async function findUse(reading: Reading, payment: ChainPaymentRow, upTo: Block): Promise<boolean> {
  const { platform, chain, nodes } = reading;
  const { pool } = platform.database;
  const at = platform.clock.now();
  const from = await blockSince(pool, chain.chainId, addSeconds(payment.createdAt, -beforeSeconds));
  const names = [topics.authorizationUsed, topics.authorizationCanceled];
  const filter = { addresses: [chain.token], topics: [names, addressTopic(payment.authorizer), payment.nonce] };
  const found = await nodes.logsUpTo(upTo, from ?? upTo.number, filter);
  const [log] = found.state === 'known' ? found.value : [];
  if (log === undefined) return false;
  const block = await nodes.blockAt(log.blockNumber);
  if (block.state === 'unknown' || block.value.hash !== log.blockHash) return false;
  const content = await readContent(reading, block.value, { authorizers: [payment.authorizer], payees: [payment.payee] });
  return content !== null && (await addLate(pool, chain.chainId, block.value, content, at));
}
