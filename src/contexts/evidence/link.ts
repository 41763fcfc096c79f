// Links that show a pack to whoever has them (CONTRACT.md 25). The token stands behind `#`, and says its workspace. Links live in real time, as
// credentials do.
import type { EvidenceLink } from '../../generated/prisma/client.js';
import { type PartName, partNames } from '../../platform/audit-leaf.js';
import { markOf, newMarkedToken } from '../../platform/cell/mark.js';
import { addSeconds } from '../../platform/clock.js';
import { sha256 } from '../../platform/crypto.js';
import { type Ctx, type Environment, type Platform, workspaceOf } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { Forbidden, NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { covers } from '../../platform/scope.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { readable } from './leaf.js';
import type { CreateEvidenceLinkInput } from './link.input.js';
import { addressOf } from './log.js';
import { newestHead, packFor } from './pack.js';
import { completingLine, forPayee, shownByLink } from './transfer-leaf.js';

const prefix = 'evl_';

/** Seconds that a link lives: thirty days. */
export const defaultLinkSeconds = 2_592_000;

/** A link with its address, which only the answer that made it carries. */
export interface IssuedLink extends EvidenceLink {
  url: string;
}

/**
 * Makes a link to the pack of a completed transfer. 404 for a transfer that the caller does not see, 409 for one that was not completed, 403
 * for a part that the caller may not see itself.
 */
export async function createLink(ctx: Ctx, { transferId, parts, expiresIn }: CreateEvidenceLinkInput): Promise<IssuedLink> {
  const transfer = await ctx.db.transfer.findFirst({ where: { AND: [{ id: transferId }, await visibleTransfers(ctx)] } });
  if (transfer === null) throw new NotFound('transferId');
  await completingLine(ctx, transfer);
  const maySee = (name: PartName) => covers(ctx.actor.scopes, readable(name));
  const shown: PartName[] = [...new Set(parts ?? forPayee.filter(maySee))];
  const hidden = shown.find((name) => !maySee(name));
  if (hidden !== undefined) throw new Forbidden(`A link shows what you may see yourself: the part ${hidden} needs ${readable(hidden)}.`);
  const at = ctx.platform.clock.now();
  const token = newMarkedToken(prefix, ctx.workspace.id);
  const data = {
    id: newId(at),
    transferId: transfer.id,
    parts: shown,
    hash: sha256(token),
    createdAt: at,
    expiresAt: addSeconds(at, expiresIn ?? defaultLinkSeconds),
  };
  const row = await transact(ctx, (tx) => tx.evidenceLink.create({ data }));
  const origin = ctx.origin?.() ?? addressOf(ctx.platform, ctx.workspace.environment);
  return { ...row, url: `${origin}/receipt#${token}` };
}

/** Ends a link at once. Again on an ended one changes nothing. */
export function revokeLink(ctx: Ctx, id: string): Promise<EvidenceLink> {
  return transact(ctx, async (tx) => {
    const link = await lockRow(tx.evidenceLink, id);
    if (link.revokedAt !== null) return link;
    return tx.evidenceLink.update({ where: rowKey(ctx, id), data: { revokedAt: ctx.platform.clock.now() } });
  });
}

/** The link (never its token), or 404. */
export async function linkById(ctx: Ctx, id: string): Promise<EvidenceLink> {
  const found = await ctx.db.evidenceLink.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Every link of the workspace, ended ones too, newest first. */
export const links = listOf('evidenceLink', {});

/** The pack that a link shows, as RFC 8785 spells it. 404 for a link that is unknown, has ended, or was revoked. */
export async function openLink({ cells }: Platform, token: string, environment: Environment): Promise<string> {
  const trace = markOf(token, prefix);
  if (trace === undefined || !('workspaceId' in trace)) throw new NotFound();
  const platform = cells.only ?? (await cells.find(trace));
  const row = await platform.database.unscoped.workspace.findFirst({ where: { id: trace.workspaceId, environment } });
  if (row === null) throw new NotFound();
  const ctx = systemCtx(platform, workspaceOf(row), null);
  const link = await ctx.db.evidenceLink.findFirst({ where: { hash: sha256(token) } });
  if (link === null || link.revokedAt !== null || link.expiresAt <= platform.clock.now()) throw new NotFound();
  const transfer = await ctx.db.transfer.findFirst({ where: { id: link.transferId } });
  if (transfer === null) throw new NotFound();
  const parts = partNames.filter((name) => link.parts.includes(name));
  return packFor(ctx, transfer, newestHead, shownByLink(parts));
}
