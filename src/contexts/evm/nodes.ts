// The questions that are asked of a chain. What decides money is asked at a block, named by its hash, of a quorum: a URL that does not
// have this block in its chain says nothing. What costs gas at most, or is decided later by such a question, is heard of each.
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import {
  type Block,
  type ChainLog,
  type LogFilter,
  matches,
  type Receipt,
  readBlock,
  readData,
  readLogs,
  readQuantity,
  readReceipt,
  readTransactions,
  UnreadableAnswer,
} from './chain-data.js';
import type { Hex } from './evm.js';
import {
  allInChain,
  atHash,
  call,
  compareNumbers,
  inChain,
  isRefused,
  one,
  orNull,
  quantity,
  quantityResult,
  readExisting,
  resultOf,
} from './question.js';
import { type Known, Quorum } from './quorum.js';
import { type GasResult, gasAmong, revertOf, type SendAnswer, sendAnswerOf, sendWordOf } from './refusal.js';
import type { RpcAnswer, RpcUrl } from './rpc.js';

/** How deep a block must lie: as many confirmations (1 is the head itself), or as the chain marks it. */
export type Depth = number | 'safe' | 'finalized';

/** A call of a contract. `from` is whom it sees as its caller; nobody by default. */
export interface ContractCall {
  to: ChainAddress;
  data: Hex;
  from?: ChainAddress | undefined;
}

/** What a contract answers to a call: data, or that it reverts, with the text that it gives (empty where it gives none). */
export type CallResult = { data: Hex } | { reverted: string };

/** A signed transaction. */
export interface Signed {
  raw: Hex;
  hash: Bytes32;
}

/** What a transaction costs now, wei for a unit of gas: the base fee of the head, and what is commonly given on top. */
export interface Fees {
  baseFee: bigint;
  tip: bigint;
}

/** Receipts that are asked for at once. */
const mostReceipts = 15;

/** The URLs of a chain. */
export class Nodes {
  readonly #quorum: Quorum;

  /** `quorum`: how many URLs must say the same. */
  constructor({ urls, quorum, onDisagreement }: { urls: readonly RpcUrl[]; quorum: number; onDisagreement?: () => void }) {
    this.#quorum = new Quorum(urls, quorum, onDisagreement);
  }

  /** The number of the chain. */
  chainId(): Promise<Known<bigint>> {
    return this.#quorum.agree(one('eth_chainId', [], (result) => readQuantity(result, 'the chain id')));
  }

  /** The highest block that a quorum has: one URL that is behind or ahead changes nothing. */
  head(): Promise<Known<Block>> {
    return this.#marked('latest');
  }

  /** The block that lies `depth` below a head. Known as null where the chain is not so long yet. */
  async deep(depth: Depth, head: Block): Promise<Known<Block | null>> {
    if (typeof depth !== 'number') return this.#marked(depth);
    const number = head.number - BigInt(depth) + 1n;
    return number < 0n ? { state: 'known', value: null } : this.blockAt(number);
  }

  async #marked(tag: 'latest' | 'safe' | 'finalized'): Promise<Known<Block>> {
    const { values, said } = await this.#quorum.hear(one('eth_getBlockByNumber', [tag, false], readExisting));
    const numbers = values.map(({ number }) => number).sort(compareNumbers);
    const number = numbers.at(-this.#quorum.size);
    if (number === undefined) return this.#quorum.unavailable(said);
    const [block, ...others] = values.filter((each) => each.number === number);
    const isAgreed = others.length + 1 >= this.#quorum.size && others.every(({ hash }) => hash === block?.hash);
    return block !== undefined && isAgreed ? { state: 'known', value: block } : this.blockAt(number);
  }

  /** The block of a height. A URL that has none there says nothing. */
  blockAt(number: bigint): Promise<Known<Block>> {
    const read = (result: unknown) => {
      const block = readExisting(result);
      if (block.number !== number) throw new UnreadableAnswer('a block of another height');
      return block;
    };
    return this.#quorum.agree(one('eth_getBlockByNumber', [quantity(number), false], read));
  }

  /** The block of a hash, in the chain or not any more. Known as null where a quorum has never heard of it, or has forgotten it. */
  blockOf(hash: Bytes32): Promise<Known<Block | null>> {
    const read = (result: unknown) => {
      const block = readBlock(result);
      if (block !== null && block.hash !== hash) throw new UnreadableAnswer('a block of another hash');
      return block;
    };
    return this.#quorum.agree(one('eth_getBlockByHash', [hash, false], read));
  }

  /**
   * The logs of one block that match a filter or more, in their order, each once. Where they are more than nodes give at once, which whoever pays for
   * a block of transfers can bring about, they are read from the receipts of its transactions.
   */
  async logsOf(block: Block, ...filters: readonly LogFilter[]): Promise<Known<ChainLog[]>> {
    const found = await this.#logsByFilter(block, filters);
    return found.state === 'unknown' && isRefused(found) ? this.#logsByReceipts(block, filters) : found;
  }

  async #logsByReceipts(block: Block, filters: readonly LogFilter[]): Promise<Known<ChainLog[]>> {
    const hashes = await this.#quorum.agree(
      one('eth_getBlockByHash', [block.hash, false], (result) => {
        const { hash, transactions } = readTransactions(result);
        if (hash !== block.hash) throw new UnreadableAnswer('a block of another hash');
        return transactions;
      }),
    );
    if (hashes.state === 'unknown') return hashes;
    const logs: ChainLog[] = [];
    for (let at = 0; at < hashes.value.length; at += mostReceipts) {
      const read = await this.#logsOfTransactions(block, hashes.value.slice(at, at + mostReceipts));
      if (read.state === 'unknown') return read;
      logs.push(...read.value.filter((log) => filters.some((filter) => matches(log, filter))));
    }
    return { state: 'known', value: logs };
  }

  /** The logs of some transactions of a block; of fewer at once where nodes refuse that. */
  async #logsOfTransactions(block: Block, hashes: readonly Bytes32[]): Promise<Known<ChainLog[]>> {
    const asked = hashes.map((hash) => call('eth_getTransactionReceipt', hash));
    const found = await this.#quorum.agree(
      allInChain(block, asked, (answers) =>
        hashes.flatMap((hash, at) => {
          const receipt = readReceipt(resultOf(answers[at]), hash);
          if (receipt?.blockHash !== block.hash) throw new UnreadableAnswer('it has no receipt of a transaction of the block');
          return [...receipt.logs];
        }),
      ),
    );
    if (found.state === 'known' || hashes.length === 1 || !isRefused(found)) return found;
    const half = Math.ceil(hashes.length / 2);
    const first = await this.#logsOfTransactions(block, hashes.slice(0, half));
    const rest = first.state === 'known' ? await this.#logsOfTransactions(block, hashes.slice(half)) : first;
    return first.state === 'known' && rest.state === 'known' ? { state: 'known', value: [...first.value, ...rest.value] } : rest;
  }

  #logsByFilter(block: Block, filters: readonly LogFilter[]): Promise<Known<ChainLog[]>> {
    const asked = filters.map(({ addresses, topics }) => call('eth_getLogs', { blockHash: block.hash, address: addresses, topics }));
    const isOfBlock = ({ blockHash, blockNumber }: ChainLog) => blockHash === block.hash && blockNumber === block.number;
    return this.#quorum.agree(
      allInChain(block, asked, (answers) => {
        const read = filters.flatMap((filter, at) => readLogs(resultOf(answers[at]), filter, isOfBlock));
        const byPlace = new Map(read.map((log) => [log.logIndex, log]));
        return [...byPlace.values()].sort((a, b) => compareNumbers(a.logIndex, b.logIndex));
      }),
    );
  }

  /**
   * The logs from a height to a block, both included, in their order. To find what lies far back: of a URL behind which several machines
   * stand, one that is behind may leave the newest out. What is credited is asked by logsOf().
   */
  logsUpTo(block: Block, from: bigint, filter: LogFilter): Promise<Known<ChainLog[]>> {
    const range = { fromBlock: quantity(from), toBlock: quantity(block.number), address: filter.addresses, topics: filter.topics };
    const isInRange = ({ blockNumber, blockHash }: ChainLog) =>
      blockNumber >= from && blockNumber <= block.number && (blockNumber !== block.number || blockHash === block.hash);
    return this.#quorum.agree(inChain(block, call('eth_getLogs', range), (answer) => readLogs(resultOf(answer), filter, isInRange)));
  }

  /**
   * What became of a transaction up to a block; null while it is in none. Of a reverted one the logs are none. Null alone is no reason to
   * do something that cannot be undone: nodes that prune, or index late, have none either.
   */
  receipt(hash: Bytes32, at: Block): Promise<Known<Receipt | null>> {
    return this.#quorum.agree(
      inChain(at, call('eth_getTransactionReceipt', hash), (answer) => {
        const receipt = readReceipt(resultOf(answer), hash);
        if (receipt === null || receipt.blockNumber > at.number) return null;
        if (receipt.blockNumber === at.number && receipt.blockHash !== at.hash) throw new UnreadableAnswer('a receipt of another block');
        return receipt;
      }),
    );
  }

  /** What a contract answers after a block. Nothing is sent. */
  async call(at: Block, asked: ContractCall): Promise<Known<CallResult>> {
    const answers = await this.calls(at, [asked]);
    return answers.state === 'unknown' ? answers : { state: 'known', value: answers.value[0] as CallResult };
  }

  /** What contracts answer after a block to several calls, in their order. Nothing is sent. */
  calls(at: Block, asked: readonly ContractCall[]): Promise<Known<CallResult[]>> {
    const contents = asked.map(({ to, data, from }) => ({ to, data, ...(from === undefined ? {} : { from }) }));
    return this.#quorum.agree(
      allInChain(
        at,
        contents.map((content) => call('eth_call', content, atHash(at))),
        (answers) => answers.map(callResult),
      ),
    );
  }

  /** What code gives back that runs after a block, once, and is kept nowhere: several questions to contracts in one. */
  run(at: Block, code: Hex): Promise<Known<CallResult>> {
    return this.#quorum.agree(inChain(at, call('eth_call', { data: code }, atHash(at)), callResult));
  }

  /** The gas money of an address after a block, wei. */
  gasMoney(address: ChainAddress, at: Block): Promise<Known<bigint>> {
    return this.#quorum.agree(inChain(at, call('eth_getBalance', address, atHash(at)), quantityResult('the balance')));
  }

  /** How many nonces of an address are used after a block: the number of the next one. */
  nonce(address: ChainAddress, at: Block): Promise<Known<bigint>> {
    return this.#quorum.agree(inChain(at, call('eth_getTransactionCount', address, atHash(at)), quantityResult('the nonce')));
  }

  /** The code at an address after a block; `0x` where there is no contract. */
  code(address: ChainAddress, at: Block): Promise<Known<Hex>> {
    return this.#quorum.agree(inChain(at, call('eth_getCode', address, atHash(at)), (answer) => readData(resultOf(answer), 'the code')));
  }

  /** What gas costs after a head: the tip in the middle of what the URLs say, so that one of three that lies moves it little. */
  async fees(head: Block): Promise<Known<Fees>> {
    const tips = await this.#quorum.hear(one('eth_maxPriorityFeePerGas', [], (result) => readQuantity(result, 'the tip')));
    const sorted = [...tips.values].sort(compareNumbers);
    const tip = sorted[Math.floor((sorted.length - 1) / 2)];
    if (tip === undefined || sorted.length < this.#quorum.size) return this.#quorum.unavailable(tips.said);
    return { state: 'known', value: { baseFee: head.baseFee, tip } };
  }

  /**
   * How much gas each of these calls takes, the most that as many URLs as a quorum want at least: one that lies can neither have a nonce stand still
   * behind a transaction that costs more than there is, nor have it run out of gas. Reverting where all who say something of a call say that it
   * reverts; null where too few do.
   */
  async gasOf(asked: readonly ContractCall[]): Promise<(GasResult | null)[]> {
    const { values } = await this.#quorum.hear({
      calls: asked.map((each) => call('eth_estimateGas', each)),
      read: (answers) => answers.map((answer) => orNull(() => gasResult(answer))),
    });
    return asked.map((_, at) =>
      gasAmong(
        values.flatMap((each) => each[at] ?? []),
        this.#quorum.size,
      ),
    );
  }

  /** Hands signed transactions to every URL. What they say decides nothing: what stands in a deep block does. */
  async send(signed: readonly Signed[]): Promise<SendAnswer[]> {
    const { values, said } = await this.#quorum.hear({
      calls: signed.map(({ raw }) => call('eth_sendRawTransaction', raw)),
      read: (answers) => signed.map(({ hash }, at) => orNull(() => sendWordOf(answers[at] as RpcAnswer, hash))),
    });
    return signed.map((_, at) =>
      sendAnswerOf(
        values.flatMap((each) => each[at] ?? []),
        said,
      ),
    );
  }
}

function callResult(answer: RpcAnswer | undefined): CallResult {
  return revertOf(answer) ?? { data: readData(resultOf(answer), 'the result') };
}

function gasResult(answer: RpcAnswer): GasResult {
  return revertOf(answer) ?? { gas: readQuantity(resultOf(answer), 'the gas') };
}
