// A mandate: signed leave for an agent to spend its account's money within a scope (CONTRACT.md 7).
import type { Agent, Mandate, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { listOf } from '../../platform/schema/list.js';
import type { Page } from '../../platform/schema/page.js';
import { Visibility } from '../../platform/visibility.js';

export const mandateStatuses = ['active', 'suspended', 'expired', 'revoked'] as const;
export type MandateStatus = (typeof mandateStatuses)[number];

/** It is suspended while its agent is not active, and expires by itself. */
export const mandateLifecycle: Lifecycle<MandateStatus> = {
  noun: 'mandate',
  path: '/v1/ap2/mandates/{id}',
  steps: {
    active: ['suspended', 'expired', 'revoked'],
    suspended: ['active', 'expired', 'revoked'],
    expired: [],
    revoked: [],
  },
  requests: [{ to: 'revoked', rel: 'revoke', actor: 'api_key', method: 'POST', path: '/revoke' }],
};

/** A mandate with what its status hangs on. */
export type MandateRow = Mandate & { agent: Pick<Agent, 'status'> };
export const withAgent = { agent: { select: { status: true } } } as const;

// Gap G-211: `suspended` and `expired` are worked out when a mandate is read, so they have no event.
/** What a mandate is now. */
export function statusOf({ clock }: Pick<Ctx, 'clock'>, { revokedAt, expiresAt, agent }: MandateRow): MandateStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= clock.now()) return 'expired';
  return agent.status === 'active' ? 'active' : 'suspended';
}

/** The same as a condition on rows. */
export function ofStatus(status: MandateStatus, now: Date): Prisma.MandateWhereInput {
  const running: Prisma.MandateWhereInput = { revokedAt: null, expiresAt: { gt: now } };
  switch (status) {
    case 'revoked':
      return { revokedAt: { not: null } };
    case 'expired':
      return { revokedAt: null, expiresAt: { lte: now } };
    case 'active':
      return { ...running, agent: { status: 'active' } };
    case 'suspended':
      return { ...running, agent: { status: { not: 'active' } } };
  }
}

/** An agent sees the mandates that it holds. */
export const visibleMandates = new Visibility<Prisma.MandateWhereInput>({ scope: 'mandates:read', agent: ({ id }) => ({ agentId: id }) });

/** The mandate, or 404. */
export async function mandate(ctx: Ctx, id: string): Promise<MandateRow> {
  const found = await ctx.db.mandate.findFirst({ where: { AND: [{ id }, visibleMandates.where(ctx)] }, include: withAgent });
  if (found === null) throw new NotFound();
  return found;
}

/** The row of a mandate, whoever may see it, kept in the process until it changes; null for none. */
export function cachedMandate({ platform, workspace, db }: Ctx, id: string): Promise<Mandate | null> {
  return platform.cache.get(`mandate:${workspace.id}:${id}`, async () => ({
    value: await db.mandate.findFirst({ where: { id } }),
    tags: [`mandate:${id}`],
  }));
}

const rows = listOf(
  'mandate',
  { visible: visibleMandates },
  { status: (status: MandateStatus, { clock }) => ofStatus(status, clock.now()) },
);

/** Mandates, newest first. */
export async function mandates(ctx: Ctx, input: Parameters<typeof rows>[1]): Promise<Page<MandateRow>> {
  return (await rows(ctx, input, { include: withAgent })) as Page<MandateRow>;
}
