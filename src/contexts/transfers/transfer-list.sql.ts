// The statements of the list of transfers (decision 0027). One party is enough to choose rows by: each branch reads the newest rows
// of one index, in order and no more than a page needs; what else is asked for is checked on them. The branches are merged by id.
import type { QueryResultRow } from 'pg';
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { typedRows } from '../../platform/postgres/column.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { defaultLimit, type Window } from '../../platform/schema/page.js';

/** What chooses transfers. Amounts in minor units; ids between `from` (inclusive) and `below`. */
export interface TransferChoice {
  /** Only what this agent, or a wallet of its, took part in. */
  visibleTo?: string | undefined;
  /** Only what these accounts pay, and what they get from no account. */
  customerAccounts?: readonly string[] | undefined;
  equal: Partial<Record<'status' | 'type' | 'protocol' | 'currency' | 'reference', string>>;
  /** What it is part of. */
  batchId?: string | undefined;
  streamId?: string | undefined;
  quoteId?: string | undefined;
  mandateId?: string | undefined;
  walletId?: string | undefined;
  agentId?: string | undefined;
  /** Of the payer or the payee. */
  accountId?: string | undefined;
  fromAccountId?: string | undefined;
  toAccountId?: string | undefined;
  least?: bigint | undefined;
  most?: bigint | undefined;
  from?: string | undefined;
  below?: string | undefined;
}

/** Where rows are looked for: a condition on the transfer, or a side of it and the wallets that may stand there, and what else must hold. */
type Branch = { on: string } | { side: Side; wallets: string; and?: string };
type Side = 'from_wallet_id' | 'to_wallet_id';

/** Values of a statement; `$1` is the workspace. */
class Values {
  readonly list: unknown[];

  constructor(workspaceId: string) {
    this.list = [workspaceId];
  }

  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/** The statement for the ids of a page, newest first, and its values. */
function pageOf(workspaceId: string, choice: TransferChoice, { after, skip, take }: Window): { text: string; values: unknown[] } {
  const values = new Values(workspaceId);
  const reach = values.add(skip + take);
  const parts = branchesOf(
    { ...choice, below: earlier(after, choice.below) },
    values,
    (rows) => `${rows} ORDER BY t.id DESC LIMIT ${reach}`,
  );
  const text = `SELECT id FROM (${parts.join(' UNION ')}) found WHERE workspace_id = $1
    ORDER BY id DESC OFFSET ${values.add(skip)} LIMIT ${values.add(take)}`;
  return { text, values: values.list };
}

/** Ids of the transfers of a page, newest first. */
export async function transferIds(ctx: Ctx, choice: TransferChoice, window: Window): Promise<string[]> {
  const { text, values } = pageOf(ctx.workspace.id, choice, window);
  const { rows } = await ctx.platform.database.pool.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}

/** The transfers of a page, newest first. */
export async function transferRows(ctx: Ctx, choice: TransferChoice, window: Window): Promise<Transfer[]> {
  const statement = newestOf(ctx.workspace.id, choice, window) ?? rowsOf(pageOf(ctx.workspace.id, choice, window));
  return typedRows(await ctx.platform.database.pool.query({ ...statement, rowMode: 'array' }));
}

function rowsOf({ text, values }: { text: string; values: unknown[] }): { text: string; values: unknown[] } {
  const whole = `SELECT t.* FROM (${text}) page
    CROSS JOIN LATERAL (SELECT * FROM transfer WHERE workspace_id = $1 AND id = page.id OFFSET 0) t ORDER BY t.id DESC`;
  return { text: whole, values };
}

/**
 * The statement for the page that is asked for most: the newest of all transfers, or of a stretch of time. One of the usual length is planned
 * once: planning takes longer than reading. The length stands in the statement, or a plan for any length would be taken for dear.
 */
function newestOf(workspaceId: string, { equal, from, below, ...parties }: TransferChoice, { after, skip, take }: Window) {
  const isChosen = Object.keys(equal).length > 0 || Object.values(parties).some((party) => party !== undefined);
  if (isChosen || skip > 0) return undefined;
  const values = new Values(workspaceId);
  const bounds = { from, below: earlier(after, below) };
  const conditions = idRange({ equal, ...bounds }, values).map((condition) => `AND ${condition}`);
  const bounded = Object.entries(bounds).flatMap(([name, bound]) => (bound === undefined ? [] : [name]));
  const name = take === defaultLimit + 1 ? { name: ['newest-transfers', ...bounded].join('-') } : {};
  const text = `SELECT t.* FROM transfer t WHERE t.workspace_id = $1 ${conditions.join(' ')} ORDER BY t.id DESC LIMIT ${take}`;
  return { ...name, text, values: values.list };
}

/** The lower one of two ids that a page stays below. */
function earlier(after: string | undefined, below: string | undefined): string | undefined {
  return after !== undefined && (below === undefined || after < below) ? after : below;
}

/** How many transfers there are; looks at no more than `most` in each branch. */
export async function countTransfers(ctx: Ctx, choice: TransferChoice, most: number): Promise<number> {
  const values = new Values(ctx.workspace.id);
  const reach = values.add(most);
  const parts = branchesOf(choice, values, (rows) => `${rows} LIMIT ${reach}`);
  const text = `SELECT least(count(*), ${reach})::int AS count FROM (${parts.join(' UNION ')}) found WHERE workspace_id = $1`;
  const { rows } = await ctx.platform.database.pool.query<{ count: number }>(text, values.list);
  return rows[0]?.count ?? 0;
}

/** What the transfers of one currency and status come to; amounts in minor units. */
export interface TransferSum {
  currency: string;
  status: Transfer['status'];
  count: number;
  amount: string;
  fees: string;
  refunded: string;
}

/**
 * The sums of what is chosen, of the newest `most` at most. Of a completed transfer what moved counts, as in the operation that it left: of
 * a hold what was captured, and of what is put into a stream nothing.
 */
export function sumTransfers(ctx: Ctx, choice: TransferChoice, most: number): Promise<TransferSum[]> {
  const sums = ['sum(t.fee_amount)::text AS fees', 'sum(t.refunded_amount)::text AS refunded'];
  return grouped<TransferSum>(ctx, choice, most, { by: ['t.currency', 't.status'], sums });
}

/** What the completed transfers of one UTC day and currency come to. */
export interface TransferDay {
  day: string;
  currency: string;
  count: number;
  amount: string;
}

/** The sums of what is chosen by the day on which it was asked for, oldest first; of the newest `most` at most. */
export function sumTransfersByDay(ctx: Ctx, choice: TransferChoice, most: number): Promise<TransferDay[]> {
  const completed = { ...choice, equal: { ...choice.equal, status: 'completed' } };
  return grouped<TransferDay>(ctx, completed, most, {
    by: ["to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day", 't.currency'],
  });
}

/** Sums of what is chosen in groups; both are SQL of ours. */
async function grouped<Row extends QueryResultRow>(
  ctx: Ctx,
  choice: TransferChoice,
  most: number,
  { by, sums = [] }: { by: string[]; sums?: string[] },
) {
  const values = new Values(ctx.workspace.id);
  const reach = values.add(most);
  const parts = branchesOf(choice, values, (rows) => `${rows} ORDER BY t.id DESC LIMIT ${reach}`);
  const text = `SELECT ${[...by, ...sums].join(', ')}, count(*)::int AS count,
      sum(CASE WHEN t.status <> 'completed' THEN t.amount WHEN t.type = 'stream_start' THEN 0
        ELSE coalesce(t.captured_amount, t.amount) END)::text AS amount
    FROM (SELECT id FROM (${parts.join(' UNION ')}) found ORDER BY id DESC LIMIT ${reach}) page
    CROSS JOIN LATERAL (SELECT * FROM transfer WHERE workspace_id = $1 AND id = page.id OFFSET 0) t
    GROUP BY 1, 2 ORDER BY 1, 2`;
  const { rows } = await ctx.platform.database.pool.query<Row>(text, values.list);
  return rows;
}

/** Whose transfers the nouns of subjects keep wallets of a side open for, by themselves. */
export interface OpenByNouns {
  payer: readonly string[];
  payee: readonly string[];
}

/**
 * Ids of transfers from or to one of the wallets that are still to happen, oldest first, but those of `others`: what keeps the wallet open
 * there is what they are of.
 */
export async function openTransferIds(tx: Tx, workspaceId: string, walletIds: readonly string[], others: OpenByNouns, most: number) {
  const branch = (side: Side, others: string) => `SELECT id FROM transfer WHERE workspace_id = $1::uuid AND ${side} = ANY ($2::uuid[])
    AND status IN ('pending', 'processing') AND (subject_type IS NULL OR subject_type <> ALL (${others}::text[]))`;
  const open = {
    name: 'open_transfers',
    text: `${branch('from_wallet_id', '$3')} UNION ${branch('to_wallet_id', '$4')} ORDER BY id LIMIT $5::int`,
  };
  const rows = await runIn<{ id: string }>(tx, open, [workspaceId, walletIds, others.payer, others.payee, most]);
  return rows.map(({ id }) => id);
}

/** The statements of the branches, each in brackets. `bounded` adds order and limit. */
function branchesOf(choice: TransferChoice, values: Values, bounded: (rows: string) => string): string[] {
  const { branches, rest } = drive(choice, values);
  const conditions = [...idRange(choice, values), ...amountRange(choice, values), ...rest].map((condition) => `AND ${condition}`).join(' ');
  return branches.map((branch) => {
    if ('on' in branch)
      return `(${bounded(`SELECT t.workspace_id, t.id FROM transfer t WHERE t.workspace_id = $1 AND ${branch.on} ${conditions}`)})`;
    const ofWallet = bounded(
      `SELECT t.workspace_id, t.id FROM transfer t WHERE t.workspace_id = $1 AND t.${branch.side} = w.id AND ${branch.and ?? 'true'} ${conditions}`,
    );
    return `(${bounded(`SELECT t.* FROM wallet w CROSS JOIN LATERAL (${ofWallet}) t WHERE w.workspace_id = $1 AND ${branch.wallets}`)})`;
  });
}

/** The most telling of what is asked for, as branches; everything else as conditions on their rows. */
function drive(choice: TransferChoice, values: Values): { branches: Branch[]; rest: string[] } {
  const ways: { branches: Branch[]; condition: string }[] = [];
  const { reference, ...words } = choice.equal;
  const rest = ownTerms(choice, values);
  if (reference !== undefined) ways.push(way([{ on: `t.reference = ${values.add(reference)}` }]));
  for (const [column, id] of [
    ['quote_id', choice.quoteId],
    ['mandate_id', choice.mandateId],
    [`origin_type = 'batch' AND t.origin_id`, choice.batchId],
    [`subject_type = 'stream' AND t.subject_id`, choice.streamId],
  ] as const) {
    if (id !== undefined) ways.push(way([{ on: `t.${column} = ${values.add(id)}` }]));
  }
  if (choice.visibleTo !== undefined) {
    const agent = values.add(choice.visibleTo);
    const wallets = `w.agent_id = ${agent}`;
    ways.push(way([{ on: `t.agent_id = ${agent}` }, { side: 'from_wallet_id', wallets }, { side: 'to_wallet_id', wallets }]));
  }
  if (choice.customerAccounts !== undefined) {
    const accounts = `ANY (${values.add(choice.customerAccounts)}::uuid[])`;
    const wallets = `w.account_id = ${accounts}`;
    ways.push(
      way([
        { side: 'from_wallet_id', wallets },
        { on: `(t.from_account_id = ${accounts} AND t.from_wallet_id IS NULL)` },
        { side: 'to_wallet_id', wallets, and: 't.from_account_id IS NULL' },
      ]),
    );
  }
  if (choice.walletId !== undefined) {
    const wallet = values.add(choice.walletId);
    ways.push(way([{ on: `t.from_wallet_id = ${wallet}` }, { on: `t.to_wallet_id = ${wallet}` }]));
  }
  if (choice.agentId !== undefined) ways.push(way([{ on: `t.agent_id = ${values.add(choice.agentId)}` }]));
  for (const [account, sides] of [
    [choice.fromAccountId, ['from_wallet_id']],
    [choice.toAccountId, ['to_wallet_id']],
    [choice.accountId, ['from_wallet_id', 'to_wallet_id']],
  ] as const) {
    if (account !== undefined) ways.push(way(ofAccount(values.add(account), sides)));
  }
  rest.push(...ways.slice(1).map(({ condition }) => condition));
  return { branches: ways[0]?.branches ?? [{ on: 'true' }], rest: [...rest, ...wordConditions(words)] };
}

/** What the wallets of an account take part in, on those sides. What a card has paid left no wallet. */
function ofAccount(account: string, sides: readonly Side[]): Branch[] {
  const outside = sides.includes('from_wallet_id') ? [{ on: `(t.from_account_id = ${account} AND t.from_wallet_id IS NULL)` }] : [];
  return [...sides.map((side) => ({ side, wallets: `w.account_id = ${account}` })), ...outside];
}

/** What the payer keeps to itself finds nothing for an agent that is only the payee (see G-427). Customers see no more than they pay. */
function ownTerms({ visibleTo, mandateId, equal }: TransferChoice, values: Values): string[] {
  if (visibleTo === undefined || (mandateId === undefined && equal.reference === undefined)) return [];
  const agent = values.add(visibleTo);
  const paying = `t.from_wallet_id IN (SELECT w.id FROM wallet w WHERE w.workspace_id = $1 AND w.agent_id = ${agent})`;
  return [`(t.agent_id = ${agent} OR t.from_account_id IS NULL OR ${paying})`];
}

/** What can be a way to the rows, and the same as a condition on rows that were found by another way. */
function way(branches: Branch[]): { branches: Branch[]; condition: string } {
  const alternatives = branches.map((branch) =>
    'on' in branch
      ? branch.on
      : `(t.${branch.side} IN (SELECT w.id FROM wallet w WHERE w.workspace_id = $1 AND ${branch.wallets}) AND ${branch.and ?? 'true'})`,
  );
  return { branches, condition: `(${alternatives.join(' OR ')})` };
}

/** Words of closed lists stand in the statement itself: only so does PostgreSQL find the indexes of the rare ones. */
function wordConditions(words: Record<string, string | undefined>): string[] {
  return Object.entries(words).map(([column, word]) => {
    if (!/^[A-Za-z0-9_]+$/.test(word ?? '')) throw new Error(`${word} is no word of ${column}`);
    return `t.${column} = '${word}'`;
  });
}

function idRange({ from, below }: TransferChoice, values: Values): string[] {
  return [...(from === undefined ? [] : [`t.id >= ${values.add(from)}`]), ...(below === undefined ? [] : [`t.id < ${values.add(below)}`])];
}

function amountRange({ least, most }: TransferChoice, values: Values): string[] {
  return [
    ...(least === undefined ? [] : [`t.amount >= ${values.add(least)}`]),
    ...(most === undefined ? [] : [`t.amount <= ${values.add(most)}`]),
  ];
}
