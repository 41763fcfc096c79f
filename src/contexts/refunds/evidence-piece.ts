// What a side shows in a dispute, before it is kept. The pack of the disputed transfer is attached as that side may see it (CONTRACT.md 25).
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { newestHead, packOf } from '../evidence/pack.js';
import type { DisputeEvidenceInput } from './dispute.input.js';
import type { ShownPiece } from './filing.js';

/** The kind of a piece that is a pack of evidence. Without content it is the pack of the disputed transfer. */
export const packType = 'pack';

/** Bytes of a pack that is attached: a page of disputes stays one that can be answered. */
const mostPackBytes = 32_768;

/**
 * What a side shows, with the pack of the transfer where it asks for that; `transferId` is null while the money is held. 400 for a piece without
 * a description, a second pack, and one of money that is held; 404 for a transfer that the actor does not see, 409 for one that was not
 * completed.
 */
export async function piecesOf(
  ctx: Ctx,
  given: readonly DisputeEvidenceInput[] | null | undefined,
  transferId: (() => string | Promise<string>) | null,
): Promise<ShownPiece[]> {
  const pieces = given ?? [];
  pieces.forEach(checkDescription);
  const [first, second] = pieces.flatMap((piece, n) => (isAsked(piece) ? [n] : []));
  if (second !== undefined) throw invalid(second, 'type', 'is a second pack of the same transfer', 'max');
  if (first !== undefined && transferId === null)
    throw invalid(first, 'type', 'is a pack, which there is of a completed transfer alone: this money is still held', 'unsupported');
  const pack = first === undefined || transferId === null ? null : await packShown(ctx, await transferId());
  return pieces.map((piece) => ({
    ...piece,
    description: piece.description ?? 'What proves the transfer.',
    ...(isAsked(piece) && { content: pack }),
  }));
}

async function packShown(ctx: Ctx, id: string): Promise<string> {
  try {
    return await packOf(ctx, { id, parts: undefined, ...newestHead }, mostPackBytes);
  } catch (error) {
    throw error instanceof NotFound ? new NotFound('transferId') : error;
  }
}

const isAsked = ({ type, content }: DisputeEvidenceInput): boolean => type === packType && content == null;

function checkDescription(piece: DisputeEvidenceInput, n: number): void {
  if (piece.description == null && !isAsked(piece)) throw invalid(n, 'description', 'is required', 'required');
}

function invalid(n: number, field: string, message: string, rule: string): ValidationFailed {
  return new ValidationFailed([{ path: ['evidence', n, field], message, rule }]);
}
