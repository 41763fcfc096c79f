// A transfer that the owner of an EVM address has authorized by a signature (EIP-3009), as EIP-712 hashes it. The curve is WASM: a
// recovery takes 0.3 ms, where libraries in plain JavaScript take 2 to 3. Small libraries such as micro-eth-signer (0.20) recover signers
// in JavaScript and hand out no digest, and viem is large; so the two structures are hashed here, and the tests compare them with viem.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { recover } from 'tiny-secp256k1';
import type { Bytes32, ChainAddress } from './address.js';

/** The token contract that a signature is for. */
export interface TokenDomain {
  name: string;
  version: string;
  chainId: bigint;
  verifyingContract: ChainAddress;
}

export interface TransferAuthorization {
  from: ChainAddress;
  to: ChainAddress;
  /** Base units of the token. */
  value: bigint;
  /** Seconds since 1970: good from the second after it. */
  validAfter: bigint;
  /** Seconds since 1970: good until the second before it. */
  validBefore: bigint;
  nonce: Bytes32;
}

const domainType = typeHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const authorizationType = typeHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const half = BigInt('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

/** The 32 bytes that the owner signs. */
export function authorizationDigest(domain: TokenDomain, authorization: TransferAuthorization): Uint8Array {
  return keccak_256(Buffer.concat([Buffer.of(0x19, 0x01), domainHash(domain), authorizationHash(authorization)]));
}

/** The hash of a domain: what the token calls DOMAIN_SEPARATOR. */
export function domainHash({ name, version, chainId, verifyingContract }: TokenDomain): Uint8Array {
  return keccak_256(
    Buffer.concat([
      domainType,
      keccak_256(Buffer.from(name)),
      keccak_256(Buffer.from(version)),
      word(chainId),
      addressWord(verifyingContract),
    ]),
  );
}

function authorizationHash({ from, to, value, validAfter, validBefore, nonce }: TransferAuthorization): Uint8Array {
  return keccak_256(
    Buffer.concat([
      authorizationType,
      addressWord(from),
      addressWord(to),
      word(value),
      word(validAfter),
      word(validBefore),
      Buffer.from(nonce.slice(2), 'hex'),
    ]),
  );
}

/**
 * Who signed a digest. Null for what is no signature of a key: not 65 bytes (a contract's), another v than 27 and 28 (0 and 1), r or s
 * out of range, and the high one of the two values of s, which token contracts refuse.
 */
export function signerOf(digest: Uint8Array, signature: string): ChainAddress | null {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return null;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const recovery = recoveryOf(bytes[64] as number);
  if (recovery === null || BigInt(`0x${bytes.toString('hex', 32, 64)}`) > half) return null;
  const key = publicKey(digest, bytes.subarray(0, 64), recovery);
  return key === null ? null : `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`;
}

function recoveryOf(v: number): 0 | 1 | null {
  if (v === 0 || v === 27) return 0;
  return v === 1 || v === 28 ? 1 : null;
}

/** 65 bytes; null where no point of the curve has such an r, or r or s is zero or too large. */
function publicKey(digest: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Uint8Array | null {
  try {
    return recover(digest, signature, recovery, false);
  } catch {
    return null;
  }
}

function typeHash(type: string): Uint8Array {
  return keccak_256(Buffer.from(type));
}

/** A number in 32 bytes. */
function word(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function addressWord(address: ChainAddress): Buffer {
  return Buffer.from(address.slice(2).padStart(64, '0'), 'hex');
}
