// Notes and checkpoints as transparency logs spell them (C2SP signed-note and tlog-checkpoint): a text, and lines of signatures below it.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The type of Ed25519 in a key of notes. */
const ed25519 = 0x01;
const keyIdBytes = 4;
/** Who has to sign the note of a tree: the log itself. */
export interface NoteKey {
  /** The name of the log. */
  origin: string;
  /** The public key, 32 bytes. */
  publicKey: Uint8Array;
}

/** A head: so many leaves, and the root over them. */
export interface Head {
  treeSize: bigint;
  root: Uint8Array;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The first four bytes of SHA-256 of name, line feed, type and key. */
export function keyId({ origin, publicKey }: NoteKey): Buffer {
  const named = Buffer.concat([Buffer.from(`${origin}\n`), Buffer.of(ed25519), publicKey]);
  return (hash('sha256', named, 'buffer') as Buffer).subarray(0, keyIdBytes);
}

/** The key as readers of notes take it: name, key id in hex, and type and key in base64, with plus signs between. */
export function vkeyOf(key: NoteKey): string {
  return `${key.origin}+${keyId(key).toString('hex')}+${base64(Buffer.concat([Buffer.of(ed25519), key.publicKey]))}`;
}

/**
 * A key as vkeyOf() prints it.
 * @throws an error with a sentence for anything else
 */
export function readVkey(text: string): NoteKey {
  const [origin = '', id = '', value = ''] = text.split('+', 3);
  const bytes = Buffer.from(text.slice(origin.length + id.length + 2), 'base64');
  const key = { origin, publicKey: bytes.subarray(1) };
  if (value === '' || bytes.length !== 33 || bytes[0] !== ed25519 || keyId(key).toString('hex') !== id)
    throw new Error('This is no key of a log.');
  return key;
}

/**
 * How many leaves the head in a note has, whoever signed it.
 * @throws an error with a sentence where the text is no checkpoint
 */
export function sizeOfNote(note: string): bigint {
  const [, , size] = pattern.exec(note) ?? [];
  if (size === undefined) throw new Error('The head that was given is no checkpoint of a log.');
  return BigInt(size);
}

/** What is signed of a head: origin, size and root, a line each. */
export function checkpointText(origin: string, { treeSize, root }: Head): string {
  return `${origin}\n${treeSize}\n${base64(root)}\n`;
}

/** A key with which heads are signed. */
export interface NoteSigner extends NoteKey {
  privateKey: KeyObject;
}

/** A signed checkpoint: its text, an empty line, and a line for each signer. Ed25519 signs alike, so the same head is the same bytes. */
export function signCheckpoint(signers: readonly NoteSigner[], head: Head): string {
  const [first] = signers;
  if (first === undefined) throw new Error('a checkpoint has a signer');
  const text = checkpointText(first.origin, head);
  const lines = signers.map((signer) => {
    const signature = sign(null, Buffer.from(text), signer.privateKey);
    return `— ${signer.origin} ${base64(Buffer.concat([keyId(signer), signature]))}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

const pattern = /^([^\n+]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n\n((?:— [^\s+]+ [A-Za-z0-9+/=]+\n)+)$/;

/** The head of a checkpoint that one of the keys has signed; null for anything else. */
export function openCheckpoint(note: string, keys: readonly NoteKey[]): Head | null {
  const [, origin, size, root, lines] = pattern.exec(note) ?? [];
  if (origin === undefined || size === undefined || root === undefined || lines === undefined) return null;
  const head = { treeSize: BigInt(size), root: Buffer.from(root, 'base64') };
  if (base64(head.root) !== root) return null;
  const text = Buffer.from(checkpointText(origin, head));
  const signed = lines.split('\n').some((line) => {
    const [, name, value] = line.split(' ');
    if (name !== origin || value === undefined) return false;
    const bytes = Buffer.from(value, 'base64');
    const key = keys.find((one) => one.origin === origin && keyId(one).equals(bytes.subarray(0, keyIdBytes)));
    return key !== undefined && verify(null, text, publicKeyOf(key.publicKey), bytes.subarray(keyIdBytes));
  });
  return signed ? head : null;
}

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' });
}

/** The private key of a seed of 32 bytes. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
}

/** The 32 bytes of the public key behind a private one. */
export function rawPublicKey(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length);
}
