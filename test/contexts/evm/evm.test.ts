// Transactions, authorizations and derived keys, beside viem, and what is refused of them.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Address, getAddress, type Hex, keccak256, parseTransaction, serializeTransaction, stringToHex } from 'viem';
import { HDKey, hdKeyToAccount, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import {
  accountXpub,
  addressOfKey,
  bytesOf,
  decodeTransaction,
  depositAddresses,
  depositKeys,
  isPrivateKey,
  payoutNonce,
  readAddress,
  signAuthorization,
  signatureParts,
  signTransaction,
  type Transaction,
  walletPlace,
} from '../../../src/contexts/evm/evm.js';
import { checksummed } from '../../../src/contexts/x402/chain/address.js';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (fewest: number, most = fewest) =>
  fc.uint8Array({ minLength: fewest, maxLength: most }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const upTo = (max: bigint) => fc.bigInt({ min: 0n, max });
const secret = fc.bigInt({ min: 1n, max: order - 1n }).map((value): Hex => `0x${value.toString(16).padStart(64, '0')}`);
const fees = fc.tuple(upTo(2n ** 64n), upTo(2n ** 64n)).map(([a, b]) => (a < b ? [b, a] : [a, b]) as [bigint, bigint]);
const transactions = fc
  .record({
    chainId: fc.bigInt({ min: 1n, max: 2n ** 50n }),
    nonce: upTo(2n ** 50n),
    fees,
    gasLimit: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
    to: hex(20),
    value: upTo(2n ** 96n),
    data: hex(0, 400),
  })
  .map(({ fees: [maxFeePerGas, maxPriorityFeePerGas], ...rest }): Transaction => ({ ...rest, maxFeePerGas, maxPriorityFeePerGas }));

const asViem = ({ gasLimit, nonce, chainId, ...rest }: Transaction) => ({
  ...rest,
  type: 'eip1559' as const,
  gas: gasLimit,
  nonce: Number(nonce),
  chainId: Number(chainId),
});

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

const uint256 = upTo(2n ** 256n - 1n);
const text = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
const domains = fc.record({ name: text, version: text, chainId: uint256, verifyingContract: hex(20) });
const authorizations = fc.record({ from: hex(20), to: hex(20), value: uint256, validAfter: uint256, validBefore: uint256, nonce: hex(32) });

describe('a transaction', () => {
  it('has the bytes and the hash that viem gives it, and is read as what it was, 100 times of 100', async () => {
    await fc.assert(
      fc.asyncProperty(transactions, secret, async (transaction, key) => {
        const account = privateKeyToAccount(key);
        const expected = await account.signTransaction(asViem(transaction));
        const signed = signTransaction(transaction, bytesOf(key));
        expect(signed).toEqual({ raw: expected, hash: keccak256(expected) });
        expect(decodeTransaction(signed.raw)).toEqual({ ...transaction, ...signed, sender: account.address.toLowerCase() });
      }),
      { numRuns: 100 },
    );
  });

  const key: Hex = `0x${'4c'.repeat(32)}`;
  const plain: Transaction = {
    chainId: 8453n,
    nonce: 7n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    gasLimit: 100_000n,
    to: `0x${'12'.repeat(20)}`,
    value: 0n,
    data: '0x',
  };
  const { raw } = signTransaction(plain, bytesOf(key));
  const account = privateKeyToAccount(key);
  const highS = () => {
    const { r, s, yParity, v: _, ...rest } = parseTransaction(raw);
    const signature = { r: r as Hex, s: `0x${(order - BigInt(s as Hex)).toString(16)}` as Hex, yParity: 1 - (yParity as number) };
    return serializeTransaction(rest as Parameters<typeof serializeTransaction>[0], signature);
  };

  it.each([
    ['nothing', async () => '0x'],
    ['the type alone', async () => '0x02'],
    ['no hexadecimal digits', async () => 'transaction'],
    ['half a byte more', async () => `${raw}0`],
    ['a byte more', async () => `${raw}00`],
    ['a byte less', async () => raw.slice(0, -2)],
    ['another type', async () => account.signTransaction({ type: 'eip2930', chainId: 8453, gasPrice: 1n, to: plain.to, gas: 21_000n })],
    ['the oldest type', async () => account.signTransaction({ type: 'legacy', chainId: 8453, gasPrice: 1n, to: plain.to, gas: 21_000n })],
    ['no signature', async () => serializeTransaction(asViem(plain))],
    ['no recipient', async () => account.signTransaction({ ...asViem(plain), to: null })],
    [
      'an access list',
      async () => account.signTransaction({ ...asViem(plain), accessList: [{ address: plain.to as Address, storageKeys: [] }] }),
    ],
    ['the higher s', async () => highS()],
  ])('of %s is read as nothing', async (_, make) => {
    const made = await make();
    expect(made).not.toBe(raw);
    expect(decodeTransaction(made)).toBeNull();
  });

  it('of bytes at random is read as nothing, and nothing is thrown', () => {
    fc.assert(
      fc.property(hex(0, 300), (bytes) => {
        expect(decodeTransaction(bytes)).toBeNull();
        expect(decodeTransaction(`0x02${bytes.slice(2)}`)).toBeNull();
      }),
    );
  });
});

describe('an authorization', () => {
  it('has the signature that viem gives it, 100 times of 100', async () => {
    await fc.assert(
      fc.asyncProperty(domains, authorizations, secret, async (domain, message, key) => {
        const account = privateKeyToAccount(key);
        const expected = await account.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message });
        const signature = signAuthorization(domain, message, bytesOf(key));
        expect(signature).toBe(expected);
        const { r, s, v } = signatureParts(signature) ?? {};
        expect(`${r}${s?.slice(2)}${v?.toString(16)}`).toBe(signature);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['64 bytes', `0x${'11'.repeat(64)}`, null],
    ['v of 29', `0x${'11'.repeat(64)}1d`, null],
    ['v of 0', `0x${'11'.repeat(64)}00`, { r: `0x${'11'.repeat(32)}`, s: `0x${'11'.repeat(32)}`, v: 27 }],
    ['v of 1', `0x${'11'.repeat(64)}01`, { r: `0x${'11'.repeat(32)}`, s: `0x${'11'.repeat(32)}`, v: 28 }],
  ])('of %s is split as it should', (_, signature, parts) => expect(signatureParts(signature)).toEqual(parts));
});

describe('an address', () => {
  it('has the check sum and the key that viem gives it', () => {
    fc.assert(
      fc.property(hex(20), secret, (bytes, key) => {
        expect(checksummed(bytes)).toBe(getAddress(bytes));
        expect(addressOfKey(bytesOf(key))).toBe(privateKeyToAccount(key).address.toLowerCase());
      }),
      { numRuns: 30 },
    );
  });

  const right = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
  it.each([right, right.toLowerCase(), `0x${right.slice(2).toUpperCase()}`])('%s is taken', (spelled) =>
    expect(readAddress(spelled)).toEqual({ address: right.toLowerCase() }),
  );

  it.each([
    ['41 digits', `${right}0`, /40 hexadecimal digits/],
    ['39 digits', right.slice(0, -1), /40 hexadecimal digits/],
    ['no 0x', right.slice(2), /40 hexadecimal digits/],
    ['white space', ` ${right}`, /40 hexadecimal digits/],
    ['a wrong check sum', right.replace('CbD', 'cbD'), /check sum/],
    ['a mistyped digit', right.replace('CbD5', 'CbD6'), /check sum/],
    ['zero', `0x${'0'.repeat(40)}`, /zero/],
  ])('with %s is refused', (_, spelled, problem) => expect(readAddress(spelled)).toEqual({ problem: expect.stringMatching(problem) }));

  it.each([0n, order, order + 1n])('has no private key %s', (number) => {
    const bytes = Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
    expect(isPrivateKey(bytes)).toBe(false);
    expect(() => addressOfKey(bytes)).toThrow('no private key');
  });
});

describe('the address of a wallet', () => {
  const wallet = '01A1FDE5-fb4e-7128-b762-fcee8f223ff3';
  const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

  it('stands at the first two numbers of 31 bits of the hash of its id', () => {
    const bits = [...createHash('sha256').update(wallet.toLowerCase()).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    expect(walletPlace(wallet)).toEqual([Number.parseInt(bits.slice(1, 32), 2), Number.parseInt(bits.slice(33, 64), 2)]);
  });

  it('is the same from the public key and from the seed, and the one that viem derives', () => {
    const [a, b] = walletPlace(wallet);
    const expected = hdKeyToAccount(HDKey.fromMasterSeed(seed), { path: `m/44'/60'/0'/${a}/${b}` }).address.toLowerCase();
    expect(depositAddresses(accountXpub(seed))(wallet)).toBe(expected);
    expect(addressOfKey(depositKeys(seed)(wallet))).toBe(expected);
    expect(depositAddresses(accountXpub(seed))(wallet.toLowerCase())).toBe(expected);
  });

  const account = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'");
  it.each([
    ['the private key', account.privateExtendedKey],
    ['another depth', HDKey.fromMasterSeed(seed).derive("m/44'/60'").publicExtendedKey],
    ['another account', HDKey.fromMasterSeed(seed).derive("m/44'/60'/1'").publicExtendedKey],
    ['a mistyped letter', `${account.publicExtendedKey.slice(0, -1)}1`],
    ['nothing', ''],
  ])('is not derived from %s, which is not repeated', (_, given) => {
    let said = '';
    try {
      depositAddresses(given);
    } catch (error) {
      said = String(error);
    }
    expect(said).toMatch(/extended public key|xpub/);
    if (given !== '') expect(said).not.toContain(given.slice(0, 20));
  });
});

describe('the nonce of a payout', () => {
  it('is the hash of both ids, however they are spelled', () => {
    const [workspace, payout] = ['01a1fde5-fb4e-7128-b762-fcee8f223ff3', '01a1fde6-fb4e-7128-b762-fcee8f223ff3'];
    const expected = keccak256(stringToHex(`agent-payments payout${workspace}${payout}`));
    expect(payoutNonce(workspace, payout)).toBe(expected);
    expect(payoutNonce(workspace.toUpperCase(), payout.toUpperCase())).toBe(expected);
    expect(payoutNonce(payout, workspace)).not.toBe(expected);
    expect(() => payoutNonce(workspace, `po_${payout}`)).toThrow('must be a UUID');
  });
});
