// What nodes of several kinds mean when they refuse, in their own words; and answers of any shape, of which none does more than be refused.
import fc from 'fast-check';
import { encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  readBlock,
  readData,
  readHash,
  readLogs,
  readQuantity,
  readReceipt,
  UnreadableAnswer,
} from '../../../src/contexts/evm/chain-data.js';
import type { Hex } from '../../../src/contexts/evm/evm.js';
import { revertOf, type SendWord, sendAnswerOf, sendWordOf } from '../../../src/contexts/evm/refusal.js';

const hash: Hex = `0x${'12'.repeat(32)}`;
const refused = (message: string, code = -32_000, data?: unknown) => ({ refused: { code, message, data } });

describe('a node that does not take a transaction', () => {
  it.each<[string, string, SendWord]>([
    ['geth', 'already known', 'known'],
    ['geth', 'nonce too low: next nonce 8, tx nonce 7', 'nonce_used'],
    ['geth', 'replacement transaction underpriced', 'underpriced'],
    ['geth', 'transaction underpriced: tip needed 1000000, tip permitted 1', 'underpriced'],
    ['geth', 'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 7', 'underpriced'],
    ['geth', 'insufficient funds for gas * price + value: balance 0, tx cost 21000', 'no_gas'],
    ['geth', 'intrinsic gas too low', 'refused'],
    ['geth', 'exceeds block gas limit', 'refused'],
    ['anvil', 'transaction already imported', 'known'],
    ['nethermind', 'AlreadyKnown', 'known'],
    ['nethermind', 'OldNonce, Current nonce: 8, nonce of rejected tx: 7', 'nonce_used'],
    ['nethermind', 'ReplacementNotAllowed', 'underpriced'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low', 'underpriced'],
    ['besu', 'Known transaction', 'known'],
    ['besu', 'Nonce too low', 'nonce_used'],
    ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
    ['erigon', 'could not replace existing tx', 'underpriced'],
    ['a gateway', 'method not allowed', 'refused'],
  ])('%s says %j', (_, message, word) => expect(sendWordOf(refused(message), hash)).toBe(word));

  it('has it where it names its hash, and says nothing where it names another', () => {
    expect(sendWordOf({ result: hash.toUpperCase().replace('0X', '0x') }, hash)).toBe('accepted');
    for (const result of [`0x${'13'.repeat(32)}`, null, true, {}]) expect(() => sendWordOf({ result }, hash)).toThrow(UnreadableAnswer);
  });

  it.each<[readonly SendWord[], string]>([
    [['refused', 'accepted'], 'accepted'],
    [['nonce_used', 'known'], 'known'],
    [['underpriced', 'nonce_used'], 'nonce_used'],
    [['refused', 'underpriced'], 'underpriced'],
    [[], 'unheard'],
  ])('beside others: %j is %s', (words, state) => expect(sendAnswerOf(words, []).state).toBe(state));
});

describe('a contract that reverts', () => {
  const abi = parseAbi(['error Error(string)']);
  const data = encodeErrorResult({ abi, errorName: 'Error', args: ['Pausable: paused'] });
  it.each([
    ['with data', refused('execution reverted: something', 3, data), 'Pausable: paused'],
    ['with data within', refused('execution reverted', 3, { data }), 'Pausable: paused'],
    ['with words alone', refused('execution reverted: Pausable: paused'), 'Pausable: paused'],
    ['with data behind its words', refused('execution reverted: Pausable: paused, data: "0x08c3"'), 'Pausable: paused'],
    ['with the words of another node', refused('VM Exception while processing transaction: revert Pausable: paused'), 'Pausable: paused'],
    ['with an error of its own', refused('execution reverted: custom error', 3, '0xdeadbeef'), ''],
    ['with nothing', refused('execution reverted'), ''],
    ['with data that is no text', refused('execution reverted', 3, `${data.slice(0, 40)}`), ''],
  ])('%s', (_, answer, reverted) => expect(revertOf(answer)).toEqual({ reverted }));

  it.each([
    ['an answer', { result: '0x' }],
    ['an unknown block', refused('header not found')],
    ['an unknown method', refused('the method does not exist', -32_601)],
  ])('is told from %s', (_, answer) => expect(revertOf(answer)).toBeNull());
});

describe('an answer of any shape', () => {
  const values = fc.anything({ withBigInt: false });
  const near = fc.record(
    Object.fromEntries(
      [
        'number',
        'hash',
        'parentHash',
        'timestamp',
        'baseFeePerGas',
        'transactionHash',
        'blockNumber',
        'blockHash',
        'topics',
        'logs',
        'status',
      ].map((name) => [name, fc.oneof(values, fc.constantFrom('0x1', '0x0', hash, [], [{}], null))]),
    ),
  );
  const readers: Record<string, (value: unknown) => unknown> = {
    block: readBlock,
    receipt: (value) => readReceipt(value, hash),
    logs: (value) => readLogs(value, { addresses: [], topics: [] }, () => true),
    quantity: (value) => readQuantity(value, 'it'),
    hash: (value) => readHash(value, 'it'),
    data: (value) => readData(value, 'it'),
  };

  it.each(Object.keys(readers))('is refused as a %s by the one error that there is for it', (name) => {
    fc.assert(
      fc.property(fc.oneof(values, near, fc.array(near)), (value) => {
        try {
          readers[name]?.(value);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableAnswer);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(['', '0x', '0x01', '01', '1', 1, '0x1g', `0x1${'0'.repeat(64)}`, null, true, {}])('%j is no quantity', (value) =>
    expect(() => readQuantity(value, 'it')).toThrow(UnreadableAnswer),
  );
});
