// What happens when the approval of a held spend is given: every layer is asked again, as of now, only the rules that the approval lifts
// let it pass, and the spend goes on (CONTRACT.md 6).
import type { Approval, Transfer } from '../../../generated/prisma/client.js';
import type { Fault } from '../../../ledger/fault.js';
import { giveBackReserved, reserved } from '../../../ledger/hold.js';
import { type Guard, type Leg, type LimitUse, posting } from '../../../ledger/posting.js';
import { joinRecords, type Records } from '../../../ledger/record.js';
import { SubjectRefused } from '../../../manifest/approval-subject.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import type { WalletRef } from '../../accounts/wallet-ref.js';
import type { Evidence } from '../pipeline/decision.js';
import { decisionRecord } from '../pipeline/decision-record.js';
import { mandateNow } from '../pipeline/mandate.js';
import { type Authority, authorizeSpend } from '../pipeline/pipeline.js';
import { countersIn, faultsOf, postTo } from '../pipeline/posting.js';
import { refusalsOf } from '../pipeline/refusal.js';
import { queueRefusal } from '../pipeline/refusal-writer.js';

/** A spend whose approval is given. The lock of its subject is held. */
export interface HeldSpend {
  approval: Approval;
  /** What the rules say to it now. */
  authority: Authority;
  /** What its uses of limits are reserved for: its transfer, or what has none. */
  id: string;
  /** What must hold of its parties beside what binds every spend. */
  guards?: readonly Guard[];
}

/** What becomes of the money that is held: nothing unless it says so. */
export interface HeldMoney {
  legs?: readonly Leg[];
  records?: Records;
  /** The uses of limits that are given back; by default what was reserved. */
  givenBack?: readonly LimitUse[];
  /** It is paid now: the limits are used, and not reserved anew. */
  isPaid?: true;
}

// Gap G-117: Approving checks every rule and limit again, except the rules that asked; a refusal makes the transfer `failed`.
/**
 * Goes on with an approved spend, in the transaction of its decision. `change` writes what that makes of its rows, with the decision that is
 * stored. Throws SubjectRefused for what refuses the spend, and the plain refusal where the one who approves may not post.
 */
export async function approveHeld(
  ctx: Ctx,
  tx: Tx,
  { approval, authority, id, guards = [] }: HeldSpend,
  change: (decisionId: string) => Promise<HeldMoney>,
): Promise<void> {
  const { ruleResults, at } = authority;
  // 1. Change the rows of the subject.
  const decisionId = newId(at);
  const { legs = [], records = {}, givenBack, isPaid = false } = await change(decisionId);
  // 2. Give back what was reserved of limits, and use them in the windows of now.
  const uses = isPaid ? ruleResults.uses : reserved(ruleResults.uses);
  const limits = [...(givenBack ?? (await giveBackReserved(tx, ctx.workspace.id, id))), ...uses];
  const value = posting(ctx, { at, transferId: id, legs, limits, guards: [...authority.guards, ...guards], records });
  // 3. Post it with its decision.
  const evidence: Evidence = { ruleResults, refusals: [], requirements: [], before: () => undefined };
  const { subjectType, subjectId } = approval;
  const links = { approvalId: approval.id, transactionId: value.id, subjectType, subjectId };
  const decided = joinRecords(records, { decision: [decisionRecord(ctx, authority, decisionId, evidence, links)] });
  const faults = await faultsOf(postTo(ctx, { ...value, records: decided }, { in: tx }));
  // 4. Throw the refusal of the first layer, in the numbers of a spend that had reserved nothing.
  const own = faults.map((fault) => withoutGivenBack(fault, limits));
  const refusals = refusalsOf(own, ctx, authority);
  const [first] = refusals;
  if (first === undefined) return;
  if (first.layer === 'credential') throw first.error;
  queueRefusal(ctx, { authority, refusals, requirements: [], used: countersIn(own), subject: { subjectType, subjectId } });
  throw new SubjectRefused(first.error);
}

/** What the rules say now to an approved spend of a transfer. */
export async function authorizeAgain(
  ctx: Ctx,
  tx: Tx,
  approval: Approval,
  { amount, currency, protocol, traceId, mandateId }: Pick<Transfer, 'amount' | 'currency' | 'protocol' | 'traceId' | 'mandateId'>,
  parties: { from: WalletRef; to: WalletRef | null },
): Promise<Authority> {
  return authorizeSpend(within(ctx, tx), {
    ...parties,
    agentId: approval.agentId ?? undefined,
    merchantId: approval.merchantId ?? undefined,
    lifted: approval.lifted,
    mandate: await mandateNow(ctx, tx, mandateId),
    at: ctx.clock.now(),
    protocol,
    currency,
    amount,
    traceId,
    connectionId: approval.connectionId,
  });
}

/** A limit that would be passed, in the numbers of a spend that had reserved nothing of it. */
function withoutGivenBack(fault: Fault, limits: readonly LimitUse[]): Fault {
  const { counter, window, used = '0', requested = '0' } = fault.detail;
  if (fault.kind !== 'limit') return fault;
  const given = limits
    .filter((use) => use.reserved < 0n && use.counter === counter && use.window === window)
    .reduce((sum, use) => sum - use.reserved, 0n);
  return { ...fault, detail: { ...fault.detail, used: `${BigInt(used) - given}`, requested: `${BigInt(requested) + given}` } };
}
