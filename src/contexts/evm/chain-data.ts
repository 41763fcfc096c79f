// What nodes say of a chain, read strictly: a number is `0x` and digits without a leading zero, a hash has 32 bytes, a log has what the
// question asked for. What is anything else is refused and counts as no answer.
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import type { Hex } from './evm.js';

/** An answer that is not what was asked for. */
export class UnreadableAnswer extends Error {}

/** A block. `timestamp` in seconds since 1970, `baseFee` in wei for a unit of gas. */
export interface Block {
  number: bigint;
  hash: Bytes32;
  parentHash: Bytes32;
  timestamp: bigint;
  baseFee: bigint;
}

/** A log of a contract, and where it stands. */
export interface ChainLog {
  address: ChainAddress;
  topics: readonly Bytes32[];
  data: Hex;
  blockNumber: bigint;
  blockHash: Bytes32;
  transactionHash: Bytes32;
  /** Its place among the logs of the block. */
  logIndex: bigint;
}

/** What became of a transaction. */
export interface Receipt {
  transactionHash: Bytes32;
  blockNumber: bigint;
  blockHash: Bytes32;
  from: ChainAddress;
  to: ChainAddress | null;
  isReverted: boolean;
  gasUsed: bigint;
  logs: readonly ChainLog[];
}

/** Which logs: of these contracts, and for each place among the topics one that must stand there, one of several, or any (null). */
export interface LogFilter {
  addresses: readonly ChainAddress[];
  topics: readonly (Bytes32 | readonly Bytes32[] | null)[];
}

type Members = Record<string, unknown>;

function members(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableAnswer(`${what} is no object`);
  return value as Members;
}

/** A number of at most 256 bits. */
export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,63})$/i.test(value)) return BigInt(value);
  throw new UnreadableAnswer(`${what} is no quantity`);
}

/** 32 bytes. */
export function readHash(value: unknown, what: string): Bytes32 {
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase() as Bytes32;
  throw new UnreadableAnswer(`${what} is no hash`);
}

/** Whole bytes, or none. */
export function readData(value: unknown, what: string): Hex {
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return value.toLowerCase() as Hex;
  throw new UnreadableAnswer(`${what} is no data`);
}

function readParty(value: unknown, what: string): ChainAddress {
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) return value.toLowerCase() as ChainAddress;
  throw new UnreadableAnswer(`${what} is no address`);
}

/** A block that is in the chain; null where the node has none. */
export function readBlock(value: unknown): Block | null {
  if (value === null) return null;
  const block = members(value, 'the block');
  return {
    number: readQuantity(block['number'], 'number'),
    hash: readHash(block['hash'], 'hash'),
    parentHash: readHash(block['parentHash'], 'parentHash'),
    timestamp: readQuantity(block['timestamp'], 'timestamp'),
    baseFee: readQuantity(block['baseFeePerGas'], 'baseFeePerGas'),
  };
}

/** The hashes of the transactions of a block. */
export function readTransactions(value: unknown): { hash: Bytes32; transactions: Bytes32[] } {
  const block = members(value, 'the block');
  const { transactions } = block;
  if (!Array.isArray(transactions)) throw new UnreadableAnswer('the block has no transactions');
  return { hash: readHash(block['hash'], 'hash'), transactions: transactions.map((each) => readHash(each, 'a transaction')) };
}

function readLog(value: unknown): ChainLog {
  const log = members(value, 'a log');
  const { topics, removed } = log;
  if (removed !== undefined && removed !== false) throw new UnreadableAnswer('a log is of a removed block');
  if (!Array.isArray(topics) || topics.length > 4) throw new UnreadableAnswer('a log has no topics');
  return {
    address: readParty(log['address'], 'address'),
    topics: topics.map((topic) => readHash(topic, 'a topic')),
    data: readData(log['data'], 'data'),
    blockNumber: readQuantity(log['blockNumber'], 'blockNumber'),
    blockHash: readHash(log['blockHash'], 'blockHash'),
    transactionHash: readHash(log['transactionHash'], 'transactionHash'),
    logIndex: readQuantity(log['logIndex'], 'logIndex'),
  };
}

/** True for a log that a filter asks for. */
export function matches({ address, topics }: ChainLog, filter: LogFilter): boolean {
  if (!filter.addresses.includes(address)) return false;
  return filter.topics.every((wanted, i) => {
    const topic = topics[i];
    if (topic === undefined) return false;
    return wanted === null || (typeof wanted === 'string' ? topic === wanted : wanted.includes(topic));
  });
}

/** The place of a log on the chain, in order. */
function compareLogs(a: ChainLog, b: ChainLog): number {
  const difference = a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
  return difference < 0n ? -1 : Number(difference > 0n);
}

function refuseDoubled(logs: readonly ChainLog[]): void {
  logs.forEach((log, i) => {
    const before = logs[i - 1];
    if (before?.blockNumber !== log.blockNumber) return;
    if (before.logIndex === log.logIndex) throw new UnreadableAnswer('a log is there twice');
    if (before.blockHash !== log.blockHash) throw new UnreadableAnswer('logs of one height are of two blocks');
  });
}

/** Logs in their order on the chain: each must match the filter and lie in the range, and none may be there twice. */
export function readLogs(value: unknown, filter: LogFilter, isWanted: (log: ChainLog) => boolean): ChainLog[] {
  if (!Array.isArray(value)) throw new UnreadableAnswer('the logs are no list');
  const logs = value.map(readLog).sort(compareLogs);
  if (!logs.every((log) => matches(log, filter))) throw new UnreadableAnswer('a log is of another contract, or has other topics');
  if (!logs.every(isWanted)) throw new UnreadableAnswer('a log is of another block');
  refuseDoubled(logs);
  return logs;
}

/** The receipt of a transaction; null where the node has none. */
export function readReceipt(value: unknown, hash: Bytes32): Receipt | null {
  if (value === null) return null;
  const receipt = members(value, 'the receipt');
  const { logs, to } = receipt;
  const place = {
    transactionHash: readHash(receipt['transactionHash'], 'transactionHash'),
    blockNumber: readQuantity(receipt['blockNumber'], 'blockNumber'),
    blockHash: readHash(receipt['blockHash'], 'blockHash'),
  };
  if (place.transactionHash !== hash) throw new UnreadableAnswer('the receipt is of another transaction');
  if (!Array.isArray(logs)) throw new UnreadableAnswer('the receipt has no logs');
  const read = logs.map(readLog).sort(compareLogs);
  const isInPlace = (log: ChainLog) => log.transactionHash === hash && log.blockHash === place.blockHash;
  if (!read.every(isInPlace)) throw new UnreadableAnswer('a log of the receipt is of another transaction');
  refuseDoubled(read);
  return {
    ...place,
    from: readParty(receipt['from'], 'from'),
    to: to === null ? null : readParty(to, 'to'),
    isReverted: isReverted(receipt['status']),
    gasUsed: readQuantity(receipt['gasUsed'], 'gasUsed'),
    logs: read,
  };
}

function isReverted(status: unknown): boolean {
  if (status === '0x1') return false;
  if (status === '0x0') return true;
  throw new UnreadableAnswer('the receipt has no status');
}
