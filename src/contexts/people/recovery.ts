// Recovery: a link with which a member who cannot sign in any more sets a new password. It is good for an hour, once.
import type { Member, Recovery } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { anonymous } from '../../platform/credential.js';
import type { Ctx } from '../../platform/ctx.js';
import { PersonRequired } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { hasMail } from '../../platform/outbound/mailer.js';
import type { Tx } from '../../platform/postgres/database.js';
import { createCtx } from '../../platform/request.js';
import { newId } from '../../platform/schema/id.js';
import { requireStepUp } from '../../platform/step-up.js';
import { emailKeyOf } from './email.js';
import { checkGiving, grantOf, lockPeople } from './grant.js';
import { isShown, type NewLink, newLink } from './link.js';
import { membersWithEmail, placeAt } from './lookup.js';
import { queueMail } from './mail.js';
import { lockLiving } from './member.js';

/** How long a recovery link is good. */
const ttlSeconds = 3_600;

/** A recovery with its link, which only the answer that made it carries, and only where no mail does. */
export interface IssuedRecovery extends Recovery {
  link: string | null;
}

/**
 * Makes a link with which a member sets a new password; earlier ones end. It needs a person who signed in a moment ago and has all that the
 * member has, or the command line.
 */
export async function recoverMember(ctx: Ctx, id: string): Promise<IssuedRecovery> {
  const { actor } = ctx;
  const { link, hash } = newLink(ctx, 'recover_');
  const made = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const row = await lockLiving(tx, id);
    if (actor.member === undefined && actor.type !== 'system')
      throw new PersonRequired('Only a person recovers a member. At the command line `cli member invite` makes the link.');
    requireStepUp(ctx);
    await checkGiving(ctx, tx, [grantOf(row)]);
    return writeRecovery(ctx, tx, row, { link, hash });
  });
  return { ...made, link: isShown(ctx) ? link : null };
}

/** Writes a recovery, and the mail with its link where mail carries it. Earlier ones end. */
async function writeRecovery(ctx: Ctx, tx: Tx, { id: memberId, email }: Member, { link, hash }: NewLink): Promise<Recovery> {
  const at = ctx.platform.clock.now();
  await tx.recovery.updateMany({ where: { memberId, usedAt: null, expiresAt: { gt: at } }, data: { expiresAt: at } });
  const shownToId = isShown(ctx) ? (ctx.actor.member?.id ?? null) : null;
  const data = { id: newId(at), memberId, hash, shownToId, createdAt: at, expiresAt: addSeconds(at, ttlSeconds) };
  const row = await tx.recovery.create({ data });
  if (!isShown(ctx)) await queueMail(ctx, tx, { to: email, ...recoveryMail, link: { label: 'Set a new password', url: link } });
  return row;
}

const recoveryMail = {
  subject: 'Set a new password for Agent Payments',
  paragraphs: [
    'Somebody asked for a new password for this e-mail. The link is good for an hour, once.',
    'If it was not you, do nothing: your password stays as it is.',
  ],
};

/** What was made, without its link. */
export function recovery(ctx: Ctx, id: string): Promise<Recovery> {
  return ctx.db.recovery.findFirstOrThrow({ where: { id } });
}

/** Mails that one member gets within an hour by asking for them. */
const mostByAsking = 3;

// Gap G-479: A member gets at most three recovery mails within an hour by asking for them.
/**
 * Asks for a link by mail, for somebody who lost the password. The answer does not wait for what comes of it: nobody is told whether there is
 * such an e-mail, and the time tells nothing either.
 */
export async function requestRecovery(ctx: Ctx, email: string): Promise<{ accepted: true }> {
  if (hasMail(ctx.platform)) {
    mailRecoveries(ctx, emailKeyOf(email)).catch((error: unknown) => ctx.log.warn({ err: error }, 'a recovery was not mailed'));
  }
  return { accepted: true };
}

async function mailRecoveries({ platform: here, workspace: { environment }, requestId, ip }: Ctx, emailKey: string): Promise<void> {
  for (const member of await membersWithEmail(here, emailKey)) {
    const { platform, workspace } = await placeAt(here, member.tenantId, environment);
    const act = { action: 'requestRecovery', resourceType: 'member', resourceId: member.id };
    const { actor } = anonymous(environment);
    // By the address of the configuration: what a request says of its host is not mailed.
    const ctx = createCtx(platform, { actor, workspace }, { requestId, ip, act });
    const since = addSeconds(platform.clock.now(), -ttlSeconds);
    if ((await ctx.db.recovery.count({ where: { memberId: member.id, shownToId: null, createdAt: { gt: since } } })) >= mostByAsking)
      continue;
    await transact(ctx, (tx) => writeRecovery(ctx, tx, member, newLink(ctx, 'recover_')));
  }
}
