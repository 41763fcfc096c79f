// An operation is one row for each thing that became final, written in the transaction that made it so; reports are made of these rows
// (CONTRACT.md 17).
import type { Operation } from '../../generated/prisma/client.js';
import type { OperationCategory } from '../../manifest/operation-category.js';
import type { Ctx } from '../../platform/ctx.js';
import { type Row, rowOf } from '../../platform/postgres/column.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import type { RateBook } from '../rates/rate.js';

/** Something that became final. */
export type NewOperation = Pick<
  Operation,
  | 'operation'
  | 'protocol'
  | 'success'
  | 'amount'
  | 'currency'
  | 'actorType'
  | 'actorId'
  | 'agentId'
  | 'accountId'
  | 'counterpartyId'
  | 'subjectId'
  | 'traceId'
> & {
  at: Date;
  category: OperationCategory;
  /** What somebody else took for it: `provider` is a rail, such as `ach`. */
  externalCost?: { amount: bigint; currency: string; provider: string };
};

/** The operation as a record of the posting that makes its subject final. In US dollars by the rate of the day. */
export function operationRecord(ctx: Pick<Ctx, 'workspace'>, operation: NewOperation, rates: RateBook): Row {
  return rowOf({ workspaceId: ctx.workspace.id, ...operationRow(operation, rates) });
}

/** Writes an operation in the transaction that makes its subject final without a posting. */
export async function writeOperation(tx: Tx, operation: NewOperation, rates: RateBook): Promise<void> {
  const { id } = await tx.operation.create({ data: operationRow(operation, rates), select: { id: true } });
  await tx.outbox.create({ data: { eventIds: [], operationIds: [id] }, select: { id: true } });
}

function operationRow({ externalCost, ...operation }: NewOperation, rates: RateBook) {
  // A USDC stands at one US dollar, and its minor unit is a millionth.
  const amountUsd = rates.convertUp(operation.amount, operation.currency, 'USDC')?.minor ?? null;
  const cost = externalCost === undefined ? null : rates.convertUp(externalCost.amount, externalCost.currency, 'USDC');
  const external = externalCost !== undefined && { provider: externalCost.provider, externalCostUsd: cost?.minor ?? 0n };
  return { id: newId(operation.at), ...operation, amountUsd, ...external };
}
