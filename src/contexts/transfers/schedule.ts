// A transfer whose time has come: the pipeline runs now, and an approval may begin now (CONTRACT.md 2, 6).
import { eventRecords } from '../../events/event.js';
import type { Transfer } from '../../generated/prisma/client.js';
import { reserved } from '../../ledger/hold.js';
import { move, posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { rowOf } from '../../platform/postgres/column.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { type Draft, executeSpend, type SpendForm } from '../spending/pipeline/execution.js';
import { mandateNow } from '../spending/pipeline/mandate.js';
import { type Authority, authorizeSpend } from '../spending/pipeline/pipeline.js';
import { completedEvents, transferRoles } from './events.js';
import { transferOperation } from './operation.js';
import { holdParts, partiesOf, routeOf, transferEventSubject, type WalletParties } from './transfer.js';
import { lessWithheld, type Withholding, withholdingOf } from './withholding.js';

// Gap G-46: A scheduled transfer holds nothing; everything is checked at its time, and a refusal then makes it `failed`.
/** Posts a scheduled transfer under its row's lock, with everything checked as of now. Throws the refusal. */
export async function executeScheduled(ctx: Ctx, tx: Tx, transfer: Transfer): Promise<Transfer> {
  const reader = within(ctx, tx);
  const { from, to } = await partiesOf(reader, transfer);
  const at = ctx.clock.now();
  const { amount, currency, protocol, traceId } = transfer;
  const agentId = transfer.agentId ?? undefined;
  const mandate = await mandateNow(ctx, tx, transfer.mandateId);
  const authority = await authorizeSpend(reader, { from, to, agentId, protocol, currency, amount, at, traceId, mandate });
  const withholding = await withholdingOf(reader, protocol, to);
  const draft = (form: SpendForm) => draftScheduled(ctx, { transfer, from, to, at, authority, withholding }, form);
  const subject = { subjectType: 'transfer', subjectId: transfer.id };
  const { value, approval } = await executeSpend(ctx, authority, draft, { in: tx, subject });
  const { status, completedAt, updatedAt, dueAt, leaseUntil, holdId, capturedAmount, decisionId } = value;
  const links = { holdId, capturedAmount, decisionId, approvalId: approval?.id ?? null };
  return tx.transfer.update({ where: rowKey(ctx, transfer.id), data: { status, completedAt, updatedAt, dueAt, leaseUntil, ...links } });
}

interface Scheduled extends WalletParties {
  transfer: Transfer;
  at: Date;
  authority: Authority;
  withholding: Withholding | null;
}

function draftScheduled(ctx: Ctx, { transfer, from, to, at, authority, withholding }: Scheduled, form: SpendForm): Draft<Transfer> {
  const { approvalId, decisionId, limits } = form;
  const { id, amount, currency, type, description } = transfer;
  const request = {
    subject: { subjectType: 'transfer', subjectId: id },
    transferId: id,
    description,
    execution: {},
    requestedBy: { type: transfer.initiatedByType, id: transfer.initiatedById },
  };
  const begun: Transfer = { ...transfer, decisionId, approvalId, updatedAt: at, dueAt: null, leaseUntil: null };
  const head = { at, transferId: id };
  if (approvalId !== null) {
    const holdId = newId(at);
    const aside = holdParts(transfer, holdId, at, { from, to });
    const guards = [...authority.guards, ...aside.guards];
    const value = { ...begun, holdId, capturedAmount: 0n };
    return {
      value,
      request,
      posting: posting(ctx, { ...head, legs: aside.legs, records: aside.records, guards, limits: reserved(limits) }),
    };
  }
  const value: Transfer = { ...begun, status: 'completed', completedAt: at };
  const { rates, mandate } = authority.rules;
  const completed = completedEvents(ctx, value, { at, ...transferEventSubject(value), roles: transferRoles(value, from, to), mandate });
  const paid = lessWithheld(value, move(currency, amount, ...routeOf(type, from, to)), at, withholding);
  const operation = transferOperation(ctx, value, amount, at, rates);
  const records = joinRecords(eventRecords(ctx.workspace.id, completed), operation, paid.records);
  const paidParts = { legs: paid.legs, transferAfter: rowOf(value) };
  return { value, request, posting: posting(ctx, { ...head, ...paidParts, limits, guards: authority.guards, records }) };
}
