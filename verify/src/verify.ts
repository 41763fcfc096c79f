// Checking a pack, leg by leg. Nothing is asked of anybody: the pack, and what the caller gives, are all that there is.
import { Broken, hold, type Leg } from './broken.js';
import { compare, equal, fromBase64url } from './bytes.js';
import type { Json } from './json.js';
import { isObject, listIn, member, textIn } from './json.js';
import { checkDelivery, checkOffer, checkPosting, checkRefunds, type Paid } from './money-leg.js';
import { type Head, type NoteKey, readCheckpoint, readKey } from './note.js';
import { type Pack, readPack, sizeOf } from './pack.js';
import { checkReceipt, checkRefundReceipts } from './receipt-leg.js';
import { checkApproval, checkDecision, checkLimits, checkMandate } from './rule-leg.js';
import { isConsistent, leafHash, rootOfLeaf } from './tree.js';

/** What the caller knows by itself. */
export interface Trust {
  /** Verifier keys of the log. */
  vkeys?: readonly string[];
  /** Checkpoints that were kept. */
  heads?: readonly string[];
  /** A JWK Set of the platform. */
  jwks?: Json;
}

/** What a check came to. `anchored`: by a key or a head that the caller gave. `own`: by the keys of the pack alone. */
export type Verdict =
  | { outcome: 'anchored' | 'own'; pack: Pack; head: Head; paid: Paid; checked: Leg[] }
  | { outcome: 'broken'; leg: Leg; message: string }
  | { outcome: 'unreadable'; message: string };

/** Checks the text of a pack. */
export function verifyPack(text: string, trust: Trust = {}): Verdict {
  try {
    const pack = readPack(text);
    if (pack === null) return { outcome: 'unreadable', message: 'this is no pack of evidence' };
    return checkAll(pack, trust);
  } catch (error) {
    if (error instanceof Broken) return { outcome: 'broken', leg: error.leg, message: error.message };
    throw error;
  }
}

function checkAll(pack: Pack, trust: Trust): Verdict {
  const checked: Leg[] = ['format'];
  const note = (leg: Leg, wasThere: boolean) => {
    if (wasThere) checked.push(leg);
  };
  const head = checkHead(pack);
  note('head', true);
  checkInclusion(pack, head);
  note('inclusion', true);
  const isHeadKnown = checkConsistency(pack, head, trust);
  note('consistency', pack.consistency !== null || isHeadKnown);
  const paid = checkPosting(pack);
  note('posting', paid.money !== undefined);
  note('offer', checkOffer(pack, paid));
  note('decision', checkDecision(pack, paid));
  note('limits', checkLimits(pack));
  note('approval', checkApproval(pack, paid));
  note('mandate', checkMandate(pack, paid, trust.jwks));
  checkReceipt(pack, paid, trust.jwks);
  note('receipt', true);
  checkRefundReceipts(pack, trust.jwks);
  note('refund', checkRefunds(pack, paid));
  note('delivery', checkDelivery(pack));
  const isKeyKnown = checkKeys(head, trust);
  return { outcome: isHeadKnown || isKeyKnown ? 'anchored' : 'own', pack, head, paid, checked };
}

function keysOf({ log }: Pack): NoteKey[] {
  const origin = textIn(log, 'origin');
  return listIn(log, 'vkeys').map((vkey) => {
    const key = readKey(vkey);
    hold('head', key !== undefined && key.name === origin, 'a key of the log is no Ed25519 key of it, or has another id than its own');
    return key;
  });
}

function checkHead(pack: Pack): Head {
  const head = readCheckpoint(pack.checkpoint, keysOf(pack));
  hold('head', typeof head !== 'string', head as string);
  hold('head', head.origin === textIn(pack.log, 'origin') && head.size > 0n, 'the checkpoint is of another log, or of an empty one');
  return head;
}

function checkInclusion({ leaves }: Pack, { size, root }: Head): void {
  for (const { index, written, sealed, proof } of leaves) {
    hold('inclusion', index < size, `leaf ${index} is not under the head, which has ${size} leaves`);
    const found = rootOfLeaf(index, size, leafHash(written, sealed), proof);
    hold('inclusion', found !== undefined && equal(found, root), `leaf ${index} is not in the tree of the head`);
  }
}

/** True where a head that the caller has kept is a head of this tree. */
function checkConsistency({ consistency, log }: Pack, head: Head, { heads = [] }: Trust): boolean {
  const keys = listIn(log, 'vkeys').flatMap((vkey) => readKey(vkey) ?? []);
  let isKnown = false;
  for (const text of heads) {
    const kept = readCheckpoint(text, keys);
    hold('consistency', typeof kept !== 'string', 'a head that was given is not signed by this log');
    hold('consistency', kept.origin === head.origin, 'a head that was given is of another log');
    if (kept.size === head.size) {
      hold('consistency', equal(kept.root, head.root), 'a head that was given has the same size and another root: the log was forked');
      isKnown = true;
    } else if (consistency !== null && consistency.from === kept.size) {
      hold('consistency', isConsistent(kept, head, consistency.proof), 'the head does not follow from the one that was given');
      isKnown = true;
    }
  }
  return isKnown;
}

/** True where a key that the caller knows has signed the head. */
function checkKeys({ signedBy }: Head, { vkeys = [] }: Trust): boolean {
  if (vkeys.length === 0) return false;
  const isKnown = signedBy.some(({ vkey }) => vkeys.includes(vkey));
  hold('head', isKnown, 'none of the keys that were given has signed the checkpoint');
  return true;
}

/** Whether a head follows from an earlier one, by the proof of the log. Null where a head is not signed by the key. */
export function compareHeads(earlier: string, later: string, proof: readonly Uint8Array[], vkey: string): boolean | null {
  const key = readKey(vkey);
  const heads = key === undefined ? [] : [earlier, later].map((text) => readCheckpoint(text, [key]));
  const [first, second] = heads;
  if (first === undefined || second === undefined || typeof first === 'string' || typeof second === 'string') return null;
  return first.origin === second.origin && isConsistent(first, second, proof);
}
