// Lies of nodes about money: what they hide, and what they invent, each as a node would say it that is asked for logs, receipts, calls and blocks.
import { addressTopic, topics } from '../../src/contexts/evm/token.js';
import type { ChainAddress } from '../../src/contexts/x402/chain/address.js';
import type { Anvil } from './anvil.js';
import { type Asked, type Lie, lieAbout } from './lying-node.js';

// biome-ignore lint/suspicious/noExplicitAny: calls and answers of JSON-RPC have any shape.
type Any = any;

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** A log, as far as it does not follow from its block. */
interface InventedLog {
  topics: readonly string[];
  data: string;
}

/** A transfer that nobody made. */
export function inventedTransfer(from: ChainAddress, to: ChainAddress, value: bigint): InventedLog {
  return { topics: [topics.transfer, addressTopic(from), addressTopic(to)], data: word(value) };
}

/** An authorization that nobody used, or cancelled. */
export function inventedUse(authorizer: ChainAddress, nonce: string, what: 'authorizationUsed' | 'authorizationCanceled'): InventedLog {
  return { topics: [topics[what], addressTopic(authorizer), nonce], data: '0x' };
}

/** There is a transaction with these logs in every block, and its receipt. */
export function inventing(anvil: Anvil, logs: readonly InventedLog[]): Lie[] {
  const txHash = hash('7');
  const logsIn = ({ number, hash: blockHash }: Any) =>
    logs.map((log, at) => ({
      ...log,
      address: anvil.token,
      blockNumber: number,
      blockHash,
      transactionHash: txHash,
      transactionIndex: '0x63',
      logIndex: `0x${(99 + at).toString(16)}`,
      removed: false,
    }));
  const isWanted = (wanted: Any, topic: string) => wanted == null || [wanted].flat().includes(topic);
  const inLogs: Lie = async ({ method, params: [filter] }, truth) => {
    if (method !== 'eth_getLogs' || filter.blockHash === undefined) return undefined;
    const block = await anvil.ask('eth_getBlockByHash', filter.blockHash, false);
    const invented = logsIn(block).filter((log) => log.topics.every((topic, at) => isWanted(filter.topics[at], topic)));
    return { result: [...truth.result, ...invented] };
  };
  const inReceipts: Lie = async ({ method, params: [asked] }) => {
    if (method !== 'eth_getTransactionReceipt' || asked !== txHash) return undefined;
    const block = await anvil.ask('eth_getBlockByNumber', 'latest', false);
    const place = { transactionHash: txHash, blockNumber: block.number, blockHash: block.hash, transactionIndex: '0x63' };
    return { result: { ...place, from: anvil.token, to: anvil.token, status: '0x1', gasUsed: '0x5208', logs: logsIn(block) } };
  };
  return [inLogs, inReceipts];
}

/** A call of a function of the token is answered with a number. */
export function answering(selector: string, value: bigint): Lie {
  return ({ method, params: [call] }) => (method === 'eth_call' && call.data.startsWith(selector) ? { result: word(value) } : undefined);
}

/** The token refuses every call of a function, with this reason. */
export function refusing(selector: string, reason: string): Lie {
  return ({ method, params: [call] }) =>
    method === 'eth_call' && call.data?.startsWith(selector) ? { error: { code: 3, message: `execution reverted: ${reason}` } } : undefined;
}

/** The newest block is another one: `change` says what of it. */
export function headThat(change: (block: Any) => object): Lie {
  return lieAbout('eth_getBlockByNumber', (block, [height]) => (height === 'latest' ? { ...block, ...change(block) } : block));
}

/** The node has stopped so many blocks ago. */
export async function stuck(anvil: Anvil, blocks: number): Promise<Lie> {
  const height = Number(await anvil.ask('eth_blockNumber')) - blocks;
  const last = await anvil.ask('eth_getBlockByNumber', `0x${height.toString(16)}`, false);
  const isLater = (number: unknown) => typeof number === 'string' && Number(number) > height;
  return ({ method, params }: Asked, truth: Any) => {
    if (method === 'eth_getBlockByNumber') {
      if (params[0] === 'latest') return { result: last };
      return isLater(params[0]) ? { result: null } : undefined;
    }
    if (method === 'eth_getTransactionReceipt') return isLater(truth.result?.blockNumber) ? { result: null } : undefined;
    if (method === 'eth_getLogs') return { result: truth.result.filter(({ blockNumber }: Any) => !isLater(blockNumber)) };
    return undefined;
  };
}
