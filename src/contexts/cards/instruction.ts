// An instruction to a card network on behalf of an agent: its lifecycle, who sees it, and lists (CONTRACT.md 14).
import type { Approval, CardInstruction, CardInstructionStatus, CardInstructionType, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/schema/page.js';
import { Visibility } from '../../platform/visibility.js';
import { approval } from '../spending/approval.js';

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
export const openStatuses: readonly CardInstructionStatus[] = ['pending', 'submitted'];

/** An agent sees its own. */
export const visibleInstructions = new Visibility<Prisma.CardInstructionWhereInput>({ agent: ({ id }) => ({ agentId: id }) });

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
  return { instruction, approval: instruction.approvalId === null ? null : await approval(ctx, instruction.approvalId) };
}

export interface InstructionFilter extends PageInput {
  agentId?: string | null | undefined;
  network?: string | null | undefined;
  type?: CardInstructionType | null | undefined;
  status?: CardInstructionStatus | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Instructions, newest first. */
export function cardInstructions(ctx: Ctx, filter: InstructionFilter): Promise<Page<CardInstruction>> {
  const { agentId, network, type, status, since, until } = filter;
  const conditions: Prisma.CardInstructionWhereInput[] = [visibleInstructions.where(ctx), createdBetween(since, until)];
  if (agentId) conditions.push({ agentId });
  if (network) conditions.push({ network });
  if (type) conditions.push({ type });
  if (status) conditions.push({ status });
  return listPage(ctx, 'cardInstruction', ctx.db.cardInstruction, { AND: conditions }, filter);
}
