// Links that let somebody in, taken up: an invitation makes a member, a recovery gives one a new password. Each is used once.
import type { Invitation, Member, Recovery, SignInMethod } from '../../generated/prisma/client.js';
import { SignInFailed } from '../../platform/credential.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { emailKeyOf } from './email.js';
import { EmailTaken } from './errors.js';
import { emit, memberData } from './events.js';
import { lockPeople } from './grant.js';
import { invitationStatus } from './invitation.js';
import { type ShownLink, shownLink } from './link.js';
import { beginLogin, endLogins, requireBrowser, type SignIn } from './login.js';
import { invitationOf, recoveryOf } from './lookup.js';
import { tenantKey } from './member.js';
import { listMember, unlistPasskeys } from './member-place.js';
import { checkPassword, hashPassword } from './password.js';
import type { JoinInput } from './sign-in.input.js';
import { checkMethod } from './sign-in-setting.js';

/** What a link stands for: a place to take, or a member who comes back. */
export type Link = { invitation: Invitation; recovery?: never } | { recovery: Recovery & { member: Member }; invitation?: never };

/** What a link stands for. 401 `sign_in_failed` for one that is unknown, used, ended or expired. */
export async function linkOf({ platform }: Ctx, shown: ShownLink): Promise<Link> {
  const at = platform.clock.now();
  const invitation = await invitationOf(platform, shown);
  if (invitation !== null && invitationStatus(invitation, at) === 'pending') return { invitation };
  const recovery = invitation === null ? await recoveryOf(platform, shown) : null;
  if (recovery === null || recovery.usedAt !== null || recovery.expiresAt <= at || recovery.member.status !== 'active')
    throw new SignInFailed();
  return { recovery };
}

/** What somebody will sign in with. */
export interface NewMethod {
  method: SignInMethod;
  /** Of an identity provider: when the person proved there who he is. */
  authenticatedAt?: Date | null;
  /** Looks whether it is good for this person, and returns what writes it. */
  prepare(person: { name: string; email: string }): Promise<WriteMethod>;
}

/** Writes it, in the name of the member whose it is. */
export type WriteMethod = (asMember: Ctx, tx: Tx, memberId: string) => Promise<unknown>;

/** A password, as what somebody will sign in with. */
function passwordMethod(platform: Platform, password: string): NewMethod {
  return {
    method: 'password',
    prepare: async (person) => {
      checkPassword(password, person);
      const phc = await hashPassword(platform, person.email, password);
      return (asMember, tx, memberId) => tx.password.createMany({ data: [{ memberId, phc, changedAt: asMember.platform.clock.now() }] });
    },
  };
}

/** Takes up an invitation or a recovery with a password, and signs the person in. The link is used up. */
export function join(ctx: Ctx, { password, token, ...said }: JoinInput): Promise<SignIn> {
  return joinWith(ctx, { shown: shownLink(token), ...said }, passwordMethod(ctx.platform, password));
}

/** Which link somebody takes up, and who he is. */
export interface Joining extends Said {
  shown: ShownLink;
}

interface Said {
  name?: string | null | undefined;
  email?: string | null | undefined;
}

/** The same with whatever the person will sign in with. */
export async function joinWith(ctx: Ctx, { shown, ...said }: Joining, by: NewMethod): Promise<SignIn> {
  requireBrowser(ctx);
  const link = await linkOf(ctx, shown);
  const { tenantId } = link.invitation ?? link.recovery;
  await checkMethod(ctx.platform, tenantId, by.method);
  if (link.invitation === undefined) return comeBack(ctx, link.recovery, by);
  return takePlace(ctx, link.invitation, readSaid(link.invitation, said), by);
}

/** Who takes up an invitation. 400 where he does not say it, or where the invitation says another e-mail. */
export function readSaid(invitation: Invitation, { name, email }: Said): { name: string; email: string } {
  const missing = [...(name == null ? ['name'] : []), ...(invitation.email === null && email == null ? ['email'] : [])];
  if (missing.length > 0) throw new ValidationFailed(missing.map((path) => ({ path: [path], message: 'is required', rule: 'required' })));
  if (invitation.emailKey !== null && email != null && emailKeyOf(email) !== invitation.emailKey)
    throw new ValidationFailed([{ path: ['email'], message: 'is not the one that was invited', rule: 'fixed' }]);
  return { name: name ?? '', email: invitation.email ?? email ?? '' };
}

async function takePlace(
  ctx: Ctx,
  invitation: Invitation,
  { name, email }: { name: string; email: string },
  by: NewMethod,
): Promise<SignIn> {
  const write = await by.prepare({ name, email });
  const at = ctx.platform.clock.now();
  const { tenantId, role, authorityMax, authorityCurrency } = invitation;
  const shownTo = invitation.isLinkShown && invitation.invitedByType === 'member' ? invitation.invitedById : null;
  const data = {
    id: newId(at),
    name,
    email,
    emailKey: emailKeyOf(email),
    role,
    authorityMax,
    authorityCurrency,
    status: 'active' as const,
    createdAt: at,
    updatedAt: at,
    lastSeenAt: at,
    linkShownToId: shownTo,
    linkUsedAt: at,
  };
  const member: Member = { ...data, tenantId };
  return beginLogin(ctx, {
    member,
    ...begun(by),
    proven: [member],
    action: 'join',
    work: async (asMember, tx) => {
      await lockPeople(asMember, tx);
      await useUp(
        tx.invitation.updateMany({
          where: { id: invitation.id, acceptedAt: null, revokedAt: null, expiresAt: { gt: at } },
          data: { acceptedAt: at, memberId: member.id },
        }),
      );
      await refuseTaken(tx, data.emailKey);
      await listMember(asMember.platform, member);
      await tx.member.createMany({ data: [data] });
      await write(asMember, tx, member.id);
      await emit(asMember, tx, 'member.joined', memberData(asMember, member));
    },
  });
}

/** How the session of somebody begins who has just got something to sign in with. */
const begun = ({ method, authenticatedAt = null }: NewMethod) => ({ method, authenticatedAt });

/** 409 where somebody has joined with this e-mail since the link was made. */
async function refuseTaken(tx: Tx, emailKey: string): Promise<void> {
  const known = await tx.member.findFirst({ where: { emailKey, status: { not: 'removed' } }, select: { id: true } });
  if (known !== null) throw new EmailTaken(printId('member', known.id));
}

async function comeBack(ctx: Ctx, { member, ...recovery }: Recovery & { member: Member }, by: NewMethod): Promise<SignIn> {
  const { platform } = ctx;
  const write = await by.prepare(member);
  const at = platform.clock.now();
  const signedIn = await beginLogin(ctx, {
    member,
    ...begun(by),
    proven: [member],
    action: 'recover',
    work: async (asMember, tx) => {
      await lockPeople(asMember, tx);
      await useUp(tx.recovery.updateMany({ where: { id: recovery.id, usedAt: null, expiresAt: { gt: at } }, data: { usedAt: at } }));
      const { status } = await lockRow<Member>(tx.member, member.id);
      if (status !== 'active') throw new SignInFailed();
      await endSignIns(asMember, tx, member.id);
      await write(asMember, tx, member.id);
      const data = { linkShownToId: recovery.shownToId, linkUsedAt: at, updatedAt: at };
      await tx.member.update({ where: tenantKey(asMember, member.id), data });
      await emit(asMember, tx, 'member.changed', memberData(asMember, member));
    },
  });
  platform.cache.drop(`member:${member.id}`);
  return signedIn;
}

/** Of many who use a link at once one has changed its row. */
async function useUp(change: PromiseLike<{ count: number }>): Promise<void> {
  if ((await change).count === 0) throw new SignInFailed();
}

/** Ends all that a member signs in with, and every session. */
async function endSignIns(ctx: Ctx, tx: Tx, memberId: string): Promise<void> {
  await tx.password.deleteMany({ where: { memberId } });
  const passkeys = await tx.passkey.findMany({ where: { memberId }, select: { credentialId: true } });
  await tx.passkey.deleteMany({ where: { memberId } });
  await unlistPasskeys(
    ctx.platform,
    memberId,
    passkeys.map(({ credentialId }) => credentialId),
  );
  await tx.oidcIdentity.deleteMany({ where: { memberId } });
  await endLogins(ctx, tx, memberId);
}
