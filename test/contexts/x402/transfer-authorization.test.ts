// EIP-712 and the recovery of a signer, beside viem, and on the signature that the specification of x402 prints.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Hex, hashTypedData, hexToBytes } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { type ChainAddress, parseAddress, parseBytes32, parseUint256 } from '../../../src/contexts/x402/chain/address.js';
import {
  authorizationDigest,
  signerOf,
  type TokenDomain,
  type TransferAuthorization,
} from '../../../src/contexts/x402/chain/transfer-authorization.js';

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

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const secret = fc.bigInt({ min: 1n, max: order - 1n }).map((value): Hex => `0x${value.toString(16).padStart(64, '0')}`);
const text = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
const domains = fc.record({ name: text, version: text, chainId: uint256, verifyingContract: hex(20) });
const authorizations = fc.record({ from: hex(20), to: hex(20), value: uint256, validAfter: uint256, validBefore: uint256, nonce: hex(32) });

function expectedDigest(domain: TokenDomain, message: TransferAuthorization): Hex {
  return hashTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message });
}

describe('an authorization', () => {
  it('has the digest that viem computes', () => {
    fc.assert(
      fc.property(domains, authorizations, (domain, authorization) => {
        expect(`0x${Buffer.from(authorizationDigest(domain, authorization)).toString('hex')}`).toBe(expectedDigest(domain, authorization));
      }),
    );
  });

  it('is of the key that signed it, and its other half of s is refused', async () => {
    await fc.assert(
      fc.asyncProperty(secret, hex(32), async (privateKey, hash) => {
        const signer = privateKeyToAccount(privateKey).address.toLowerCase();
        const { r, s, yParity = 0 } = await sign({ hash, privateKey });
        const v = (parity: number, base: number) => (parity + base).toString(16).padStart(2, '0');
        const digest = hexToBytes(hash);
        for (const base of [0, 27]) expect(signerOf(digest, `${r}${s.slice(2)}${v(yParity, base)}`)).toBe(signer);
        const high = (order - BigInt(s)).toString(16).padStart(64, '0');
        expect(signerOf(digest, `${r}${high}${v(1 - yParity, 27)}`)).toBeNull();
        expect(signerOf(digest, `${r}${s.slice(2)}${v(1 - yParity, 27)}`)).not.toBe(signer);
      }),
      { numRuns: 30 },
    );
  });

  it('of the specification was signed for "USDC", and not for "USD Coin"', () => {
    const { v2 } = JSON.parse(readFileSync(new URL('../../vectors/x402/http_headers.json', import.meta.url), 'utf8'));
    const { accepted, payload } = v2.find(({ header }: { header: string }) => header === 'PAYMENT-SIGNATURE').decoded;
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
    const authorization = {
      from: parseAddress(from) as ChainAddress,
      to: parseAddress(to) as ChainAddress,
      value: parseUint256(value) as bigint,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: parseBytes32(nonce) as ChainAddress,
    };
    const signer = (name: string) =>
      signerOf(
        authorizationDigest(
          { name, version: '2', chainId: 84_532n, verifyingContract: parseAddress(accepted.asset) as ChainAddress },
          authorization,
        ),
        payload.signature,
      );
    expect(signer('USDC')).toBe(parseAddress(from));
    expect(signer('USD Coin')).not.toBe(parseAddress(from));
  });

  it.each([
    ['nothing', ''],
    ['64 bytes', `0x${'11'.repeat(64)}`],
    ['66 bytes, as a contract signs', `0x${'11'.repeat(66)}`],
    ['r of zero', `0x${'00'.repeat(32)}${'11'.repeat(32)}1b`],
    ['r beyond the order', `0x${'ff'.repeat(32)}${'11'.repeat(32)}1b`],
    ['s of zero', `0x${'11'.repeat(32)}${'00'.repeat(32)}1b`],
    ['v of 29', `0x${'11'.repeat(64)}1d`],
    ['no hexadecimal digits', `0x${'zz'.repeat(65)}`],
  ])('with %s for a signature is of nobody', (_what, signature) => {
    expect(signerOf(new Uint8Array(32).fill(7), signature)).toBeNull();
  });
});

describe('a quantity', () => {
  it.each(['', '-1', '+1', '01', '1e4', ' 1', '1.0', '0x1', (2n ** 256n).toString()])('is not %j', (quantity) => {
    expect(parseUint256(quantity)).toBeNull();
  });

  it('is a uint256', () => {
    fc.assert(
      fc.property(uint256, (value) => {
        expect(parseUint256(value.toString())).toBe(value);
      }),
    );
  });
});

describe('an address', () => {
  it('is the same in all capitals', () => {
    expect(parseAddress('0x036CbD53842c5426634e7929541eC2318f3dCF7e')).toBe(parseAddress('0x036cbd53842c5426634e7929541ec2318f3dcf7e'));
  });

  it.each([
    '036CbD53842c5426634e7929541eC2318f3dCF7e',
    '0x036CbD53842c5426634e7929541eC2318f3dCF7',
    '0X036CbD53842c5426634e7929541eC2318f3dCF7e',
  ])('is not %s', (address) => {
    expect(parseAddress(address)).toBeNull();
  });
});
