// Packs that are no packs: their form, the head, and the place of leaves under it.
import { Forger, forgedMoney } from '../factories/forged-pack.js';
import type { Json } from '../harness.js';
import type { Case, Told } from './told-pack.js';

/** Base64 whose last character has bits that no byte needs. */
const freeBits = (text: string) => text.replace(/.=$/, (end) => `${String.fromCharCode((end.charCodeAt(0) ?? 0) + 1)}=`);
const part = (n: number, change: (triple: unknown[]) => unknown) => (pack: Json) => {
  const [first] = pack.leaves[n].disclosures;
  pack.leaves[n].disclosures[0] = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(first, 'base64url').toString())))).toString(
    'base64url',
  );
};
export const forms: Case[] = [
  [
    'a second member of one name',
    'format',
    (t) => (t.text = (pack) => pack.replace('"format":', '"format":"agent-payments/evidence@1","format":')),
  ],
  ['a number in another spelling', 'format', (t) => (t.text = (pack) => pack.replace('"index":3', '"index":3.0'))],
  ['a space', 'format', (t) => (t.text = (pack) => `${pack} `)],
  ['a member that nobody knows', 'format', (t) => (t.after = (pack) => Object.assign(pack, { more: 1 }))],
  ['a log without a member', 'format', (t) => (t.after = ({ log }) => delete log.continues)],
  ['a private key among the keys', 'format', (t) => (t.after = ({ log }) => Object.assign(log.jwks.keys[0], { d: 'x' }))],
  ['something else attached', 'format', (t) => (t.after = ({ attached }) => Object.assign(attached, { more: 1 }))],
  ['another subject', 'format', (t) => (t.after = ({ subject }) => Object.assign(subject, { type: 'refund' }))],
  ['no id of a transfer', 'format', (t) => (t.after = ({ subject }) => Object.assign(subject, { id: 7 }))],
  ['no leaves', 'format', (t) => (t.after = (pack) => Object.assign(pack, { leaves: [] }))],
  ['leaves in another order', 'format', (t) => (t.after = ({ leaves }) => leaves.reverse())],
  ['a leaf twice', 'format', (t) => (t.after = ({ leaves }) => leaves.push(leaves.at(-1)))],
  ['a proof of consistency with more', 'format', (t) => (t.after = ({ consistency }) => Object.assign(consistency, { to: 3 }))],
  ['a proof of consistency from no size', 'format', (t) => (t.after = ({ consistency }) => Object.assign(consistency, { from: -1 }))],
  ['a size as text that a number could hold', 'format', (t) => (t.after = ({ consistency }) => Object.assign(consistency, { from: '2' }))],
  ['free bits in a hash', 'format', (t) => (t.after = ({ leaves }) => (leaves[3].written[0] = freeBits(leaves[3].written[0])))],
  ['a hash of 31 bytes', 'format', (t) => (t.after = ({ leaves }) => (leaves[3].proof[0] = Buffer.alloc(31).toString('base64')))],
  ['a leaf with more', 'format', (t) => (t.after = ({ leaves }) => Object.assign(leaves[3], { more: 1 }))],
  ['a leaf at no place', 'format', (t) => (t.after = ({ leaves }) => Object.assign(leaves[3], { index: 1.5 }))],
  ['a role that nobody knows', 'format', (t) => (t.payment.role = 'gift')],
  ['digests in another order', 'format', (t) => (t.after = ({ leaves }) => leaves[3].written.reverse())],
  ['a digest twice', 'format', (t) => (t.after = ({ leaves }) => leaves[3].written.unshift(leaves[3].written[0]))],
  ['a disclosure that is none', 'format', (t) => (t.after = ({ leaves }) => leaves[3].disclosures.push(7))],
  ['a part of another leaf', 'format', (t) => (t.after = ({ leaves }) => leaves[3].disclosures.push(leaves[1].disclosures[0]))],
  ['a part with another value', 'format', (t) => (t.after = part(3, ([salt, name]) => [salt, name, { amount: '5.00' }]))],
  ['a salt of 15 bytes', 'format', (t) => (t.payment.salt = 15)],
  ['a part that nobody knows', 'format', (t) => Object.assign(t.payment.parts, { gift: {} })],
  [
    'a part named __proto__',
    'format',
    (t) => (t.payment.parts = Object.fromEntries([...Object.entries(t.payment.parts), ['__proto__', {}]])),
  ],
  ['two disclosures of one part', 'format', (t) => (t.after = ({ leaves }) => leaves[3].disclosures.push(leaves[3].disclosures[0]))],
  [
    'a part that is written and sealed',
    'format',
    (t) => Object.assign(t.payment, { sealed: { ...t.payment.sealed, money: forgedMoney() } }),
  ],
];

export const heads: Case[] = [
  ['a checkpoint that is none', 'head', (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace('\n\n', '\n')))],
  ['a size with a zero before it', 'head', (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace(/\n7\n/, '\n07\n')))],
  ['an extension line', 'head', (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace('\n\n', '\nmore\n\n')))],
  [
    'free bits in the root',
    'head',
    (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace(/[^\n]{44}(?=\n\n)/, freeBits))),
  ],
  [
    'a signature that is cut',
    'head',
    (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace(/.{4}==\n$/, '==\n').replace(/.{8}\n$/, '\n'))),
  ],
  [
    'a signature of a key that is not listed',
    'head',
    (t) => (t.after = (pack) => (pack.checkpoint += `— strange.example ${Buffer.alloc(68).toString('base64')}\n`)),
  ],
  ['another size than was signed', 'head', (t) => (t.after = (pack) => (pack.checkpoint = pack.checkpoint.replace(/\n7\n/, '\n8\n')))],
  ['a signature twice', 'head', (t) => (t.after = (pack) => (pack.checkpoint += pack.checkpoint.split('\n\n')[1]))],
  [
    'a key with the id of another',
    'head',
    (t) => (t.after = ({ log }) => (log.vkeys[0] = log.vkeys[0].replace(/\+[0-9a-f]{8}\+/, '+00000000+'))),
  ],
  ['a key of another type', 'head', (t) => (t.after = ({ log }) => (log.vkeys[0] = log.vkeys[0].replace(/\+A/, '+B')))],
  ['a key by a name with a plus sign', 'head', (t) => (t.after = ({ log }) => (log.vkeys[0] = `more+${log.vkeys[0]}`))],
  ['a key of another log', 'head', (t) => (t.after = ({ log }) => log.vkeys.push(new Forger({ origin: 'other.example/log' }).vkey))],
  ['no key', 'head', (t) => (t.after = ({ log }) => (log.vkeys = []))],
  ['a checkpoint of another log', 'head', (t) => (t.pack.origin = 'other.example/log')],
  ['a tree of no leaves', 'head', (t) => (t.pack.signedSize = 0)],
  ['keys that are not the ones that are known', 'head', (t) => (t.trust = { vkeys: [new Forger().vkey] })],
  ['a leaf beyond the tree', 'inclusion', (t) => (t.after = ({ leaves }) => Object.assign(leaves[6], { index: 7 }))],
  ['a leaf beyond 2^53', 'inclusion', (t) => (t.after = ({ leaves }) => Object.assign(leaves[6], { index: '9007199254740993' }))],
  [
    'a leaf at another place',
    'inclusion',
    (t) => (t.after = ({ leaves }) => leaves.splice(3, 1, { ...leaves[3], index: 2 }, ...[]) && leaves.splice(2, 1)),
  ],
  ['a proof that is a hash too long', 'inclusion', (t) => (t.after = ({ leaves }) => leaves[3].proof.push(leaves[3].proof[0]))],
  ['a proof that is a hash too short', 'inclusion', (t) => (t.after = ({ leaves }) => leaves[3].proof.pop())],
  ['a tree that was signed smaller', 'inclusion', (t) => (t.pack.signedSize = 5)],
  ['a head of before that another key has signed', 'consistency', (t) => (t.trust = { heads: [new Forger().checkpoint(0)] })],
  ['a head of before of another log', 'consistency', (t) => keptHead(t, (forger) => forger.checkpoint(2, { origin: 'other.example/log' }))],
  ['a head of before of another tree', 'consistency', (t) => keptHead(t, (forger) => forked(forger).checkpoint(2))],
  ['a head of before of the same size', 'consistency', (t) => keptHead(t, (forger) => forked(forger).checkpoint(7))],
];

/** The reader has kept a head, which is signed when the leaves are there. */
export function keptHead(t: Told, head: (forger: Forger) => string): void {
  const trust: { heads?: string[] } = {};
  t.trust = trust;
  t.after = (_pack, forger) => {
    trust.heads = [head(forger)];
  };
}

function forked(forger: Forger): Forger {
  const fork = forger.fork(1);
  while (fork.leaves.length < 7) fork.add({ role: 'policy', parts: { act: {} } });
  return fork;
}
