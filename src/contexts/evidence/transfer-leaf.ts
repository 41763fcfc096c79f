// The leaves that are evidence of a transfer: its own postings, and what they stand on (CONTRACT.md 25).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Disclosure, PartName } from '../../platform/audit-leaf.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { covers, type Scope } from '../../platform/scope.js';
import { archivedSoFar, LineArchived } from '../audit/archive.js';
import { leavesOf } from '../audit/block.sql.js';
import { canSeePayerSide } from '../transfers/side.js';
import { type LeafPlace, readable } from './leaf.js';
import { besideTransfer, linesAbout, postingLines, type Role, type RoleLine, refundsOf } from './transfer-leaf.sql.js';

/** The lines about one thing, and the refunds, that a pack shows at most. */
const mostAbout = 12;
const mostRefunds = 12;

/** The line whose posting completed a transfer. 409 for a transfer that has not been completed, or whose lines were archived. */
export async function completingLine(ctx: Ctx, transfer: Transfer): Promise<string> {
  const lines = await postingLines(ctx.platform.database.pool, ctx.workspace.id, [transfer.id]);
  const line = lines.find(({ status }) => status === 'completed');
  const checkpoint = await archivedSoFar(ctx);
  const isMissing = line === undefined && transfer.status === 'completed';
  // Gap G-837: A pack of a transfer that was made before the end of the archive is 409, even where the line that completed it is kept.
  if (checkpoint !== undefined && (isMissing || transfer.createdAt <= checkpoint.until)) throw new LineArchived(checkpoint);
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
    ...paidBack.map(({ id }) => ({ id, role: 'refund' as const })),
    ...about.map(({ id, about: of }) => ({ id, role: roles.get(of) ?? ('payment' as const) })),
  ];
  // An approval that pays has one line, which says both; so has a resolution that refunds.
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

/** Leaves whose outcome both sides see. What a mandate, an approval or a policy says is the payer's, and a payment may be one with its approval. */
const forBoth: readonly Role[] = ['refund', 'dispute', 'delivery'];
/** What the agent that pays sees besides: the mandate that it holds, and who approved. */
const ofPayer: readonly Role[] = [...forBoth, 'payment', 'capture', 'checkout', 'mandate', 'approval'];
const everyRole: readonly Role[] = [...ofPayer, 'hold', 'policy'];
/** The scope that opens what such a leaf came to, where it is not that of the audit log. */
const scopeOfOutcome: Partial<Record<Role, Scope>> = {
  mandate: 'mandates:read',
  approval: 'approvals:read',
  policy: 'policies:read',
  refund: 'refunds:read',
  dispute: 'refunds:read',
  checkout: 'checkouts:read',
};

/** Says which parts of a leaf somebody may see. */
export type Shown = (disclosures: readonly Disclosure[], place: { role: Role }) => Disclosure[];

/** What is seen of a leaf where these parts are, and the outcome of what both sides see. */
function shownAs(names: readonly PartName[], roles = forBoth): Shown {
  return (disclosures, { role }) => disclosures.filter(({ name }) => names.includes(name) && (name !== 'outcome' || roles.includes(role)));
}

/** Which parts of the leaves of a transfer the actor may see, of those that are asked for. */
export async function shownParts(ctx: Ctx, transfer: Transfer, asked: readonly PartName[] | undefined): Promise<Shown> {
  const maySee = await shownTo(ctx, transfer);
  return (disclosures, place) => maySee(disclosures, place).filter(({ name }) => asked === undefined || asked.includes(name));
}

async function shownTo(ctx: Ctx, transfer: Transfer): Promise<Shown> {
  const { actor } = ctx;
  if (actor.agent === undefined && actor.customer === undefined) {
    return (disclosures, { role }) => disclosures.filter(({ name }) => covers(actor.scopes, scopeOf(name, role)));
  }
  if (!(await canSeePayerSide(ctx, transfer))) return shownAs(forPayee);
  // A customer that pays sees what it paid for. By whose authority is its platform's to say.
  return actor.customer === undefined ? shownAs(forPayer, ofPayer) : shownAs([...forPayee, 'private']);
}

/** The scope that opens a part of a leaf: that of the noun whose words it has. */
function scopeOf(name: PartName, role: Role): Scope {
  return name === 'outcome' ? (scopeOfOutcome[role] ?? readable(name)) : readable(name);
}

/** What a link shows: the parts that it names, and what the rules of the payer came to only where it names these. */
export function shownByLink(parts: readonly PartName[]): Shown {
  return shownAs(parts, parts.includes('decision') ? everyRole : parts.includes('authority') ? ofPayer : forBoth);
}
