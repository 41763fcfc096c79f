// Members of a tenant: who they are, what they may do, and how that ends (CONTRACT.md 22). A tenant with members has an active owner.
import type { Member, MemberStatus } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx, SignInMethod } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { listOf } from '../../platform/schema/list.js';
import { requireStepUp } from '../../platform/step-up.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { MemberRemoved } from './errors.js';
import { emit, memberData } from './events.js';
import { authorityColumns, checkGiving, firstAuthority, grantOf, hasAuthorityOf, lockPeople, readAuthority } from './grant.js';
import { endLogins } from './login.js';
import type { UpdateMemberInput } from './member.input.js';
import { unlistMember } from './member-place.js';
import { checkOwnerStays, methodsOfMembers } from './sign-in-setting.js';

/** The primary key of a row of people in the tenant of `ctx`. */
export function tenantKey({ workspace }: Pick<Ctx, 'workspace'>, id: string): { tenantId_id: { tenantId: string; id: string } } {
  return { tenantId_id: { tenantId: workspace.tenantId, id } };
}

/** The member, or 404. `query` is the caller's selection. */
export async function member(ctx: Ctx, id: string, query: object = {}): Promise<Member> {
  const found = await ctx.db.member.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Members and invitations are for operators who may read them. */
export const visiblePeople = operatorsOnly('members:read');

/** Every member of the tenant, removed ones too, newest first. */
export const members = listOf('member', { visible: visiblePeople });

/** By which a member can sign in now; those of many members are looked up together. */
export async function methodsOf(
  ctx: Ctx,
  { id, methods }: { id: string; methods?: readonly SignInMethod[] },
): Promise<readonly SignInMethod[]> {
  // Of somebody who has just signed in they are known, and the ctx is still nobody's.
  if (methods !== undefined) return methods;
  const found = await loadTogether(ctx, 'sign-in methods', id, (ids) => methodsOfMembers(ctx.db, [...ids]));
  return found ?? [];
}

/**
 * Changes what a member is. It needs a recent sign-in of a person; nobody gives or takes what he has not. 409 `state_conflict` for the last
 * active owner, and for a member who was removed.
 */
export async function updateMember(ctx: Ctx, { id, role, authority, status }: UpdateMemberInput & { id: string }): Promise<Member> {
  requireStepUp(ctx);
  if (role == null && authority === undefined && status == null)
    throw new ValidationFailed([{ path: [], message: 'must change something: role, authority or status', rule: 'required' }]);
  const changed = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const before = await lockLiving(tx, id);
    const grant = grantOf(before);
    const next = {
      role: role ?? grant.role,
      authority:
        authority !== undefined ? readAuthority(authority) : role == null || role === grant.role ? grant.authority : firstAuthority(role),
    };
    await checkGiving(ctx, tx, [grant, next]);
    const data = { role: next.role, ...authorityColumns(next.authority), status: status ?? before.status };
    return changeMember(ctx, tx, before, data);
  });
  forget(ctx, id);
  return changed;
}

/** Ends a member for good: sessions and pending invitations end at once. 409 for the last active owner; again changes nothing. */
export async function removeMember(ctx: Ctx, id: string): Promise<Member> {
  requireStepUp(ctx);
  const removed = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const before = await lockRow(tx.member, id);
    await checkGiving(ctx, tx, [grantOf(before)]);
    return before.status === 'removed' ? before : changeMember(ctx, tx, before, { status: 'removed' });
  });
  forget(ctx, id);
  await unlistMember(ctx.platform, removed);
  return removed;
}

/** Ends every session of a member, in both environments and every process. */
export async function signOutMember(ctx: Ctx, id: string): Promise<Member> {
  const signedOut = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const row = await lockRow(tx.member, id);
    if (ctx.actor.member?.id !== id) await checkGiving(ctx, tx, [grantOf(row)]);
    await endLogins(ctx, tx, id);
    return row;
  });
  forget(ctx, id);
  return signedOut;
}

/** What this process keeps of a member. Other processes are told by the database. */
export function forget({ platform }: Pick<Ctx, 'platform'>, id: string): void {
  platform.cache.drop(`member:${id}`);
}

/** Locks a member who was not removed: 404, or 409. */
export async function lockLiving(tx: Tx, id: string): Promise<Member> {
  const row = await lockRow<Member>(tx.member, id);
  if (row.status === 'removed') throw new MemberRemoved();
  return row;
}

type MemberChange = Partial<Pick<Member, 'role' | 'authorityMax' | 'authorityCurrency'>> & { status: MemberStatus };

/** Writes a change under the lock of the tenant's people, with all that follows from it. */
async function changeMember(ctx: Ctx, tx: Tx, before: Member, data: MemberChange): Promise<Member> {
  const after = await tx.member.update({ where: tenantKey(ctx, before.id), data: { ...data, updatedAt: ctx.platform.clock.now() } });
  const isOwner = ({ role, status }: Member) => role === 'owner' && status === 'active';
  if (isOwner(before) && !isOwner(after)) await checkOwnerStays(tx);
  const isWeaker = after.role !== before.role || after.status !== 'active' || !hasAuthorityOf(after, before);
  if (isWeaker) await endLinksOf(ctx, tx, before.id);
  if (after.status !== 'active') await endLogins(ctx, tx, before.id);
  await emit(ctx, tx, after.status === 'removed' ? 'member.removed' : 'member.changed', memberData(ctx, after));
  return after;
}

// Gap G-475: Links that a member has made end when the member is removed, suspended, given another role or less authority.
/** Ends what a member has given while he could: pending invitations, and recoveries whose link he was shown. */
async function endLinksOf(ctx: Ctx, tx: Tx, memberId: string): Promise<void> {
  const at = ctx.platform.clock.now();
  const pending = { invitedByType: 'member', invitedById: memberId, acceptedAt: null, revokedAt: null };
  await tx.invitation.updateMany({ where: pending, data: { revokedAt: at } });
  await tx.recovery.updateMany({ where: { shownToId: memberId, usedAt: null, expiresAt: { gt: at } }, data: { expiresAt: at } });
}
