// The leaves that are evidence of a transfer: its own postings, and what they stand on (CONTRACT.md 25).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Disclosure, PartName } from '../../platform/audit-leaf.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { covers } from '../../platform/scope.js';
import { leavesOf } from '../audit/block.sql.js';
import { canSeePayerSide } from '../transfers/side.js';
import { type LeafPlace, readable } from './leaf.js';
import { besideTransfer, linesAbout, postingLines, type Role, type RoleLine, refundsOf } from './transfer-leaf.sql.js';

/** The lines about one thing, and the refunds, that a pack shows at most. */
const mostAbout = 12;
const mostRefunds = 12;

/** The line whose posting completed a transfer. 409 for a transfer that has not been completed. */
export async function completingLine(ctx: Ctx, transfer: Transfer): Promise<string> {
  const lines = await postingLines(ctx.platform.database.pool, ctx.workspace.id, [transfer.id]);
  const line = lines.find(({ status }) => status === 'completed');
  if (line !== undefined) return line.id;
  const message =
    transfer.status === 'completed'
      ? 'This transfer is older than the evidence of this platform.'
      : `Only a completed transfer has a receipt; this one is ${transfer.status}.`;
  throw new StateConflict(message, transfer.status, ['completed'], {
    next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/transfers/${transfer.id}` }],
  });
}

/** The lines that are evidence of a transfer, in their order. */
export async function transferLines(ctx: Ctx, transferId: string): Promise<RoleLine[]> {
  const { pool } = ctx.platform.database;
  const { id: workspaceId } = ctx.workspace;
  const [own, beside, refunds] = await Promise.all([
    postingLines(pool, workspaceId, [transferId]),
    besideTransfer(pool, workspaceId, transferId),
    refundsOf(pool, workspaceId, transferId, mostRefunds),
  ]);
  const roles = new Map(beside.map(({ id, role }) => [id, role]));
  const [about, paidBack] = await Promise.all([
    linesAbout(pool, workspaceId, [...roles.keys()], mostAbout),
    postingLines(pool, workspaceId, refunds),
  ]);
  const lines: RoleLine[] = [
    ...own.map(({ id, transactionId, status }) => ({ id, role: roleOf(status, transactionId === transferId) })),
    ...about.map(({ id, about: of }) => ({ id, role: roles.get(of) ?? ('payment' as const) })),
    ...paidBack.map(({ id }) => ({ id, role: 'refund' as const })),
  ];
  // An approval that pays has one line, which says both.
  const first = new Map<string, RoleLine>();
  for (const line of lines) if (!first.has(line.id)) first.set(line.id, line);
  return [...first.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function roleOf(status: string, isFirst: boolean): Role {
  if (status === 'pending' || status === 'processing') return 'hold';
  return isFirst ? 'payment' : 'capture';
}

/** A leaf, and what it says of the transfer. */
export interface RolePlace extends LeafPlace {
  role: Role;
}

/** Where lines stand in the tree, in the order of their leaves. Lines that are no leaves yet are left out. */
export async function placesOf(ctx: Ctx, lines: readonly RoleLine[]): Promise<RolePlace[]> {
  const { pool } = ctx.platform.database;
  const leaves = await leavesOf(
    pool,
    ctx.workspace.id,
    lines.map(({ id }) => id),
  );
  const places = lines.flatMap(({ id, role }) => {
    const leaf = leaves.get(id);
    return leaf === undefined ? [] : [{ index: leaf.index, lineId: id, role }];
  });
  return places.sort((a, b) => (a.index < b.index ? -1 : 1));
}

/** What the side that is paid sees of a transfer: never who let it be paid, nor under which rules. */
export const forPayee: readonly PartName[] = ['money', 'offer', 'delivery', 'outcome'];
/** What the agent that pays sees besides. */
const forPayer: readonly PartName[] = [...forPayee, 'private', 'authority'];

/** Which parts of the leaves of a transfer the actor may see, of those that are asked for. */
export async function shownParts(
  ctx: Ctx,
  transfer: Transfer,
  asked: readonly PartName[] | undefined,
): Promise<(disclosures: readonly Disclosure[]) => Disclosure[]> {
  const { actor } = ctx;
  const isOperator = actor.agent === undefined && actor.customer === undefined;
  const names = (await canSeePayerSide(ctx, transfer)) ? forPayer : forPayee;
  const maySee = (name: PartName) => (isOperator ? covers(actor.scopes, readable(name)) : names.includes(name));
  return (disclosures) => disclosures.filter(({ name }) => maySee(name) && (asked === undefined || asked.includes(name)));
}
