// What operators should look at, as it happens: approvals that are asked for and decided, and warnings of budgets and of the runaway
// breaker (CONTRACT.md 21 "Subscriptions"). The warnings are events of the platform's own, which no other stream shows.
import type { PublishedEvent } from '../../events/publication.js';
import type { Approval } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import { approval } from '../spending/approval/approval.js';
import { followEvents } from './workspace-stream.js';

/** The kinds of messages, by the type of event that each is made of. */
export const messageKinds = {
  'approval.requested': 'approval_requested',
  'approval.voted': 'approval_voted',
  'approval.approved': 'approval_decided',
  'approval.rejected': 'approval_decided',
  'approval.expired': 'approval_decided',
  'approval.cancelled': 'approval_decided',
  '_budget.alert': 'budget_alert',
  '_breaker.tripped': 'breaker_tripped',
} as const;
type MessageType = keyof typeof messageKinds;

/** A published event of one of these types. */
export type ApprovalMessage = PublishedEvent & { type: MessageType };

/** Messages from now on, or after a given one, as `workspaceEvents` streams events. */
export function approvalMessages(ctx: Ctx, after: string | null | undefined): Promise<AsyncIterableIterator<PublishedEvent, undefined>> {
  return followEvents(ctx, (type) => Object.hasOwn(messageKinds, type), after);
}

/** The approval that a message is about, as it is now; null for a message about none. */
export async function approvalInEvent(ctx: Ctx, { data }: PublishedEvent): Promise<Approval | null> {
  const id = parseId('approval', data['approval_id']);
  if (id === null) return null;
  try {
    return await approval(ctx, id);
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}
