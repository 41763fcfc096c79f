// How nodes are asked: calls, and what must hold for their answers to say anything.
import { type Block, readBlock, readQuantity, UnreadableAnswer } from './chain-data.js';
import type { Hex } from './evm.js';
import type { HostWord, Question } from './quorum.js';
import type { RpcAnswer, RpcCall } from './rpc.js';

export const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;
/** EIP-1898: the state after this block, and only while it is in the chain. */
export const atHash = ({ hash }: Block) => ({ blockHash: hash, requireCanonical: true });
export const call = (method: string, ...params: unknown[]): RpcCall => ({ method, params });
export const compareNumbers = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));
export const byNumber = (number: bigint) => call('eth_getBlockByNumber', quantity(number), false);

/** What an answer says; null for one that says nothing, which hides no other of its request. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}

/** A question of one call that must have a result. */
export function one<T>(method: string, params: readonly unknown[], read: (result: unknown) => T): Question<T> {
  return { calls: [{ method, params }], read: ([answer]) => read(resultOf(answer)) };
}

/** A question about the state after a block, which the URL must have in its chain at that height, before the calls and after them. */
export function allInChain<T>(block: Block, asked: readonly RpcCall[], read: (answers: readonly RpcAnswer[]) => T): Question<T> {
  return {
    calls: [byNumber(block.number), ...asked, byNumber(block.number)],
    read: (answers) => {
      if ([answers.at(0), answers.at(-1)].some((each) => readBlock(resultOf(each))?.hash !== block.hash))
        throw new UnreadableAnswer(`it does not have the block ${block.hash}`);
      return read(answers.slice(1, -1));
    },
  };
}

/** The same of one call. */
export function inChain<T>(block: Block, asked: RpcCall, read: (answer: RpcAnswer | undefined) => T): Question<T> {
  return allInChain(block, [asked], ([answer]) => read(answer));
}

/** What begins the words of a node that refuses a question. */
const refuses = 'it refuses with';

/** True where a node would not give an answer that it has, or gave one that is too long to be read. */
export function isRefused({ said }: { said: readonly HostWord[] }): boolean {
  return said.some(({ said: words }) => words === 'too_large' || words.startsWith(refuses));
}

/** A block. Throws where the node has none. */
export function readExisting(result: unknown): Block {
  const block = readBlock(result);
  if (block === null) throw new UnreadableAnswer('it does not have the block');
  return block;
}

/** The result of a call. Throws where the node refuses. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new UnreadableAnswer('no answer');
  if ('refused' in answer) throw new UnreadableAnswer(`${refuses} ${answer.refused.code}: ${answer.refused.message}`);
  return answer.result;
}

export const quantityResult = (what: string) => (answer: RpcAnswer | undefined) => readQuantity(resultOf(answer), what);
