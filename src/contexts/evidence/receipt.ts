// The receipt of a transfer: an SD-JWT (RFC 9901) of the platform over the digests of the leaf that completed it (CONTRACT.md 25).
import { CompactSign } from 'jose';
import type { Transfer } from '../../generated/prisma/client.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { issuerOf } from '../identity/jwt.js';
import { signingAlg, signingKey } from '../identity/signing-key.js';
import { transfer as visibleTransfer } from '../transfers/transfer-list.js';
import { NoSuchReceipt } from './errors.js';
import { headAt, type LogAt } from './head.js';
import { type ProvenLeaf, proveLeaves } from './leaf.js';
import { type ReceiptFormat, receiptViews } from './receipt-view.js';
import { completingLine, placesOf, shownParts } from './transfer-leaf.js';

/** A receipt, with the proof that its leaf is under a head. */
export interface Receipt {
  jws: string;
  leaf: ProvenLeaf;
}

/**
 * The receipt of a completed transfer, under the head of a size, the newest by default. 404 for one that the actor does not see, 409 for one
 * that has not been completed, 422 for one that the protocol of `format` did not pay.
 */
export async function receiptOf(
  ctx: Ctx,
  { id, treeSize, format }: { id: string; treeSize: bigint | null; format?: ReceiptFormat | undefined },
): Promise<Receipt> {
  const transfer = await visibleTransfer(ctx, id);
  const lineId = await completingLine(ctx, transfer);
  const at = await headAt(ctx, treeSize);
  const places = await placesOf(ctx, [{ id: lineId, role: 'payment' }]);
  const [leaf] = await proveLeaves(ctx, under(places, at), at.head, await shownParts(ctx, transfer, undefined));
  if (leaf === undefined) throw new NotFound('tree_size');
  const jws = format === undefined ? await signedReceipt(ctx, transfer, at, leaf) : await viewOf(ctx, transfer, format);
  return { jws, leaf };
}

async function viewOf(ctx: Ctx, { id, protocol }: Transfer, format: ReceiptFormat): Promise<string> {
  const jws = await ctx.platform.extensions.of(receiptViews).get(format)(ctx, id);
  if (jws === null) throw new NoSuchReceipt(format, protocol);
  return jws;
}

/** The places that are under a head. */
export function under<P extends { index: bigint }>(places: readonly P[], { head }: Pick<LogAt, 'head'>): P[] {
  return places.filter(({ index }) => index < head.treeSize);
}

/** The JWS of a receipt. It is signed when it is first asked for, and kept: the first one counts, whoever signed it. */
export async function signedReceipt(ctx: Ctx, transfer: Transfer, { log }: Pick<LogAt, 'log'>, leaf: ProvenLeaf): Promise<string> {
  const { db, platform } = ctx;
  const find = () => db.evidenceReceipt.findFirst({ where: { transferId: transfer.id }, select: { jws: true } });
  const known = await find();
  if (known !== null) return known.jws;
  const { kid, privateKey } = await signingKey(platform);
  const claims = {
    iss: issuerOf(platform),
    iat: Math.floor((transfer.completedAt ?? transfer.createdAt).getTime() / 1000),
    sub: printId('transfer', transfer.id),
    _sd: leaf.written.map((digest) => digest.toString('base64url')),
    _sd_alg: 'sha-256',
    leaf_index: Number(leaf.index),
    origin: log.origin,
  };
  const jws = await new CompactSign(Buffer.from(canonicalJson(claims)))
    .setProtectedHeader({ alg: signingAlg, kid, typ: 'receipt+sd-jwt' })
    .sign(privateKey);
  await db.evidenceReceipt.createMany({ data: [{ transferId: transfer.id, jws }], skipDuplicates: true });
  return (await find())?.jws ?? jws;
}
