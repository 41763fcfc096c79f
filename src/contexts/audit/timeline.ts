// The timeline of an agent: its logins and credentials, what was decided of its spends, its transfers, tasks and approvals, merged by time
// (CONTRACT.md 5). Ids begin with their time, so each source gives its newest ids by index, and a page is cut from what they gave.
import type { AuditEntry, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { parseAnyId, printId, printSubject } from '../../platform/schema/id.js';
import { countedTo, firstIdAt, type Page, type PageInput, readPage, type Source, type Window } from '../../platform/schema/page.js';
import { agent } from '../agents/agent.js';
import { countDecisions, type DecisionChoice, decisionIds } from '../spending/decision.sql.js';
import { inputIn } from '../spending/decision-record.js';
import { countTransfers, type TransferChoice, transferIds } from '../transfers/transfer-list.sql.js';
import { catchUp } from './chain.js';

export const timelineKinds = ['auth', 'decision', 'transfer', 'task', 'approval'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** One thing that happened. `id` is bare, and is where a page may go on. */
export interface Happening {
  id: string;
  at: Date;
  kind: TimelineKind;
  /** As its own endpoint prints it. */
  printedId: string;
  summary: string;
  data: Record<string, unknown>;
}

/** Ids of one agent between `from` (inclusive) and `below`. */
interface Stretch {
  agentId: string;
  from: string | undefined;
  below: string | undefined;
}

/** Where things of one kind are found. */
interface Kind {
  ids(ctx: Ctx, stretch: Stretch, window: Window): Promise<string[]>;
  count(ctx: Ctx, stretch: Stretch, most: number): Promise<number>;
  load(ctx: Ctx, ids: readonly string[]): Promise<Happening[]>;
}

/** What happened to an agent or by it, newest first. 404 for an unknown one. */
export async function timeline(ctx: Ctx, agentId: string, input: PageInput): Promise<Page<Happening>> {
  await agent(ctx, agentId);
  await catchUp(ctx);
  const { since, until } = input;
  const stretch: Stretch = { agentId, from: since ? firstIdAt(since) : undefined, below: until ? firstIdAt(until) : undefined };
  const kinds = Object.values(sources);
  const source: Source<Happening> = {
    async read({ after, skip, take }) {
      const window = { after, skip: 0, take: skip + take };
      const found = await Promise.all(kinds.map((kind) => kind.ids(ctx, stretch, window)));
      const all = found.flatMap((ids, n) => ids.map((id) => ({ id, kind: kinds[n] as Kind })));
      const shown = all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(skip, skip + take);
      const loaded = await Promise.all(kinds.map((kind) => loadOf(ctx, kind, shown)));
      const byId = new Map(loaded.flat().map((each) => [each.id, each]));
      return shown.flatMap(({ id }) => byId.get(id) ?? []);
    },
    async count(most) {
      const counts = await Promise.all(kinds.map((kind) => countedTo(most, (take) => kind.count(ctx, stretch, take))));
      const sum = counts.reduce((total, { count }) => total + count, 0);
      return { count: Math.min(sum, most), isMinimum: sum > most || counts.some(({ isMinimum }) => isMinimum) };
    },
    parse: parseAnyId,
  };
  return readPage(ctx, `timeline ${agentId}`, source, input);
}

async function loadOf(ctx: Ctx, kind: Kind, shown: readonly { id: string; kind: Kind }[]): Promise<Happening[]> {
  const own = shown.filter((each) => each.kind === kind).map(({ id }) => id);
  return own.length === 0 ? [] : kind.load(ctx, own);
}

/** What the audit log says of an agent's logins and credentials. Gap G-369 */
const authActions = ['authenticateAgent', 'provisionAuthKey', 'rotateAuthKey', 'revokeAuthKey', 'rotateAgentToken', 'revokeAgentToken'];

function authOf({ agentId, from, below }: Stretch, after?: string): Prisma.AuditEntryWhereInput {
  const range = { ...(from && { gte: from }), ...(below && { lt: below }) };
  return { AND: [{ resourceId: agentId, action: { in: authActions } }, { id: range }, after === undefined ? {} : { id: { lt: after } }] };
}

const decisionsOf = ({ agentId, from, below }: Stretch): DecisionChoice => ({
  visibleTo: undefined,
  agentId,
  outcome: undefined,
  from,
  below,
});
const transfersOf = ({ agentId, from, below }: Stretch): TransferChoice => ({ visibleTo: agentId, equal: {}, from, below });

function approvalsOf({ agentId, from, below }: Stretch, after?: string): Prisma.ApprovalWhereInput {
  const range = { ...(from && { gte: from }), ...(below && { lt: below }) };
  return { AND: [{ agentId }, { id: range }, after === undefined ? {} : { id: { lt: after } }] };
}

/** The tasks that an agent has given, and those that it works on: by an index each. */
function tasksOf({ agentId, from, below }: Stretch, after?: string): Prisma.TaskWhereInput[] {
  const range = { ...(from && { gte: from }), ...(below && { lt: below }) };
  const within = [{ id: range }, after === undefined ? {} : { id: { lt: after } }];
  return [{ AND: [{ fromAgentId: agentId }, ...within] }, { AND: [{ toAgentId: agentId }, ...within] }];
}

const newestFirst = { orderBy: { id: 'desc' }, select: { id: true } } as const;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

const sources: Readonly<Record<TimelineKind, Kind>> = {
  auth: {
    ids: async ({ db }, stretch, { after, take }) =>
      idsOf(await db.auditEntry.findMany({ where: authOf(stretch, after), take, ...newestFirst })),
    count: ({ db }, stretch, take) => db.auditEntry.count({ where: authOf(stretch), take }),
    load: async ({ db }, ids) => (await db.auditEntry.findMany({ where: { id: { in: [...ids] } } })).map(ofEntry),
  },
  decision: {
    ids: (ctx, stretch, window) => decisionIds(ctx, decisionsOf(stretch), window),
    count: (ctx, stretch, most) => countDecisions(ctx, decisionsOf(stretch), most),
    load: loadDecisions,
  },
  transfer: {
    ids: (ctx, stretch, window) => transferIds(ctx, transfersOf(stretch), window),
    count: (ctx, stretch, most) => countTransfers(ctx, transfersOf(stretch), most),
    load: loadTransfers,
  },
  task: {
    ids: async ({ db }, stretch, { after, take }) => {
      const sides = await Promise.all(tasksOf(stretch, after).map((where) => db.task.findMany({ where, take, ...newestFirst })));
      return idsOf(sides.flat());
    },
    count: async ({ db }, stretch, take) => {
      const [given = 0, taken = 0] = await Promise.all(tasksOf(stretch).map((where) => db.task.count({ where, take })));
      return given + taken;
    },
    load: loadTasks,
  },
  approval: {
    ids: async ({ db }, stretch, { after, take }) =>
      idsOf(await db.approval.findMany({ where: approvalsOf(stretch, after), take, ...newestFirst })),
    count: ({ db }, stretch, take) => db.approval.count({ where: approvalsOf(stretch), take }),
    load: loadApprovals,
  },
};

/** How an entry of the log reads: `authenticateAgent` is "authenticate agent". */
function ofEntry({ id, at, action, actorType, ip }: AuditEntry): Happening {
  const summary = action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { id, at, kind: 'auth', printedId: printId('auditEntry', id), summary, data: { action, actor: actorType, ip } };
}

async function loadDecisions({ db }: Ctx, ids: readonly string[]): Promise<Happening[]> {
  const rows = await db.decision.findMany({ where: { id: { in: [...ids] } } });
  return rows.map((row) => {
    const { id, outcome, code, message, subjectType, subjectId, evaluatedAt: at } = row;
    const { amount, currency, protocol } = inputIn(row).facts;
    const asked = formatMinor(BigInt(amount), currency);
    const summary = `${outcome} ${asked} ${currency}${code === null ? '' : `: ${code}`}`;
    const subject = subjectType === null || subjectId === null ? null : { type: subjectType, id: printSubject(subjectType, subjectId) };
    const data = { outcome, code, message, amount: asked, currency, protocol, subject };
    return { id, at, kind: 'decision', printedId: printId('decision', id), summary, data };
  });
}

async function loadTransfers({ db }: Ctx, ids: readonly string[]): Promise<Happening[]> {
  const rows = await db.transfer.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(({ id, createdAt: at, type, status, protocol, amount, currency, fromWalletId, toWalletId, description }) => {
    const moved = formatMinor(amount, currency);
    const wallets = { from_wallet_id: fromWalletId, to_wallet_id: toWalletId };
    const data = { type, status, protocol, amount: moved, currency, ...wallets, description };
    return { id, at, kind: 'transfer', printedId: id, summary: `${type} of ${moved} ${currency}: ${status}`, data };
  });
}

async function loadTasks({ db }: Ctx, ids: readonly string[]): Promise<Happening[]> {
  const rows = await db.task.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(({ id, createdAt: at, skillId, status, fromAgentId, toAgentId, amount, currency }) => {
    const payment = amount === null || currency === null ? null : { amount: formatMinor(amount, currency), currency };
    const data = { skill_id: skillId, status, from_agent_id: fromAgentId, to_agent_id: toAgentId, payment };
    return { id, at, kind: 'task', printedId: id, summary: `${skillId}: ${status}`, data };
  });
}

async function loadApprovals({ db }: Ctx, ids: readonly string[]): Promise<Happening[]> {
  const rows = await db.approval.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(({ id, requestedAt: at, status, amount, currency, subjectType, subjectId, decidedAt, comment, description }) => {
    const asked = formatMinor(amount, currency);
    const subject = { type: subjectType, id: printSubject(subjectType, subjectId) };
    const data = { status, amount: asked, currency, subject, decided_at: decidedAt?.toISOString() ?? null, comment, description };
    return { id, at, kind: 'approval', printedId: printId('approval', id), summary: `${status} ${asked} ${currency}`, data };
  });
}
