// The kill switch of the whole workspace (CONTRACT.md 6): while it is on nothing is spent, in any process. Every posting that spends asks
// for it under a lock that a freeze takes alone (guard_workspace() in SQL), so an answered freeze is complete.
import type { Workspace as WorkspaceRow } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { stopRunning } from '../../../platform/freeze.js';
import { transact } from '../../../platform/idempotency.js';
import { checkStep, type Lifecycle } from '../../../platform/lifecycle.js';
import { lockRow } from '../../../platform/postgres/row.js';

type SpendingStatus = 'active' | 'frozen';

/** The spending of a workspace. Its kill switch has one path, for there is one of it. */
export const spendingLifecycle: Lifecycle<SpendingStatus> = {
  noun: 'spending of this workspace',
  path: '/v1/spending',
  steps: { active: ['frozen'], frozen: ['active'] },
  requests: [
    { to: 'frozen', rel: 'freeze', actor: 'api_key', method: 'POST', path: '/freeze' },
    { to: 'active', rel: 'unfreeze', actor: 'api_key', method: 'POST', path: '/unfreeze' },
  ],
};

/** Whether nothing may be spent; why, and since when. */
export interface KillSwitch {
  frozen: boolean;
  reason: string | null;
  since: Date | null;
}

/** The kill switch as it stands. */
export async function spending({ db, workspace }: Pick<Ctx, 'db' | 'workspace'>): Promise<KillSwitch> {
  return switchOf(await db.workspace.findUniqueOrThrow({ where: { id: workspace.id } }));
}

// Gap G-120: An answered freeze is complete in every process: all earlier spends are committed, no later one passes; twice is 409.
/** Stops all spending of the workspace. Once it returns nothing more is spent. 409 when it is frozen already. */
export function freezeSpending(ctx: Ctx, reason: string | null): Promise<KillSwitch> {
  return turn(ctx, 'frozen', { frozenAt: ctx.clock.now(), frozenReason: reason });
}

/** Lets the workspace spend again. 409 unless it is frozen. */
export function unfreezeSpending(ctx: Ctx): Promise<KillSwitch> {
  return turn(ctx, 'active', { frozenAt: null, frozenReason: null });
}

function turn(ctx: Ctx, to: SpendingStatus, data: Pick<WorkspaceRow, 'frozenAt' | 'frozenReason'>): Promise<KillSwitch> {
  const { id } = ctx.workspace;
  return transact(
    ctx,
    async (tx) => {
      const { frozenAt } = await lockRow(tx.workspace, id);
      checkStep(spendingLifecycle, id, frozenAt === null ? 'active' : 'frozen', to);
      const turned = await tx.workspace.update({ where: { id }, data });
      if (to === 'frozen') await stopRunning(ctx, tx, { kind: 'workspace', id, reason: 'workspace_frozen' });
      return switchOf(turned);
    },
    () => id,
  );
}

function switchOf({ frozenAt, frozenReason }: WorkspaceRow): KillSwitch {
  return { frozen: frozenAt !== null, reason: frozenReason, since: frozenAt };
}
