// The password of the person who asks.
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { requireStepUp } from '../../platform/step-up.js';
import { requirePerson } from './login.js';
import { forget, member as readMember } from './member.js';
import { checkPassword, hashPassword } from './password.js';

/** Sets the password of the person who asks, who signed in a moment ago. Every other session of the person ends. */
export async function setPassword(ctx: Ctx, { password }: { password: string }): Promise<{ changedAt: Date }> {
  const { member, credential } = requirePerson(ctx);
  requireStepUp(ctx);
  const own = await readMember(ctx, member.id);
  checkPassword(password, own);
  const phc = await hashPassword(ctx.platform, own.email, password);
  const at = ctx.platform.clock.now();
  const act = { action: 'setPassword', resourceType: 'member', resourceId: member.id };
  await transact(
    { ...ctx, act },
    async (tx) => {
      await tx.password.deleteMany({ where: { memberId: member.id } });
      await tx.password.createMany({ data: [{ memberId: member.id, phc, changedAt: at }] });
      const others = { memberId: member.id, id: { not: credential.id }, endedAt: null, expiresAt: { gt: at } };
      await tx.login.updateMany({ where: others, data: { endedAt: at } });
    },
    () => member.id,
  );
  forget(ctx, member.id);
  return { changedAt: at };
}
