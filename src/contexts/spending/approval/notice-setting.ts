// Who is told of approvals that wait, beside the events: a setting of the workspace.
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { hasMail } from '../../../platform/outbound/mailer.js';
import { lockRow } from '../../../platform/postgres/row.js';

/** Who is told of approvals that wait. */
export interface ApprovalNotices {
  /** Each member who may vote, by mail. */
  mail: boolean;
  /** The platform has a server that takes its mail. */
  isMailConfigured: boolean;
}

/** Who is told of approvals of the workspace: nobody by default. */
export async function approvalNotices({ db, platform }: Pick<Ctx, 'db' | 'platform'>): Promise<ApprovalNotices> {
  const row = await db.approvalNotice.findFirst({ select: { mail: true } });
  return { mail: row?.mail ?? false, isMailConfigured: hasMail(platform) };
}

/** Says who is told from now on. */
export async function setApprovalNotices(ctx: Ctx, mail: boolean): Promise<ApprovalNotices> {
  const { id } = ctx.workspace;
  await transact(
    ctx,
    async (tx) => {
      // Two changes at once follow each other.
      await lockRow(tx.workspace, id);
      await tx.approvalNotice.deleteMany();
      await tx.approvalNotice.createMany({ data: [{ mail, updatedAt: ctx.clock.now() }] });
    },
    () => id,
  );
  return approvalNotices(ctx);
}

/** Whether those who may vote on an approval that is asked for now are told. Without a mail server the database is not asked. */
export async function isNoticed(ctx: Pick<Ctx, 'db' | 'platform'>): Promise<boolean> {
  return hasMail(ctx.platform) && (await approvalNotices(ctx)).mail;
}
