// Addresses, transactions and keys of the EVM (CONTRACT.md 27, decision 0098). The one file that knows the libraries: micro-eth-signer
// writes and reads transactions, @scure/bip32 derives keys. The curve is that of x402, in WASM: 0.3 ms a signature where theirs takes 2.
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { Transaction as WireTransaction } from 'micro-eth-signer';
import { isPrivate, pointCompress, pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import { type Bytes32, type ChainAddress, checksummed, parseAddress } from '../x402/chain/address.js';
import { authorizationDigest, signerOf, type TokenDomain, type TransferAuthorization } from '../x402/chain/transfer-authorization.js';

/** Bytes as `0x` and two hexadecimal digits for each, in lower case. */
export type Hex = `0x${string}`;

/** A transaction of EIP-1559 without an access list. Fees in wei for a unit of gas, `value` in wei. */
export interface Transaction {
  chainId: bigint;
  nonce: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  gasLimit: bigint;
  to: ChainAddress;
  value: bigint;
  data: Hex;
}

/** What is sent, and the hash by which the chain knows it. */
export interface SignedTransaction {
  raw: Hex;
  hash: Bytes32;
}

/** A signature as the oldest form of the token's methods takes it: v is 27 or 28. */
export interface SignatureParts {
  r: Bytes32;
  s: Bytes32;
  v: 27 | 28;
}

type Eip1559 = InstanceType<typeof WireTransaction<'eip1559'>>;

const zero = `0x${'0'.repeat(40)}`;
/** No transaction of ours is near it: a call of the token has some 400 bytes. */
const longestRaw = 2 + 2 * 65_536;

export const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
export const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');

/** Keccak-256. */
export function keccak(bytes: Uint8Array): Bytes32 {
  return hexOf(keccak_256(bytes));
}

/**
 * Reads an address that money may be sent to. Of one in mixed capitals the check sum of EIP-55 must be right; one in small or in capital
 * letters alone has none. `problem` are words that follow the name of the member.
 */
export function readAddress(text: string): { address: ChainAddress } | { problem: string } {
  const address = parseAddress(text);
  if (address === null) return { problem: 'must be 0x and 40 hexadecimal digits' };
  if (address === zero) return { problem: 'is the zero address, from which nothing comes back' };
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && text !== checksummed(address)) return { problem: 'has a wrong check sum (EIP-55): a digit or a capital is mistyped' };
  return { address };
}

/** True for the 32 bytes of a number that is a private key of the curve. */
export function isPrivateKey(secret: Uint8Array): boolean {
  return secret.length === 32 && isPrivate(secret);
}

/** The address of a private key. Throws for what is none. */
export function addressOfKey(privateKey: Uint8Array): ChainAddress {
  const point = isPrivateKey(privateKey) ? pointFromScalar(privateKey, false) : null;
  if (point === null) throw new Error('this is no private key');
  return addressOfPoint(point);
}

function addressOfPoint(point: Uint8Array): ChainAddress {
  return hexOf(keccak_256(point.subarray(1)).subarray(12));
}

/** r, s and v (27 or 28), s the lower of its two values. The same key and digest give the same bytes (RFC 6979). */
function signDigest(digest: Uint8Array, privateKey: Uint8Array): Hex {
  const { signature, recoveryId } = signRecoverable(digest, privateKey);
  const signed: Hex = `${hexOf(signature)}${(27 + recoveryId).toString(16)}`;
  // What a fault of memory or of the library has changed is not given away: two different signatures of one digest may give the key away.
  if (signerOf(digest, signed) !== addressOfKey(privateKey)) throw new Error('a signature does not belong to its key');
  return signed;
}

/** Splits 65 bytes; v of 0 and 1 becomes 27 and 28. Null for what is no such signature. */
export function signatureParts(signature: string): SignatureParts | null {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return null;
  const text = signature.toLowerCase();
  const v = Number.parseInt(text.slice(130), 16);
  const parity = v < 27 ? v : v - 27;
  if (parity !== 0 && parity !== 1) return null;
  return { r: `0x${text.slice(2, 66)}`, s: `0x${text.slice(66, 130)}`, v: parity === 0 ? 27 : 28 };
}

/** Signs an authorization of the token: 65 bytes, r, s and v. */
export function signAuthorization(domain: TokenDomain, authorization: TransferAuthorization, privateKey: Uint8Array): Hex {
  return signDigest(authorizationDigest(domain, authorization), privateKey);
}

/** Signs a transaction. The same transaction and key give the same bytes. */
export function signTransaction(transaction: Transaction, privateKey: Uint8Array): SignedTransaction {
  const unsigned = new WireTransaction('eip1559', { ...transaction, accessList: [] }, { strict: false });
  const signature = signDigest(keccak_256(unsigned.toBytes({ includeSignature: false })), privateKey);
  const { r, s, yParity } = wireSignature(signature);
  const raw = hexOf(new WireTransaction('eip1559', { ...unsigned.raw, r, s, yParity }, { strict: false }).toBytes());
  return { raw, hash: keccak(bytesOf(raw)) };
}

function wireSignature(signature: Hex): { r: bigint; s: bigint; yParity: number } {
  const parts = signatureParts(signature);
  if (parts === null) throw new Error('a signature has no parity');
  return { r: BigInt(parts.r), s: BigInt(parts.s), yParity: parts.v - 27 };
}

/**
 * Reads a signed transaction, with its sender. Null for what is none of those that `signTransaction` makes: of another type, with an
 * access list, without a recipient, with the higher s, or in bytes that are not the ones in which it would be written.
 */
export function decodeTransaction(text: string): (Transaction & SignedTransaction & { sender: ChainAddress }) | null {
  const raw = text.toLowerCase() as Hex;
  if (raw.length > longestRaw || !/^0x02([0-9a-f]{2})+$/.test(raw)) return null;
  try {
    const decoded = WireTransaction.fromHex(raw);
    if (decoded.type !== 'eip1559' || decoded.toHex() !== raw) return null;
    const { r, s, yParity, accessList, to: recipient, data, ...fields } = (decoded as Eip1559).raw;
    const to = parseAddress(recipient);
    if (r === undefined || s === undefined || yParity === undefined || accessList.length > 0 || to === null) return null;
    const digest = keccak_256(decoded.toBytes({ includeSignature: false }));
    const word = (value: bigint) => value.toString(16).padStart(64, '0');
    const sender = signerOf(digest, `0x${word(r)}${word(s)}${(27 + yParity).toString(16)}`);
    if (sender === null) return null;
    const { chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit, value } = fields;
    const content = { chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit, to, value, data: hexText(data) };
    return { ...content, sender, raw, hash: keccak(bytesOf(raw)) };
  } catch {
    // The library says in an error of its own what is wrong with bytes that are no transaction.
    return null;
  }
}

const hexText = (data: string): Hex => (data.startsWith('0x') ? (data.toLowerCase() as Hex) : `0x${data.toLowerCase()}`);

/**
 * The nonce of a payout's authorization: Keccak-256 of the text `agent-payments payout` and of both ids, each as the 36 characters of a
 * UUID in lower case. It follows from the payout alone, so every attempt, also after a restore, is the same one to the contract.
 */
export function payoutNonce(workspaceId: string, payoutId: string): Bytes32 {
  return keccak(Buffer.from(`agent-payments payout${uuidText(workspaceId)}${uuidText(payoutId)}`));
}

function uuidText(id: string): string {
  const text = id.toLowerCase();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw new Error('an id must be a UUID');
  return text;
}

const accountPath = "m/44'/60'/0'";

/** The extended public key of `m/44'/60'/0'`, from which the addresses of wallets follow. The seed has 16 to 64 bytes. */
export function accountXpub(seed: Uint8Array): string {
  return HDKey.fromMasterSeed(seed).derive(accountPath).publicExtendedKey;
}

/**
 * Where a wallet's key is below the account, `/a/b`: SHA-256 of its id as the 36 characters of a UUID in lower case; a is the first four
 * bytes as a big-endian number without its highest bit, b the next four.
 */
export function walletPlace(walletId: string): readonly [a: number, b: number] {
  const hash = createHash('sha256').update(uuidText(walletId)).digest();
  return [hash.readUInt32BE(0) & 0x7fffffff, hash.readUInt32BE(4) & 0x7fffffff];
}

function childOf(account: HDKey, walletId: string): HDKey {
  const [a, b] = walletPlace(walletId);
  return account.deriveChild(a).deriveChild(b);
}

/** Tells the deposit address of each wallet. Throws for what is not the extended public key of an account; its text is in no error. */
export function depositAddresses(xpub: string): (walletId: string) => ChainAddress {
  const account = readXpub(xpub);
  return (walletId) => addressOfPoint(uncompressed(childOf(account, walletId)));
}

function readXpub(xpub: string): HDKey {
  let account: HDKey;
  try {
    account = HDKey.fromExtendedKey(xpub);
  } catch {
    throw new Error('this is no extended public key (xpub)');
  }
  if (account.privateKey !== null) throw new Error('this is a private key (xprv), where the public one (xpub) belongs');
  if (account.depth !== 3 || account.index !== HARDENED_OFFSET) throw new Error(`this is not the extended public key of ${accountPath}`);
  return account;
}

/** 65 bytes. */
function uncompressed({ publicKey }: HDKey): Uint8Array {
  if (publicKey === null) throw new Error('a derived key has no point');
  return pointCompress(publicKey, false);
}

/** Tells the private key of each wallet's deposit address. Whoever has one of them and the xpub has all: they never leave the process. */
export function depositKeys(seed: Uint8Array): (walletId: string) => Uint8Array {
  const account = HDKey.fromMasterSeed(seed).derive(accountPath);
  return (walletId) => {
    const { privateKey } = childOf(account, walletId);
    if (privateKey === null) throw new Error('a derived key is not private');
    return privateKey;
  };
}
