// A token with EIP-3009, such as USDC: the bytes of its calls, the reading of their results and of its logs, and what it means when it
// refuses. Strict: what is not exactly as the standard has it is read as nothing, and never as something near it.
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import { domainHash, type TokenDomain, type TransferAuthorization } from '../x402/chain/transfer-authorization.js';
import { bytesOf, type Hex, hexOf, keccak, type SignatureParts } from './evm.js';

const hashOf = (text: string): Bytes32 => keccak(Buffer.from(text));
const selectorOf = (signature: string): Hex => hashOf(signature).slice(0, 10) as Hex;

const wordOf = (value: bigint): string => {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError('a number does not fit into 256 bits');
  return value.toString(16).padStart(64, '0');
};
const addressWord = (address: ChainAddress): string => address.slice(2).padStart(64, '0');
const textOf = (word: Hex): string => word.slice(2);

const selectors = {
  transferBySignature: selectorOf('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)'),
  transferByParts: selectorOf('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)'),
  cancelBySignature: selectorOf('cancelAuthorization(address,bytes32,bytes)'),
  cancelByParts: selectorOf('cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)'),
  authorizationState: selectorOf('authorizationState(address,bytes32)'),
  balanceOf: selectorOf('balanceOf(address)'),
};

function authorizationWords({ from, to, value, validAfter, validBefore, nonce }: TransferAuthorization): string {
  return `${addressWord(from)}${addressWord(to)}${wordOf(value)}${wordOf(validAfter)}${wordOf(validBefore)}${textOf(nonce)}`;
}

/** An argument of type `bytes` that is the last of `count`: where it begins, its length, its bytes filled up to whole words. */
function lastBytes(bytes: Hex, count: number): string {
  const { length } = bytesOf(bytes);
  return `${wordOf(BigInt(32 * count))}${wordOf(BigInt(length))}${textOf(bytes).padEnd(64 * Math.ceil(length / 32), '0')}`;
}

function partsWords({ v, r, s }: SignatureParts): string {
  return `${wordOf(BigInt(v))}${textOf(r)}${textOf(s)}`;
}

/** The data of a call that carries an authorization. With the signature in parts, which every version of USDC takes. */
export function transferByParts(authorization: TransferAuthorization, signature: SignatureParts): Hex {
  return `${selectors.transferByParts}${authorizationWords(authorization)}${partsWords(signature)}`;
}

/** The same with the signature as bytes, which USDC takes since 2.2: of contracts' wallets too. */
export function transferBySignature(authorization: TransferAuthorization, signature: Hex): Hex {
  return `${selectors.transferBySignature}${authorizationWords(authorization)}${lastBytes(signature, 7)}`;
}

/** The data of a call that uses a nonce up without a transfer. `signature`: of CancelAuthorization. */
export function cancelByParts(authorizer: ChainAddress, nonce: Bytes32, signature: SignatureParts): Hex {
  return `${selectors.cancelByParts}${addressWord(authorizer)}${textOf(nonce)}${partsWords(signature)}`;
}

/** The same with the signature as bytes. */
export function cancelBySignature(authorizer: ChainAddress, nonce: Bytes32, signature: Hex): Hex {
  return `${selectors.cancelBySignature}${addressWord(authorizer)}${textOf(nonce)}${lastBytes(signature, 3)}`;
}

/** The data of a call that asks whether a nonce is used or cancelled; readFlag() reads what it returns. */
export function authorizationStateCall(authorizer: ChainAddress, nonce: Bytes32): Hex {
  return `${selectors.authorizationState}${addressWord(authorizer)}${textOf(nonce)}`;
}

/** The data of a call that asks what an address has, in base units; readUint() reads what it returns. */
export function balanceCall(address: ChainAddress): Hex {
  return `${selectors.balanceOf}${addressWord(address)}`;
}

/** The data of the calls without arguments. Their results are read by readText(), readUint() and readWord(). */
export const factCalls = {
  name: selectorOf('name()'),
  version: selectorOf('version()'),
  decimals: selectorOf('decimals()'),
  totalSupply: selectorOf('totalSupply()'),
  domainSeparator: selectorOf('DOMAIN_SEPARATOR()'),
} as const;

/** A result of 32 bytes. Null for what is none. */
export function readWord(result: Hex): Bytes32 | null {
  return /^0x[0-9a-f]{64}$/.test(result) ? result : null;
}

/** A result that is a number. Null for what is none. */
export function readUint(result: Hex): bigint | null {
  const word = readWord(result);
  return word === null ? null : BigInt(word);
}

/** A result that is true or false. Null for every other word. */
export function readFlag(result: Hex): boolean | null {
  const value = readUint(result);
  return value === 0n || value === 1n ? value === 1n : null;
}

const longestText = 1_024;

/** A result that is a text of at most 1 KiB. Null for what is none, or no UTF-8. */
export function readText(result: Hex): string | null {
  const bytes = bytesOf(result);
  if (bytes.length < 64 || bytes.length % 32 !== 0) return null;
  const lengthOf = (at: number) => BigInt(hexOf(bytes.subarray(at, at + 32)));
  const length = lengthOf(32);
  if (lengthOf(0) !== 32n || length > BigInt(longestText)) return null;
  const size = Number(length);
  if (bytes.length !== 64 + 32 * Math.ceil(size / 32) || bytes.subarray(64 + size).some((byte) => byte !== 0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(64, 64 + size));
  } catch {
    // Bytes that are no UTF-8.
    return null;
  }
}

/** What a token's DOMAIN_SEPARATOR must be, so that what we sign is for it. */
export function domainSeparator(domain: TokenDomain): Bytes32 {
  return hexOf(domainHash(domain));
}

/** The first topics of the logs that are read. Arguments that are looked for are topics: an address by addressTopic(). */
export const topics = {
  transfer: hashOf('Transfer(address,address,uint256)'),
  authorizationUsed: hashOf('AuthorizationUsed(address,bytes32)'),
  authorizationCanceled: hashOf('AuthorizationCanceled(address,bytes32)'),
} as const;

/** An address as a topic. */
export function addressTopic(address: ChainAddress): Bytes32 {
  return `0x${addressWord(address)}`;
}

/** What a log of the token says. `value` in base units. */
export type TokenLog =
  | { kind: 'transfer'; from: ChainAddress; to: ChainAddress; value: bigint }
  | { kind: 'used' | 'cancelled'; authorizer: ChainAddress; nonce: Bytes32 };

/** Reads a log. Null for one of another contract, of another event, or with other topics or data than the event has. */
export function readTokenLog(token: ChainAddress, log: { address: ChainAddress; topics: readonly Bytes32[]; data: Hex }): TokenLog | null {
  const [event, first, second] = log.topics;
  if (log.address !== token || log.topics.length !== 3 || first === undefined || second === undefined) return null;
  const holder = addressOf(first);
  if (holder === null) return null;
  if (event === topics.transfer) {
    const to = addressOf(second);
    const value = readUint(log.data);
    return to === null || value === null ? null : { kind: 'transfer', from: holder, to, value };
  }
  if (log.data !== '0x') return null;
  if (event === topics.authorizationUsed) return { kind: 'used', authorizer: holder, nonce: second };
  return event === topics.authorizationCanceled ? { kind: 'cancelled', authorizer: holder, nonce: second } : null;
}

function addressOf(topic: Bytes32): ChainAddress | null {
  return /^0x0{24}[0-9a-f]{40}$/.test(topic) ? `0x${topic.slice(26)}` : null;
}

/** Why the token refuses an authorization. `reverted`: for another reason, or for one that it does not say. */
export type TokenRefusal =
  | 'authorization_used'
  | 'authorization_expired'
  | 'authorization_early'
  | 'invalid_signature'
  | 'address_blocked'
  | 'token_paused'
  | 'balance'
  | 'reverted';

/** The texts of USDC, versions 2 to 2.2. */
const refusals: readonly (readonly [RegExp, TokenRefusal])[] = [
  [/authorization is used or cancell?ed/i, 'authorization_used'],
  [/authorization is expired/i, 'authorization_expired'],
  [/authorization is not yet valid/i, 'authorization_early'],
  [/invalid signature/i, 'invalid_signature'],
  [/account is blacklisted/i, 'address_blocked'],
  [/\bpaused\b/i, 'token_paused'],
  [/transfer amount exceeds balance/i, 'balance'],
];

/** What the text means with which the token reverts. */
export function refusalOf(text: string): TokenRefusal {
  return refusals.find(([pattern]) => pattern.test(text))?.[1] ?? 'reverted';
}
