// Creating a batch of transfers: everything that can be known of its items by themselves is checked, and refuses the whole request
// (CONTRACT.md 4). Whatever else is wrong with an item shows when it is carried out.
import type { Batch, BatchMode, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { ApiError, type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { parseMinor } from '../../platform/money.js';
import { newId } from '../../platform/schema/id.js';
import { requestIssues } from '../transfers/request-shape.js';
import type { CreateTransferInput } from '../transfers/transfer.input.js';
import type { CreateTransferBatchInput } from './batch.input.js';
import { insertBatch, newBatch } from './batch-row.js';
import { batchTotalOf } from './batch-total.js';

/** Most issues that one answer lists. */
const mostIssues = 50;

// Gap G-154: A batch has no dry run (400).
/** Takes a batch of transfers; it is carried out afterwards. 400 with the fault of every item. */
export async function createTransferBatch(ctx: Ctx, { transfers, mode, reference, metadata }: CreateTransferBatchInput): Promise<Batch> {
  const issues = batchIssues(transfers, mode ?? 'independent');
  if (issues.length > 0) throw new ValidationFailed(issues.slice(0, mostIssues));
  const total = await batchTotalOf(ctx, transfers);
  const row = newBatch(ctx, { kind: 'transfers', mode: mode ?? 'independent', reference, metadata, totalCount: transfers.length, total });
  const at = row.createdAt;
  const items = transfers.map((input) => ({ madeId: newId(at), input }));
  const made = await transact(ctx, (tx) => insertBatch(ctx, tx, { ...row, dueAt: at }, items));
  ringAt(ctx, 'batch', at);
  return made;
}

/** The input of a transfer as an item keeps it. */
export function storedTransfer(stored: Prisma.JsonValue): CreateTransferInput {
  const { scheduledFor, ...input } = stored as unknown as CreateTransferInput & { scheduledFor?: string | null };
  return { ...input, scheduledFor: scheduledFor == null ? null : new Date(scheduledFor) };
}

/** What is wrong with the items, whatever the rows say that they name. */
export function batchIssues(transfers: readonly CreateTransferInput[], mode: BatchMode): FieldIssue[] {
  const issues = transfers.flatMap((input, index) => {
    const own = [
      ...requestIssues(input),
      ...mandateIssues(input),
      ...amountIssues(input),
      ...(mode === 'atomic' ? atomicIssues(input) : []),
    ];
    return own.map((issue): FieldIssue => ({ ...issue, path: ['transfers', index, ...issue.path] }));
  });
  return [...issues, ...referenceIssues(transfers)];
}

// Gap G-217: An item of a batch with a mandate is 400: a JWT is presented at the execution and never kept.
/** A batch is kept until it is carried out, and a mandate is presented at its execution. */
function mandateIssues({ mandateId, mandateJwt }: CreateTransferInput): readonly FieldIssue[] {
  const message = 'a mandate is presented with a request of its own: leave it out of a batch';
  return mandateId || mandateJwt ? [{ path: ['mandateId'], message, rule: 'batch' }] : [];
}

/** An amount of too many digits, or of none that counts. */
function amountIssues({ amount, currency, quoteId }: CreateTransferInput): readonly FieldIssue[] {
  if (!amount || !currency || quoteId) return [];
  try {
    parseMinor(amount, currency, ['amount']);
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.fields !== undefined) return error.fields;
    throw error;
  }
}

/** What cannot be posted together with others and at once. */
function atomicIssues({ type, capture, scheduledFor, destination, requestApproval }: CreateTransferInput): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const fail = (member: string, message: string) => void issues.push({ path: [member], message, rule: 'atomic' });
  if (type === 'cross_border') fail('type', 'an atomic batch takes internal, wrap and unwrap transfers');
  if (capture === 'manual') fail('capture', 'the transfers of an atomic batch are captured at once');
  if (scheduledFor != null) fail('scheduledFor', 'the transfers of an atomic batch are carried out together: leave it out');
  if (destination != null && destination.type !== 'wallet') fail('destination', 'an atomic batch moves money inside the platform');
  if (requestApproval === true) fail('requestApproval', 'an atomic batch waits for no approval: leave it out');
  return issues;
}

// Gap G-428: Two items with one payer and reference are 400; two wallets of one account show when the batch is carried out.
/** A reference names one transfer of a payer: every item with one that another has too. Two wallets of an account show later. */
function referenceIssues(transfers: readonly CreateTransferInput[]): FieldIssue[] {
  const places = new Map<string, number[]>();
  for (const [index, { reference, fromWalletId, fromAccountId }] of transfers.entries()) {
    if (!reference) continue;
    const key = `${fromWalletId ?? fromAccountId}/${reference}`;
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  const message = 'is the reference of another transfer of this batch';
  return [...places.values()]
    .filter((indexes) => indexes.length > 1)
    .flatMap((indexes) => indexes.map((index) => ({ path: ['transfers', index, 'reference'], message, rule: 'unique' })));
}
