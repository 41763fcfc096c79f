// Invitations: a place in a tenant, taken by whoever has the link (CONTRACT.md 22). The token of the link is kept as its hash.
import type { Invitation } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import type { Role } from '../../platform/scope.js';
import { requireStepUp } from '../../platform/step-up.js';
import { emailKeyOf } from './email.js';
import { EmailTaken, NoOwner } from './errors.js';
import { authorityColumns, checkGiving, firstAuthority, type Grant, grantOf, lockPeople, readAuthority } from './grant.js';
import type { CreateInvitationInput } from './invitation.input.js';
import { isShown, newLink } from './link.js';
import { type MailContent, queueMail } from './mail.js';
import { tenantKey, visiblePeople } from './member.js';

export type InvitationStatus = 'pending' | 'accepted' | 'expired' | 'revoked';

/** An invitation with its link, which only the answer that made it carries, and only where no mail does. */
export interface IssuedInvitation extends Invitation {
  link: string | null;
}

const defaultSeconds = 604_800;

/** Roles that only somebody who has just signed in gives. */
const withStepUp: readonly Role[] = ['owner', 'admin', 'finance'];

/** What has become of an invitation. */
export function invitationStatus({ acceptedAt, revokedAt, expiresAt }: Invitation, at: Date): InvitationStatus {
  if (acceptedAt !== null) return 'accepted';
  if (revokedAt !== null) return 'revoked';
  return expiresAt <= at ? 'expired' : 'pending';
}

// Gap G-476: A new invitation takes the place of a pending one for the same e-mail, whose link is then worth nothing.
/**
 * Invites somebody. Nobody gives what he has not: 403 `person_required`, `forbidden`, `step_up_required`. 409 `already_exists` for the
 * e-mail of a member, `state_conflict` where the tenant has no owner yet and this is none.
 */
export function createInvitation(ctx: Ctx, { email, role, authority, expiresIn }: CreateInvitationInput): Promise<IssuedInvitation> {
  if (withStepUp.includes(role)) requireStepUp(ctx);
  const grant = { role, authority: authority === undefined ? firstAuthority(role) : readAuthority(authority) };
  return issueInvitation(ctx, { email, grant, seconds: expiresIn ?? defaultSeconds });
}

/** Seconds for which the link of the first owner is good. */
const firstOwnerSeconds = 86_400;

/** The link by which the first owner of a new tenant joins, whose e-mail nobody knows yet. For the platform itself. */
export async function inviteFirstOwner(ctx: Ctx): Promise<string> {
  const grant = { role: 'owner' as const, authority: firstAuthority('owner') };
  return (await issueInvitation(ctx, { email: null, grant, seconds: firstOwnerSeconds })).link ?? '';
}

interface NewInvitation {
  email: string | null;
  grant: Grant;
  seconds: number;
}

async function issueInvitation(ctx: Ctx, { email, grant, seconds }: NewInvitation): Promise<IssuedInvitation> {
  const { role, authority } = grant;
  const at = ctx.platform.clock.now();
  const { link, hash } = newLink(ctx, 'join_');
  const emailKey = email === null ? null : emailKeyOf(email);
  const { type, id: actorId } = ctx.actor;
  const isLinkShown = email === null || isShown(ctx);
  const made = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    await checkGiving(ctx, tx, [grant]);
    await checkPlace(tx, emailKey, role);
    if (emailKey !== null)
      await tx.invitation.updateMany({ where: { emailKey, acceptedAt: null, revokedAt: null }, data: { revokedAt: at } });
    const row = await tx.invitation.create({
      data: {
        id: newId(at),
        email,
        emailKey,
        role,
        ...authorityColumns(authority),
        hash,
        invitedByType: type,
        invitedById: type === 'system' ? null : actorId,
        isLinkShown,
        createdAt: at,
        expiresAt: addSeconds(at, seconds),
      },
    });
    if (email !== null && !isLinkShown) await queueMail(ctx, tx, invitationMail(ctx, { email, role, link }));
    return row;
  });
  return { ...made, link: isLinkShown ? link : null };
}

function invitationMail({ actor }: Ctx, { email, role, link }: { email: string; role: Role; link: string }): MailContent {
  return {
    to: email,
    subject: `${actor.name} invites you to Agent Payments`,
    paragraphs: [`${actor.name} invites you to a tenant of Agent Payments, as ${role}.`, 'The link is good once.'],
    link: { label: 'Join', url: link },
  };
}

/** 409 where somebody has the e-mail, or where the first member would be no owner. */
async function checkPlace(tx: Tx, emailKey: string | null, role: Role): Promise<void> {
  const known =
    emailKey === null ? null : await tx.member.findFirst({ where: { emailKey, status: { not: 'removed' } }, select: { id: true } });
  if (known !== null) throw new EmailTaken(printId('member', known.id));
  if (role === 'owner') return;
  if ((await tx.member.count({ where: { role: 'owner', status: 'active' } })) === 0) throw new NoOwner();
}

/** The invitation (never its link), or 404. `query` is the caller's selection. */
export async function invitation(ctx: Ctx, id: string, query: object = {}): Promise<Invitation> {
  const found = await ctx.db.invitation.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Every invitation of the tenant, used and ended ones too, newest first. */
export const invitations = listOf('invitation', { visible: visiblePeople });

/** Ends a pending invitation: its link is worth nothing. Again, and on one that has ended, it changes nothing. */
export function revokeInvitation(ctx: Ctx, id: string): Promise<Invitation> {
  return transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const row = await lockRow<Invitation>(tx.invitation, id);
    await checkGiving(ctx, tx, [grantOf(row)]);
    if (row.acceptedAt !== null || row.revokedAt !== null) return row;
    return tx.invitation.update({ where: tenantKey(ctx, id), data: { revokedAt: ctx.platform.clock.now() } });
  });
}

/** Ends the pending invitations of an API key, its JWT sessions' too. */
export async function endInvitationsOfKey({ platform }: Ctx, tx: Tx, keyId: string): Promise<void> {
  const pending = { invitedByType: { in: ['api_key', 'user'] }, invitedById: keyId, acceptedAt: null, revokedAt: null };
  await tx.invitation.updateMany({ where: pending, data: { revokedAt: platform.clock.now() } });
}
