// The bytes of the token's calls, beside viem's, and the reading of what it returns and logs.
import fc from 'fast-check';
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  hashDomain,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { signatureParts } from '../../../src/contexts/evm/evm.js';
import {
  addressTopic,
  authorizationStateCall,
  balanceCall,
  cancelByParts,
  cancelBySignature,
  domainSeparator,
  factCalls,
  readFlag,
  readText,
  readTokenLog,
  readUint,
  readWord,
  refusalOf,
  topics,
  transferByParts,
  transferBySignature,
} from '../../../src/contexts/evm/token.js';

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

const hex = (fewest: number, most = fewest) =>
  fc.uint8Array({ minLength: fewest, maxLength: most }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const authorizations = fc.record({ from: hex(20), to: hex(20), value: uint256, validAfter: uint256, validBefore: uint256, nonce: hex(32) });

describe('a call', () => {
  it('has the bytes that viem gives it', () => {
    fc.assert(
      fc.property(authorizations, hex(64), hex(0, 100), (authorization, half, bytes) => {
        const { from, to, value, validAfter, validBefore, nonce } = authorization;
        const parts = signatureParts(`${half}1b`);
        if (parts === null) throw new Error('no parts');
        const { v, r, s } = parts;
        const six = [from, to, value, validAfter, validBefore, nonce] as const;
        const encode = (functionName: string, args: readonly unknown[]) =>
          encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
        expect(transferByParts(authorization, parts)).toBe(encode('transferWithAuthorization', [...six, v, r, s]));
        expect(transferBySignature(authorization, bytes)).toBe(encode('transferWithAuthorization', [...six, bytes]));
        expect(cancelByParts(from, nonce, parts)).toBe(encode('cancelAuthorization', [from, nonce, v, r, s]));
        expect(cancelBySignature(from, nonce, bytes)).toBe(encode('cancelAuthorization', [from, nonce, bytes]));
        expect(authorizationStateCall(from, nonce)).toBe(encode('authorizationState', [from, nonce]));
        expect(balanceCall(from)).toBe(encode('balanceOf', [from]));
      }),
    );
  });

  it('of a number that does not fit is not made', () => {
    const authorization = { from: `0x${'1'.repeat(40)}`, to: `0x${'1'.repeat(40)}`, nonce: `0x${'1'.repeat(64)}` } as const;
    const times = { validAfter: 0n, validBefore: 1n };
    for (const value of [-1n, 2n ** 256n])
      expect(() => transferBySignature({ ...authorization, ...times, value }, '0x')).toThrow('256 bits');
  });

  it('for what a token says of itself has the selector of its name', () => {
    expect(factCalls.name).toBe(toFunctionSelector('name()'));
    expect(factCalls.version).toBe(toFunctionSelector('version()'));
    expect(factCalls.decimals).toBe(toFunctionSelector('decimals()'));
    expect(factCalls.totalSupply).toBe(toFunctionSelector('totalSupply()'));
    expect(factCalls.domainSeparator).toBe(toFunctionSelector('DOMAIN_SEPARATOR()'));
  });

  it('is for a domain whose separator is that of viem', () => {
    const domain = { name: 'USD Coin', version: '2', chainId: 8453n, verifyingContract: `0x${'12'.repeat(20)}` } as const;
    const fields = [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ] as const;
    expect(domainSeparator(domain)).toBe(hashDomain({ domain, types: { EIP712Domain: fields } }));
  });
});

describe('a result', () => {
  it('is read as what it was', () => {
    fc.assert(
      fc.property(uint256, fc.string({ maxLength: 100, unit: 'binary' }), hex(32), (number, text, word) => {
        expect(readUint(encodeAbiParameters([{ type: 'uint256' }], [number]))).toBe(number);
        expect(readText(encodeAbiParameters([{ type: 'string' }], [text]))).toBe(text);
        expect(readWord(word)).toBe(word);
      }),
    );
    expect([true, false].map((flag) => readFlag(encodeAbiParameters([{ type: 'bool' }], [flag])))).toEqual([true, false]);
  });

  const text = encodeAbiParameters([{ type: 'string' }], ['USDC']);
  it.each([
    ['nothing', '0x'],
    ['31 bytes', `0x${'00'.repeat(31)}`],
    ['33 bytes', `0x${'00'.repeat(33)}`],
  ] as const)('of %s is none', (_, given) => {
    expect([readUint(given), readFlag(given), readWord(given), readText(given)]).toEqual([null, null, null, null]);
  });

  it('that is neither true nor false is none', () => expect(readFlag(`0x${'2'.padStart(64, '0')}`)).toBeNull());

  it.each([
    ['another place', text.replace(/^0x0{62}20/, `0x${'40'.padStart(64, '0')}`)],
    ['a longer length', text.replace('04', '24')],
    ['an endless length', text.replace(/0{63}4/, 'f'.repeat(64))],
    ['something behind', text.replace(/00$/, '01')],
    ['a word more', `${text}${'0'.repeat(64)}`],
    ['no UTF-8', text.replace('55534443', 'ffffffff')],
  ])('that is a text with %s is none', (_, given) => {
    expect(given).not.toBe(text);
    expect(readText(given as Hex)).toBeNull();
  });

  it('of any bytes throws nothing', () => {
    fc.assert(fc.property(hex(0, 200), (bytes) => void [readText(bytes), readUint(bytes), readFlag(bytes), readWord(bytes)]));
  });
});

const token: Address = `0x${'ab'.repeat(20)}`;
const from: Address = `0x${'01'.repeat(20)}`;
const to: Address = `0x${'02'.repeat(20)}`;
const nonce: Hex = `0x${'03'.repeat(32)}`;
const data = encodeAbiParameters([{ type: 'uint256' }], [7n]);
const topicsOf = (eventName: 'Transfer' | 'AuthorizationUsed' | 'AuthorizationCanceled', args: object) =>
  encodeEventTopics({ abi, eventName, args } as Parameters<typeof encodeEventTopics>[0]) as Hex[];
const transfer = { address: token, topics: topicsOf('Transfer', { from, to }), data };
const used = { address: token, topics: topicsOf('AuthorizationUsed', { authorizer: from, nonce }), data: '0x' as const };

describe('a log', () => {
  it('is read as what it says', () => {
    expect(readTokenLog(token, transfer)).toEqual({ kind: 'transfer', from, to, value: 7n });
    expect(readTokenLog(token, used)).toEqual({ kind: 'used', authorizer: from, nonce });
    const cancelled = { ...used, topics: topicsOf('AuthorizationCanceled', { authorizer: from, nonce }) };
    expect(readTokenLog(token, cancelled)).toEqual({ kind: 'cancelled', authorizer: from, nonce });
    expect(transfer.topics.slice(0, 2)).toEqual([topics.transfer, addressTopic(from)]);
  });

  it.each([
    ['another contract', { ...transfer, address: to }],
    ['another event', { ...transfer, topics: [nonce, ...transfer.topics.slice(1)] }],
    ['a topic missing', { ...transfer, topics: transfer.topics.slice(0, 2) }],
    ['a topic too many, as EIP-721 has it', { ...transfer, topics: [...transfer.topics, nonce] }],
    ['no topics', { ...transfer, topics: [] }],
    ['no amount', { ...transfer, data: '0x' as const }],
    ['a longer amount', { ...transfer, data: `${data}00` as Hex }],
    ['an address of 32 bytes', { ...transfer, topics: [transfer.topics[0] as Hex, nonce, transfer.topics[2] as Hex] }],
    ['a payee of 32 bytes', { ...transfer, topics: [...transfer.topics.slice(0, 2), nonce] }],
    ['data where there is none', { ...used, data }],
  ])('with %s is none', (_, log) => expect(readTokenLog(token, log)).toBeNull());
});

describe('a refusal', () => {
  it.each([
    ['FiatTokenV2: authorization is used or canceled', 'authorization_used'],
    ['FiatTokenV2: authorization is expired', 'authorization_expired'],
    ['FiatTokenV2: authorization is not yet valid', 'authorization_early'],
    ['FiatTokenV2: invalid signature', 'invalid_signature'],
    ["ECRecover: invalid signature 's' value", 'invalid_signature'],
    ['Blacklistable: account is blacklisted', 'address_blocked'],
    ['Pausable: paused', 'token_paused'],
    ['ERC20: transfer amount exceeds balance', 'balance'],
    ['ERC20: transfer to the zero address', 'reverted'],
    ['', 'reverted'],
  ])('%j means %s', (text, meaning) => expect(refusalOf(text)).toBe(meaning));
});
