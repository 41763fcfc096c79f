// Who may decide an approval (CONTRACT.md 6, 23, 29): a program or a person that did not ask, and people alone where a policy asks for them.
import type { Approval, InitiatorType } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { declareError } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { PeopleOnly } from '../../../platform/person.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { printId } from '../../../platform/schema/id.js';
import { keyLineage, makersOf } from '../../identity/key-lineage.sql.js';
import type { Voter } from '../../people/voter.sql.js';
import type { RateBook } from '../../rates/rate.js';
import { initiatorOf, requiredBy } from './approval-request.js';
import { isAsked, type Requirement } from './vote-count.js';

/** 403: whoever asks for an approval does not decide it. `way`: who decides it, and whether it takes the owner to make one who does. */
export class OwnRequest extends declareError(403, 'forbidden') {
  constructor(id: string, way: 'key' | 'owner' | 'person') {
    const cancel = { rel: 'cancel', actor: 'any', method: 'POST', path: `${approvalPath(id)}/cancel` } as const;
    const approve = { rel: 'approve', actor: 'owner', method: 'POST', path: `${approvalPath(id)}/approve` } as const;
    const others = 'a key that neither asked nor was made by the one that did';
    const who = {
      key: `${others} decides it`,
      owner: `it takes ${others}, and there is none: the owner makes one on the command line, cli key create`,
      person: 'another member decides it',
    }[way];
    const credential = way === 'person' ? 'or a key that you made did' : 'with this key or one that it counts as';
    super(`You asked for this approval yourself, ${credential}: ${who}. You may withdraw it.`, {
      details: { reason: 'own_request', next_actions: way === 'owner' ? [cancel, approve] : [cancel] },
    });
  }
}

/** 403: a policy names who decides, and this member is not among them. */
export class NotAnApprover extends declareError(403, 'forbidden') {
  constructor(id: string, message = 'The policies that ask for this approval name the members who decide it, and you are not among them.') {
    super(message, {
      details: { reason: 'not_an_approver', next_actions: [readAction(id)] },
    });
  }
}

/** 403: the member may decide less. `facts` are the figures, or that no rate could tell. */
export class AuthorityExceeded extends declareError(403, 'forbidden') {
  constructor(id: string, message: string, facts: Record<string, unknown>) {
    super(message, { details: { reason: 'authority_exceeded', ...facts, next_actions: [readAction(id)] } });
  }
}

/** What refuses who may not decide. */
export const deciderErrors = [OwnRequest, PeopleOnly, NotAnApprover, AuthorityExceeded] as const;

/** The path of an approval. */
export function approvalPath(id: string): string {
  return `/v1/approvals/${printId('approval', id)}`;
}

function readAction(id: string) {
  return { rel: 'approval', actor: 'any', method: 'GET', path: approvalPath(id) } as const;
}

/**
 * 403 for a program that may not decide: where a policy asks for people, and where it asked itself. A JWT is the key that it was made with,
 * and a key counts as the one that made it or whose place it took (see G-423), or as the member who made it.
 */
export async function refuseProgram({ actor, workspace, platform }: Ctx, tx: Tx, approval: Approval): Promise<void> {
  const { id, requestedByType, requestedById } = approval;
  if (actor.type !== 'system' && requiredBy(approval).length > 0) {
    throw new PeopleOnly('A policy asks people to decide this: members of the tenant approve it, each by name.', [readAction(id)]);
  }
  if (!isKey(initiatorOf(actor.type))) return;
  if (requestedByType === 'member') {
    const makers = await makersOf(tx, workspace.id, actor.id);
    if (makers.includes(requestedById)) throw new OwnRequest(id, 'key');
  }
  if (!isKey(requestedByType)) return;
  const at = platform.clock.now();
  const { isOwn, hasOther } = await keyLineage(tx, workspace.id, { of: requestedById, keyId: actor.id, at });
  if (isOwn) throw new OwnRequest(id, hasOther ? 'key' : 'owner');
}

/** A JWT session has the id of its key. */
function isKey(type: InitiatorType): boolean {
  return type === 'api_key' || type === 'user';
}

/** 403 for a member who may not vote: who asked, is on no list, or may decide less. `voter` is the row as it is now. */
export async function refuseVoter(
  { workspace }: Ctx,
  tx: Tx,
  approval: Approval,
  voter: Voter | undefined,
  rates: RateBook,
): Promise<void> {
  const { id } = approval;
  const required = requiredBy(approval);
  if (voter === undefined || !voter.isActive) throw new NotAnApprover(id, 'You are no active member of this tenant any more.');
  if (await hasAsked(tx, workspace.id, approval, required, voter.id)) throw new OwnRequest(id, 'person');
  if (!isAsked(required, voter.id)) throw new NotAnApprover(id);
  refuseLesser(approval, voter, rates);
}

// Gap G-523: Where a policy asks people, who made the token or the key of the agent that asks has asked: he has seen it, and could use it.
/**
 * True where a member asked: by session, by a key that he made or that was made by it, or, where a policy asks people, by the credential of
 * an agent that he made. Where two or more have to vote, who let the asking program connect has asked too.
 */
async function hasAsked(
  tx: Tx,
  workspaceId: string,
  { requestedByType, requestedById, behindMemberId, heldByIds }: Approval,
  required: readonly Requirement[],
  memberId: string,
): Promise<boolean> {
  if (behindMemberId === memberId && required.some(({ count }) => count >= 2)) return true;
  if (required.length > 0 && heldByIds.includes(memberId)) return true;
  if (requestedByType === 'member') return requestedById === memberId;
  return isKey(requestedByType) && (await makersOf(tx, workspaceId, requestedById)).includes(memberId);
}

/** The members behind a request: who asked, by session or by a key, who holds the credential of the agent, and who let the program connect. */
export async function askersOf(
  tx: Tx,
  workspaceId: string,
  { requestedByType, requestedById, behindMemberId, heldByIds }: Approval,
): Promise<readonly string[]> {
  const behind = behindMemberId === null ? heldByIds : [behindMemberId, ...heldByIds];
  if (requestedByType === 'member') return [...behind, requestedById];
  return isKey(requestedByType) ? [...behind, ...(await makersOf(tx, workspaceId, requestedById))] : behind;
}

/** Whether a member may vote on an approval: who asked is not asked, nor who is on no list or may decide less. */
export async function mayVote(tx: Tx, workspaceId: string, approval: Approval, voter: Voter, rates: RateBook): Promise<boolean> {
  const required = requiredBy(approval);
  if (!voter.isActive || !isAsked(required, voter.id) || !suffices(voter, approval, rates)) return false;
  return !(await hasAsked(tx, workspaceId, approval, required, voter.id));
}

/** True where the authority of a member suffices for an amount, converted and rounded up. */
export function suffices({ authority }: Voter, { amount, currency }: Pick<Approval, 'amount' | 'currency'>, rates: RateBook): boolean {
  if (authority === null) return false;
  if (authority.maxAmount === null) return true;
  const converted = rates.convertUp(amount, currency, authority.currency);
  return converted !== null && converted.minor <= authority.maxAmount;
}

function refuseLesser(approval: Approval, voter: Voter, rates: RateBook): void {
  if (suffices(voter, approval, rates)) return;
  const { id, amount, currency } = approval;
  const { authority } = voter;
  const held = authority?.currency ?? currency;
  const converted = rates.convertUp(amount, currency, held);
  if (converted === null) {
    const message = `Your authority is in ${held}, and no rate says what ${currency} is worth in it.`;
    throw new AuthorityExceeded(id, message, { reason: 'no_rate', currency, limit_currency: held });
  }
  const max = formatMinor(authority?.maxAmount ?? 0n, held);
  const requested = formatMinor(converted.minor, held);
  const message =
    authority === null
      ? 'You have no authority: you decide no approval.'
      : `You may decide up to ${max} ${held}; this is ${requested} ${held}.`;
  const used = formatMinor(0n, held);
  throw new AuthorityExceeded(id, message, {
    limit: { kind: 'authority', per: 'tx', currency: held, max, used, requested, remaining: max },
  });
}
