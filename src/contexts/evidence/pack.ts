// A pack: everything that proves a payment, in one file that anybody checks without us (CONTRACT.md 25). The same transfer, size, parts and
// reader give the same bytes.
import { decodeProtectedHeader } from 'jose';
import type { Transfer } from '../../generated/prisma/client.js';
import type { PartName } from '../../platform/audit-leaf.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { TreeReader } from '../audit/proof.js';
import { jwks } from '../identity/signing-key.js';
import { transfer as visibleTransfer } from '../transfers/transfer-list.js';
import { type Attached, attachedTo, type RoleLeaf, statementsIn } from './attached.js';
import { headAt, type LogAt } from './head.js';
import { proveLeaves } from './leaf.js';
import { keyJws, keysOf, printKeys } from './log-key.js';
import { packFormat } from './pack-shape.js';
import { signedReceipt, under } from './receipt.js';
import { completingLine, placesOf, type Shown, shownParts, transferLines } from './transfer-leaf.js';

/** What is asked for of a pack. */
export interface PackRequest {
  id: string;
  /** The size of a head; the newest by default. */
  treeSize: bigint | null;
  /** A head that the reader has kept: the pack then proves that its tree is the beginning of this one. */
  fromSize: bigint | null;
  /** The parts to show, of those that the reader may see; all of these by default. */
  parts: readonly PartName[] | undefined;
}

/** A pack is no longer than this. */
const mostBytes = 256 * 1024;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The heads of a pack that nobody has named: it is proven under the newest one. */
export const newestHead = { treeSize: null, fromSize: null };

/**
 * The pack of a completed transfer, as RFC 8785 spells it. 404 for a transfer that the actor does not see, 409 for one that was not completed.
 * Of one that would be longer than `most` bytes, what is furthest from the payment is left out first.
 */
export async function packOf(ctx: Ctx, { id, parts, ...heads }: PackRequest, most = mostBytes): Promise<string> {
  const transfer = await visibleTransfer(ctx, id);
  return packFor(ctx, transfer, heads, await shownParts(ctx, transfer, parts), most);
}

/** The pack of a transfer for whoever sees of its parts what `shown` leaves. */
export async function packFor(
  ctx: Ctx,
  transfer: Transfer,
  { treeSize, fromSize }: Pick<PackRequest, 'treeSize' | 'fromSize'>,
  shown: Shown,
  most = mostBytes,
): Promise<string> {
  const paidBy = await completingLine(ctx, transfer);
  const lines = await transferLines(ctx, transfer.id);
  const at = await headAt(ctx, treeSize);
  const places = under(await placesOf(ctx, lines), at);
  const proven = await proveLeaves(ctx, places, at.head, shown);
  const roles = new Map(places.map(({ lineId, role }) => [lineId, role]));
  const leaves = proven.map((leaf): RoleLeaf => ({ ...leaf, role: roles.get(leaf.lineId) ?? 'payment' }));
  const paid = leaves.find(({ lineId }) => lineId === paidBy);
  if (paid === undefined) throw notUnderHead(at);
  const receipt = await signedReceipt(ctx, transfer, at, paid);
  const attached = await attachedTo(ctx, transfer, at, { receipt, leaves });
  const head = { ...(await logOf(ctx, at, statementsIn(attached))), consistency: await consistencyFrom(ctx, at, fromSize), attached };
  return fitting(transfer, head, leaves.map(printLeaf), most);
}

function notUnderHead({ head }: LogAt): ValidationFailed {
  return new ValidationFailed([
    { path: ['tree_size'], message: `must be a head after the payment, whose leaf is not under that of ${head.treeSize}`, rule: 'range' },
  ]);
}

async function logOf(ctx: Ctx, { log, head }: LogAt, statements: readonly string[]) {
  const keys = await keysOf(ctx, log);
  const [key] = keys;
  const statement = key === undefined ? null : await keyJws(ctx, log, key);
  const signers = new Set([...statements, ...(statement === null ? [] : [statement])].map((jws) => decodeProtectedHeader(jws).kid));
  const { keys: known } = await jwks(ctx.platform);
  return {
    log: {
      origin: log.origin,
      continues: await originBefore(ctx, log),
      vkeys: printKeys(log, keys).map(({ vkey }) => vkey),
      key_jws: statement,
      jwks: { keys: known.filter(({ kid }) => signers.has(kid)) },
    },
    checkpoint: head.checkpoint,
  };
}

/** The name of the log that a renewed one continues, under which receipts of before were signed; else null. */
async function originBefore({ db }: Ctx, { continues }: LogAt['log']): Promise<string | null> {
  if (continues === null) return null;
  return (await db.evidenceLog.findFirst({ where: { id: continues }, select: { origin: true } }))?.origin ?? null;
}

async function consistencyFrom(ctx: Ctx, { head }: LogAt, fromSize: bigint | null) {
  if (fromSize === null) return null;
  if (fromSize > head.treeSize)
    throw new ValidationFailed([
      { path: ['from_size'], message: `must not be above ${head.treeSize}, the size of the head`, rule: 'range' },
    ]);
  const proof = await new TreeReader(ctx.platform.database.pool, ctx.workspace.id).consistency(fromSize, head.treeSize);
  return { from: Number(fromSize), proof: proof.map(base64) };
}

function printLeaf({ role, index, written, sealed, disclosures, proof }: RoleLeaf) {
  return {
    role,
    index: Number(index),
    proof: proof.map(base64),
    written: written.map(base64),
    sealed: sealed.map(base64),
    disclosures: disclosures.map(({ text }) => text),
  };
}

/** What a payment can do without, in this order, when a pack would be too long. */
const leftOutFirst = ['policy', 'dispute', 'refund', 'approval', 'mandate'];

function fitting(
  transfer: Transfer,
  { attached, ...head }: { attached: Attached },
  leaves: readonly ReturnType<typeof printLeaf>[],
  most: number,
): string {
  const subject = { type: 'transfer', id: printId('transfer', transfer.id) };
  const print = (shown: typeof leaves) => {
    const { refund_receipts: receipts, ...others } = attached;
    const isRefunded = receipts !== undefined && shown.some(({ role }) => role === 'refund');
    const documents = isRefunded ? attached : others;
    return canonicalJson({ format: packFormat, subject, ...head, attached: documents, leaves: shown });
  };
  let kept = leaves;
  let text = print(kept);
  for (const role of leftOutFirst) {
    if (Buffer.byteLength(text) <= most) break;
    kept = kept.filter((leaf) => leaf.role !== role);
    text = print(kept);
  }
  return text;
}
