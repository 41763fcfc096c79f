// What nodes mean when they refuse: a contract that reverts, and a transaction that they do not take. Each kind of node has words of its
// own, and their codes are few and shared; so it is the words that are looked at.
import type { Bytes32 } from '../x402/chain/address.js';
import { UnreadableAnswer } from './chain-data.js';
import type { Hex } from './evm.js';
import { compareNumbers } from './question.js';
import type { HostWord } from './quorum.js';
import type { RpcAnswer } from './rpc.js';
import { readText } from './token.js';

/** The text with which a contract reverts; empty where it gives none. */
export interface Refused {
  reverted: string;
}

/** The gas that a call takes, or that it reverts, with the text that the contract gives. */
export type GasResult = { gas: bigint } | Refused;

const errorSelector = '0x08c379a0';
const longestReason = 300;

/** That a contract reverted, and why. Null where the node says something else. */
export function revertOf(answer: RpcAnswer | undefined): Refused | null {
  if (answer === undefined || !('refused' in answer)) return null;
  const { code, message, data } = answer.refused;
  const said = /^(?:.*?execution reverted|VM Exception while processing transaction: revert|Reverted)(?::\s*)?(.*)$/is.exec(message);
  const text = dataOf(data);
  if (said === null && code !== 3) return null;
  const reason = text === null ? (said?.[1] ?? '') : text;
  // Some nodes print the data, or other words of theirs, behind the text of the contract.
  return {
    reverted: reason
      .replace(/,\s*data:.*$/is, '')
      .trim()
      .slice(0, longestReason),
  };
}

/** The text of Error(string) in what a contract reverts with; empty for data of another kind; null where there is none. */
function dataOf(data: unknown): string | null {
  const text = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (typeof text !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(text)) return null;
  const hex = text.toLowerCase() as Hex;
  return hex.startsWith(errorSelector) ? (readText(`0x${hex.slice(10)}`) ?? '') : '';
}

/** The most gas that so many want at least; the refusal of the first where all say that the call reverts. */
export function gasAmong(said: readonly GasResult[], quorum: number): GasResult | null {
  const gas = said.flatMap((value) => ('gas' in value ? [value.gas] : [])).sort(compareNumbers);
  const most = gas.at(-quorum);
  if (most !== undefined) return { gas: most };
  return gas.length > 0 ? null : (said[0] ?? null);
}

/**
 * What a node says to a transaction. `accepted`: it has it now. `known`: it had it. `nonce_used`: a transaction of this nonce is in a
 * block, ours or another. `underpriced`: fees below the base fee, or too little above those of what it would replace. `no_gas`: the
 * sender cannot pay for it. `refused`: for another reason.
 */
export type SendWord = 'accepted' | 'known' | 'nonce_used' | 'underpriced' | 'no_gas' | 'refused';

/** `unheard`: nobody said anything, and the transaction may be under way all the same. */
export interface SendAnswer {
  state: SendWord | 'unheard';
  said: readonly HostWord[];
}

const words: readonly (readonly [RegExp, SendWord])[] = [
  [/already known|known transaction|already imported|alreadyknown|already exists|already in (the )?(mem)?pool/i, 'known'],
  [/nonce (is )?too low|oldnonce|nonce has already been used|invalid nonce.*too low/i, 'nonce_used'],
  [
    /underpriced|less than (the )?block base fee|fee ?too ?low|replacement ?not ?allowed|could not replace|below (the )?min|gas price/i,
    'underpriced',
  ],
  [/insufficient funds|insufficient balance|not enough (funds|balance)|out of gas: .*balance/i, 'no_gas'],
];

/** What one node's answer to a sending means. Throws where it names another hash than the transaction has: then it says nothing. */
export function sendWordOf(answer: RpcAnswer, hash: Bytes32): SendWord {
  if ('refused' in answer) return words.find(([pattern]) => pattern.test(answer.refused.message))?.[1] ?? 'refused';
  if (typeof answer.result === 'string' && answer.result.toLowerCase() === hash) return 'accepted';
  throw new UnreadableAnswer('it names another hash than that of the transaction');
}

/** In this order: one node that took it has it, whatever others say. */
const order: readonly SendWord[] = ['accepted', 'known', 'nonce_used', 'no_gas', 'underpriced', 'refused'];

/** What all their words mean together. */
export function sendAnswerOf(said: readonly SendWord[], hosts: readonly HostWord[]): SendAnswer {
  return { state: order.find((word) => said.includes(word)) ?? 'unheard', said: hosts };
}
