// What the reading of each block does not see: transfers to addresses that nobody asked for lately, which are looked for once a minute in what is
// deep, and the use of an authorization that was handed in just when its block was read.
import { addSeconds } from '../../platform/clock.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { noteAsked, type WalletKey, walletsAfter } from './address.sql.js';
import { addressesAfter, arrivedBy, depositsRead, noteDepositsRead, seeArrival } from './arrival-log.sql.js';
import { mostAddresses, type Reading, readArrivals, readContent } from './block-content.js';
import type { Block, ChainLog } from './chain-data.js';
import type { ChainPaymentRow } from './payment.sql.js';
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
  const to = behind > mostBlocks ? before.to + mostBlocks : deep.number;
  const last = await nodes.blockAt(to);
  if (last.state === 'unknown') return;
  const isLongAgo = at >= addSeconds(before.at, longAgoSeconds);
  if (isLongAgo && !(await knowPaidWallets(reading, before.to + 1n, last.value))) return;
  const logs = await logsToWallets(reading, before.to + 1n, last.value);
  if (logs === null) return;
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
  const known = await arrivedBy(pool, chain.chainId, hashes);
  const arrivals = await readArrivals(
    reading,
    last.value,
    hashes.filter((hash) => !known.has(hash)),
  );
  if (arrivals === null) return;
  await inTransaction(pool, async (tx) => {
    for (const arrival of arrivals) await seeArrival(tx, chain.chainId, { ...arrival, state: 'deep' }, at);
    // Until all is read it stays as long ago as it was.
    await noteDepositsRead(tx, chain.chainId, to, to === deep.number ? at : before.at);
  });
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
    const found = await nodes.logsUpTo(last, from, filter);
    if (found.state === 'unknown') return false;
    for (const log of found.value) {
      const read = readTokenLog(token, log);
      if (read?.kind !== 'transfer') continue;
      const wallet = byAddress.get(read.to);
      if (wallet !== undefined) await noteAsked(pool, { ...wallet, chainId, address: read.to, at });
    }
  }
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
    const found = await nodes.logsUpTo(last, from, filter);
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
