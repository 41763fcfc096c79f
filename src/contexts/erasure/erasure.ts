// Erasures: what says who an account or a member was goes for good (CONTRACT.md 24). Ids, amounts, times and postings stay.
import type { Erasure } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { requireStepUp } from '../../platform/step-up.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { accountLifecycle } from '../accounts/account.js';
import { checkGiving, grantOf, lockPeople } from '../people/grant.js';
import type { EraseInput } from './erasure.input.js';
import { openDisputes } from './open-dispute.sql.js';

/** Disputes that a refusal names. */
const mostNamed = 20;

// Gap G-810: Erasing again answers with the erasure that there is, whatever it has come to.
/**
 * Begins to erase a closed account with its agents, or returns its erasure. It needs a recent sign-in of a person. 409 `state_conflict` for an
 * account that is not closed, and while a dispute about one of its transfers is open.
 */
export async function eraseAccount(ctx: Ctx, { id, reason }: EraseInput & { id: string }): Promise<Erasure> {
  requireStepUp(ctx);
  const erasure = await transact(ctx, async (tx) => {
    const account = await lockRow(tx.account, id);
    const known = await tx.erasure.findFirst({ where: { accountId: id } });
    if (known !== null) return known;
    if (account.status !== 'closed')
      throw wrongStatus(accountLifecycle, id, account.status, ['closed'], `The account is ${account.status}; only a closed one is erased.`);
    const disputes = await openDisputes(ctx, tx, id, mostNamed);
    if (disputes.length > 0) throw inDispute(disputes);
    return begin(ctx, tx, { accountId: id, reason });
  });
  return rung(ctx, erasure);
}

function inDispute(ids: readonly string[]): StateConflict {
  const printed = ids.map((id) => printId('dispute', id));
  return new StateConflict('Disputes about transfers of this account are open. Resolve them first.', 'closed', [], {
    open: printed.map((id) => ({ type: 'dispute', id })),
    next_actions: printed.map((id) => ({ rel: 'dispute', actor: 'any', method: 'GET', path: `/v1/disputes/${id}` })),
  });
}

/**
 * Begins to erase a member who was removed, or returns the erasure. Who may is as for removing: a recent sign-in of a person, and nothing that
 * the caller has not. 409 `state_conflict` for a member who was not removed.
 */
export async function eraseMember(ctx: Ctx, { id, reason }: EraseInput & { id: string }): Promise<Erasure> {
  requireStepUp(ctx);
  const erasure = await transact(ctx, async (tx) => {
    await lockPeople(ctx, tx);
    const member = await lockRow(tx.member, id);
    await checkGiving(ctx, tx, [grantOf(member)]);
    const known = await tx.erasure.findFirst({ where: { memberId: id } });
    if (known !== null) return known;
    if (member.status !== 'removed') throw notRemoved(id, member.status);
    return begin(ctx, tx, { memberId: id, reason });
  });
  return rung(ctx, erasure);
}

function notRemoved(id: string, status: string): StateConflict {
  return new StateConflict(`The member is ${status}; only one who was removed is erased.`, status, ['removed'], {
    next_actions: [{ rel: 'remove', actor: 'any', method: 'DELETE', path: `/v1/members/${printId('member', id)}` }],
  });
}

type Erased = EraseInput & ({ accountId: string } | { memberId: string });

async function begin(ctx: Ctx, tx: Tx, { reason, ...erased }: Erased): Promise<Erasure> {
  const at = ctx.clock.now();
  const erasure = await tx.erasure.create({
    data: { id: newId(at), ...erased, reason: reason ?? null, stage: 'ends', createdAt: at, dueAt: at },
  });
  await tx.erasureSubject.createMany({ data: [{ erasureId: erasure.id, id: 'accountId' in erased ? erased.accountId : erased.memberId }] });
  return erasure;
}

function rung(ctx: Ctx, erasure: Erasure): Erasure {
  if (erasure.dueAt !== null) ringAt(ctx, 'erasure', erasure.dueAt);
  return erasure;
}

export const visibleErasures = operatorsOnly('accounts:read');

/** The erasure, or 404. `query` is the caller's selection. */
export async function erasure(ctx: Ctx, id: string, query: object = {}): Promise<Erasure> {
  const found = await ctx.db.erasure.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Erasures, newest first. */
export const erasures = listOf('erasure', { visible: visibleErasures });
