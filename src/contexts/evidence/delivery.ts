// What was delivered for a transfer: a hash that a side of it names, which becomes a leaf of the log (CONTRACT.md 25).
import type { CaptureBy, EvidenceDelivery, Transfer } from '../../generated/prisma/client.js';
import { writeLine } from '../../platform/audit.js';
import { addSeconds } from '../../platform/clock.js';
import type { Act, Ctx } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import type { NoteDelivery } from '../transfers/delivery.js';
import { sidesOf } from '../transfers/side.js';
import { transfer as visibleTransfer } from '../transfers/transfer-list.js';

/** What a side says that was delivered. `isRepeated`: it had said so before. */
export type Delivery = EvidenceDelivery & { isRepeated?: true };

/** What is said of a delivery. Digests in hex. */
export interface NewDelivery {
  sha256: string;
  requestSha256?: string | null | undefined;
  mediaType?: string | null | undefined;
  bytes?: number | null | undefined;
  side?: CaptureBy | null | undefined;
}

/** For so long after a transfer was completed its sides may say what was delivered. */
const deliveryDays = 30;
const daySeconds = 86_400;

/**
 * Writes what was delivered for a completed transfer. The same again is what was said before; another hash is 409. 403 for an agent that is on
 * neither side, 409 for a transfer that was not completed, or more than 30 days ago.
 */
export async function recordDelivery(ctx: Ctx, id: string, input: NewDelivery): Promise<Delivery> {
  const transfer = await visibleTransfer(ctx, id);
  const side = await sideOf(ctx, transfer, input.side ?? undefined);
  checkTime(ctx, transfer);
  const row = newDelivery(ctx, transfer, side, input);
  const said = await ctx.db.evidenceDelivery.findFirst({ where: { transferId: transfer.id, side } });
  if (said !== null) return same(said, row.sha256);
  return transact({ ...ctx, act: actOf(ctx, row) }, (tx) => write(tx, row));
}

/** Notes what the payee delivered within a transaction that does something else, which holds the lock of the transfer. */
export const noteDelivery: NoteDelivery = async (ctx, tx, transfer, sha256) => {
  checkTime(ctx, transfer);
  const { workspaceId: _, ...row } = newDelivery(ctx, transfer, 'payee', { sha256 });
  const said = await tx.evidenceDelivery.findFirst({ where: { transferId: transfer.id, side: row.side } });
  if (said !== null) {
    same(said, row.sha256);
    return;
  }
  await tx.evidenceDelivery.create({ data: row });
  await writeLine(ctx, tx, actOf(ctx, row));
};

function newDelivery(ctx: Ctx, { id: transferId }: Transfer, side: CaptureBy, said: NewDelivery): Delivery {
  const at = ctx.clock.now();
  return {
    workspaceId: ctx.workspace.id,
    id: newId(at),
    transferId,
    side,
    sha256: Buffer.from(said.sha256, 'hex'),
    requestSha256: said.requestSha256 == null ? null : Buffer.from(said.requestSha256, 'hex'),
    mediaType: said.mediaType ?? null,
    bytes: said.bytes == null ? null : BigInt(said.bytes),
    byType: ctx.actor.type,
    byId: ctx.actor.id,
    at,
  };
}

/** The line of a delivery, whose leaf says what was delivered. */
function actOf({ act }: Ctx, row: Omit<Delivery, 'workspaceId'>): Act {
  const action = act?.action ?? 'recordDelivery';
  return { ...act, action, resourceType: 'evidence_delivery', resourceId: row.id, outcome: printDelivery(row) };
}

async function write(tx: Tx, { workspaceId: _, ...row }: Delivery): Promise<Delivery> {
  // Of two requests at once the second waits here, and finds what the first one wrote.
  await lockRow(tx.transfer, row.transferId);
  const said = await tx.evidenceDelivery.findFirst({ where: { transferId: row.transferId, side: row.side } });
  if (said !== null)
    throw new StateConflict('This side has just said what was delivered: send the request again to read it.', 'delivered', [], {
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/transfers/${row.transferId}/evidence` }],
    });
  return tx.evidenceDelivery.create({ data: row });
}

function same(said: Delivery, sha256: Uint8Array): Delivery {
  if (Buffer.from(said.sha256).equals(sha256)) return { ...said, isRepeated: true };
  throw new StateConflict('This side has named another hash for what was delivered.', 'delivered', [], { terminal: true });
}

// Gap G-772: An operator says what was delivered for the payee, unless it names the payer.
async function sideOf(ctx: Ctx, transfer: Transfer, asked: CaptureBy | undefined): Promise<CaptureBy> {
  const { agent } = ctx.actor;
  if (agent === undefined) return asked ?? 'payee';
  const sides = await sidesOf(ctx, agent.id, transfer);
  const side = asked ?? sides[0];
  if (side === undefined || !sides.includes(side)) throw new Forbidden('An agent says what was delivered for its own side of a transfer.');
  return side;
}

function checkTime({ clock }: Ctx, { id, status, completedAt }: Transfer): void {
  if (status !== 'completed' || completedAt === null)
    throw new StateConflict(`Only for a completed transfer something is delivered; this one is ${status}.`, status, ['completed'], {
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/transfers/${id}` }],
    });
  if (clock.now() <= addSeconds(completedAt, deliveryDays * daySeconds)) return;
  throw new StateConflict(`The transfer was completed more than ${deliveryDays} days ago.`, status, [], { terminal: true });
}

/** The part of its leaf. */
function printDelivery({
  transferId,
  sha256,
  requestSha256,
  mediaType,
  bytes,
  side,
  byType,
}: Omit<Delivery, 'workspaceId'>): Record<string, unknown> {
  return {
    by: { side, type: byType },
    bytes: bytes === null ? null : Number(bytes),
    media_type: mediaType,
    request_sha256: requestSha256 && Buffer.from(requestSha256).toString('hex'),
    sha256: Buffer.from(sha256).toString('hex'),
    transfer_id: printId('transfer', transferId),
  };
}

/** The delivery with this id, for a request that is answered again. */
export async function deliveryById(ctx: Ctx, id: string): Promise<Delivery> {
  const found = await ctx.db.evidenceDelivery.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}
