// A thing that is created with a spend, in one transaction: it says how it is planned, written and read, and its creation, its dry run and
// its replay by an Idempotency-Key follow. Its money waits for an approval where a rule requires one (CONTRACT.md 0 "Approval interplay").
import type { Approval } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { rollBack } from '../../../platform/postgres/rollback.js';
import { approval as readApproval } from '../approval/approval.js';
import { type DryRun, dryRunSpend } from './dry-run.js';
import { type Draft, executeSpend, type SpendForm, type SpendResult } from './execution.js';
import type { Authority } from './pipeline.js';

/** What is to be spent, before it is posted. */
export interface SpendPlan<V> {
  authority: Authority;
  draft: (form: SpendForm) => Draft<V>;
  requestApproval: boolean;
}

/** What a thing that spends says of itself. `Made` is what its creation answers with, beside the approval. */
export interface SpendingThing<Input, Terms, Plan extends { spend: SpendPlan<V> | null }, V, Made extends object> {
  /** What can be known before the transaction. */
  terms(ctx: Ctx, input: Input): Terms | Promise<Terms>;
  /** Reads in the transaction what binds the thing, keeps that as it is, and says what it spends: null where nothing. */
  plan(ctx: Ctx, tx: Tx, input: Input, terms: Terms): Promise<Plan>;
  /** Writes its rows, once its spend is posted or held. */
  insert(ctx: Ctx, tx: Tx, plan: Plan, spent: SpendResult<V> | null): Promise<Made>;
  /** What becomes due by it: the table and the time. */
  due(made: Made): [table: string, at: Date | null];
  /** Names it for a repeated key. */
  reference(made: Made): string;
  /** Reads it by its reference, with the approval that it waited for. */
  read(ctx: Ctx, reference: string): Promise<Made & { approvalId: string | null }>;
}

/** What was made, and the approval that its money waits for. */
type WithApproval<Made> = Made & { approval: Approval | null };

/** What the requests about a thing that spends do. */
export interface SpendMutation<Input, Made> {
  create(ctx: Ctx, input: Input): Promise<WithApproval<Made>>;
  /** What `create` would do with the money. 400 for what spends nothing: no rule is asked. */
  dryRun(ctx: Ctx, input: Input): Promise<DryRun>;
  /** What a keyed request that is repeated answers with. */
  replay(ctx: Ctx, reference: string): Promise<WithApproval<Made>>;
}

/** The creation, the dry run and the replay of a thing that spends. */
export function spendMutation<Input, Terms, Plan extends { spend: SpendPlan<V> | null }, V, Made extends object>(
  thing: SpendingThing<Input, Terms, Plan, V, Made>,
): SpendMutation<Input, Made> {
  return {
    async create(ctx, input) {
      const terms = await thing.terms(ctx, input);
      const write = async (tx: Tx) => {
        const plan = await thing.plan(ctx, tx, input, terms);
        const spent = plan.spend === null ? null : await spendIn(ctx, tx, plan.spend);
        return { ...(await thing.insert(ctx, tx, plan, spent)), approval: spent?.approval ?? null };
      };
      const made = await transact(ctx, write, thing.reference);
      const [table, at] = thing.due(made);
      if (at !== null) ringAt(ctx, table, at);
      if (made.approval !== null) ringAt(ctx, 'approval', made.approval.dueAt ?? made.approval.expiresAt);
      return made;
    },
    async dryRun(ctx, input) {
      const terms = await thing.terms(ctx, input);
      return rollBack(ctx.db, async (tx) => {
        const { spend } = await thing.plan(ctx, tx, input, terms);
        if (spend === null) throw spendsNothing();
        return dryRunSpend(ctx, spend.authority, spend.draft, { in: tx, requestApproval: spend.requestApproval });
      });
    },
    async replay(ctx, reference) {
      const { approvalId, ...made } = await thing.read(ctx, reference);
      const approval = approvalId === null ? null : await readApproval(ctx, approvalId);
      return { ...(made as unknown as Made), approval };
    },
  };
}

function spendIn<V>(ctx: Ctx, tx: Tx, { authority, draft, requestApproval }: SpendPlan<V>): Promise<SpendResult<V>> {
  return executeSpend(ctx, authority, draft, { in: tx, requestApproval });
}

function spendsNothing(): ValidationFailed {
  return new ValidationFailed([{ path: ['payment'], message: 'is what a dry run is about: name it', rule: 'required' }]);
}
