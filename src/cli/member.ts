// The commands about members, for the first owner of a tenant and for one who is locked out.
import { emailKeyOf, emailRule } from '../contexts/people/email.js';
import { createInvitation } from '../contexts/people/invitation.js';
import { updateMember } from '../contexts/people/member.js';
import { recoverMember } from '../contexts/people/recovery.js';
import { resetSignIn } from '../contexts/people/sign-in-setting.js';
import type { Platform, Workspace } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { printId } from '../platform/schema/id.js';
import { type Role, roles } from '../platform/scope.js';

const rolesInWords = roles.join(', ');

/** A link by which somebody joins; for the e-mail of a member one that sets a new password. */
export async function inviteMember(
  platform: Platform,
  workspace: Workspace,
  { email, role }: { email: string; role: string },
): Promise<{ link: string | null; expiresAt: Date }> {
  if (!emailRule.safeParse(email).success) throw new Error('--email must be an e-mail address');
  if (!roles.includes(role as Role)) throw new Error(`--role must be one of ${rolesInWords}`);
  const ctx = (action: string) => systemCtx(platform, workspace, { action, resourceType: 'member' });
  const known = await ctx('').db.member.findFirst({ where: { emailKey: emailKeyOf(email), status: { not: 'removed' } } });
  if (known === null) return createInvitation(ctx('createInvitation'), { email, role: role as Role });
  const isChanged = known.role !== role || known.status !== 'active';
  if (isChanged) await updateMember(ctx('updateMember'), { id: known.id, role: role as Role, status: 'active' });
  return recoverMember(ctx('recoverMember'), known.id);
}

/** The members of a tenant, as text or as JSON. */
export async function listMembers(platform: Platform, workspace: Workspace, isJson: boolean): Promise<string> {
  const rows = await systemCtx(platform, workspace, null).db.member.findMany({ orderBy: { id: 'asc' } });
  const members = rows.map(({ id, name, email, role, status }) => ({ id: printId('member', id), name, email, role, status }));
  if (isJson) return JSON.stringify(members);
  if (members.length === 0) return 'The tenant has no members. Invite one: member invite --email EMAIL --role owner';
  return members.map(({ id, name, email, role, status }) => `${id}  ${role}  ${status}  ${email}  ${name}`).join('\n');
}

/** Opens the ways to sign in that a tenant begins with, for owners who are locked out. */
export async function openSignIn(platform: Platform, workspace: Workspace): Promise<string> {
  const ctx = systemCtx(platform, workspace, { action: 'resetSignIn', resourceType: 'sign_in' });
  return (await resetSignIn(ctx)).methods.join(', ');
}

/** Suspends a member, and ends the sessions of the person. */
export async function suspendMember(platform: Platform, workspace: Workspace, id: string): Promise<void> {
  await updateMember(systemCtx(platform, workspace, { action: 'updateMember', resourceType: 'member' }), { id, status: 'suspended' });
}
