// Addresses and quantities of the EVM as the protocols write them in JSON. Two spellings of an address are one: bytes are compared.
import { keccak_256 } from '@noble/hashes/sha3.js';

/** An address in lower case: `0x` and 40 hexadecimal digits. */
export type ChainAddress = `0x${string}`;

/** 32 bytes, as `0x` and 64 hexadecimal digits in lower case. */
export type Bytes32 = `0x${string}`;

const largest = 2n ** 256n - 1n;

/**
 * Reads an address in any capitals. The check sum of EIP-55 is not asked for: the reference facilitator takes addresses without it, and
 * what is signed are the bytes.
 */
export function parseAddress(text: string): ChainAddress | null {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as ChainAddress) : null;
}

/** An address with the capitals of EIP-55, as people are shown it. */
export function checksummed(address: ChainAddress): ChainAddress {
  const hash = keccak_256(Buffer.from(address.slice(2)));
  const digits = [...address.slice(2)].map((digit, at) => {
    const half = (hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0);
    return (half & 8) === 0 ? digit : digit.toUpperCase();
  });
  return `0x${digits.join('')}`;
}

/** Reads 32 bytes in any capitals; null for what is none. */
export function parseBytes32(text: string): Bytes32 | null {
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as Bytes32) : null;
}

/** A uint256 in decimal digits, without a sign and without leading zeros. */
export function parseUint256(text: string): bigint | null {
  if (!/^(0|[1-9]\d{0,77})$/.test(text)) return null;
  const value = BigInt(text);
  return value > largest ? null : value;
}
