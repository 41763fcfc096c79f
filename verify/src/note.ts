// Signed notes and checkpoints of C2SP: the head of a log, and the keys that sign it.
import { ed25519 } from '@noble/curves/ed25519';
import { base64Of, bytesOf, equal, fromBase64, hexOf, sha256 } from './bytes.js';

// A pack has few signatures: a large table of multiples would take longer to make than it saves.
ed25519.utils.precompute(4);

/** A key that signs notes. */
export interface NoteKey {
  vkey: string;
  name: string;
  id: Uint8Array;
  publicKey: Uint8Array;
}

const ed25519Type = 0x01;
const [idBytes, keyBytes, signatureBytes] = [4, 32, 64];

/** Reads `<name>+<key id>+<type and key>`; undefined for what is no Ed25519 key, or has another id than its own. */
export function readKey(vkey: unknown): NoteKey | undefined {
  if (typeof vkey !== 'string') return undefined;
  const [, name = '', id = '', coded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey) ?? [];
  const bytes = fromBase64(coded);
  if (bytes === undefined || bytes.length !== 1 + keyBytes || bytes[0] !== ed25519Type) return undefined;
  const own = sha256(bytesOf(`${name}\n`), bytes).slice(0, idBytes);
  return hexOf(own) === id ? { vkey, name, id: own, publicKey: bytes.slice(1) } : undefined;
}

/** A head, and the keys that signed it. */
export interface Head {
  origin: string;
  size: bigint;
  root: Uint8Array;
  signedBy: NoteKey[];
}

const shape = /^([^\s+]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n\n((?:— [^\s+]+ [A-Za-z0-9+/=]+\n)+)$/;

/**
 * Reads a checkpoint. A signature of a key that is not among `keys` would be skipped by the rules of notes. Here it is an error: nobody could
 * say who made it. The answer is a sentence where something is wrong.
 */
export function readCheckpoint(note: unknown, keys: readonly NoteKey[]): Head | string {
  const [, origin = '', size = '', coded = '', lines = ''] = (typeof note === 'string' && shape.exec(note)) || [];
  const root = fromBase64(coded);
  if (origin === '' || root === undefined) return 'the checkpoint is no signed note of a tree';
  const text = bytesOf(`${origin}\n${size}\n${base64Of(root)}\n`);
  const signedBy: NoteKey[] = [];
  for (const line of lines.split('\n').slice(0, -1)) {
    const [, name = '', value = ''] = line.split(' ');
    const bytes = fromBase64(value);
    if (bytes === undefined || bytes.length !== idBytes + signatureBytes) return 'a signature line of the checkpoint cannot be read';
    const key = keys.find((one) => one.name === name && equal(one.id, bytes.slice(0, idBytes)));
    if (key === undefined) return `a signature line of the checkpoint is by a key that the pack does not list (${name})`;
    if (!isSigned(text, key, bytes.slice(idBytes))) return `the signature of ${name} on the checkpoint is wrong`;
    signedBy.push(key);
  }
  if (new Set(signedBy).size !== signedBy.length) return 'a key signs the checkpoint twice';
  return { origin, size: BigInt(size), root, signedBy };
}

function isSigned(text: Uint8Array, { publicKey }: NoteKey, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, text, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
