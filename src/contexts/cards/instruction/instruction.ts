// An instruction to a card network on behalf of an agent: its lifecycle, who sees it, and lists (CONTRACT.md 14).
import type { Approval, CardInstruction, CardInstructionStatus, Prisma } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import type { Lifecycle } from '../../../platform/lifecycle.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';
import { awaitedApproval } from '../../spending/approval/approval.js';

/** Only an authorization is cancelled: by an instruction of its own, or because its approval was refused. */
export const cardInstructionLifecycle: Lifecycle<CardInstructionStatus> = {
  noun: 'card instruction',
  path: '/v1/cards/instructions/{id}',
  steps: {
    pending: ['submitted', 'approved', 'declined', 'failed', 'cancelled'],
    submitted: ['approved', 'declined', 'failed', 'cancelled'],
    approved: ['cancelled'],
    declined: [],
    failed: [],
    cancelled: [],
  },
  requests: [],
};

/** The statuses in which an instruction is on its way. */
export const openInstructionStatuses: readonly CardInstructionStatus[] = ['pending', 'submitted'];

/** An agent sees its own. */
export const visibleInstructions = new Visibility<Prisma.CardInstructionWhereInput>({
  scope: 'cards:read',
  agent: ({ id }) => ({ agentId: id }),
});

/** An instruction, and the approval that it waits for. */
export interface InstructionChange {
  instruction: CardInstruction;
  approval: Approval | null;
}

/** The instruction, or 404. */
export async function cardInstruction(ctx: Ctx, id: string): Promise<CardInstruction> {
  const found = await ctx.db.cardInstruction.findFirst({ where: { AND: [{ id }, visibleInstructions.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The instruction of a keyed request that is repeated. */
export async function queuedInstruction(ctx: Ctx, id: string): Promise<InstructionChange> {
  const instruction = await cardInstruction(ctx, id);
  return { instruction, approval: await awaitedApproval(ctx, instruction.approvalId) };
}

/** Instructions, newest first. */
export const cardInstructions = listOf('cardInstruction', { visible: visibleInstructions });
