// The stages of an erasure, in their order: rows before what is made of them, and last what the log says of it all.
import { catalogOf } from '../../events/catalog.js';
import { withoutText } from '../../events/personal.js';
import { type PersonalTable, personalTables } from '../../generated/personal-data.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { deleteVaultedCard } from '../cards/vault/card.js';
import { withoutWords } from '../refunds/erased-evidence.js';
import { deleteBankAccount } from '../settlement/payout/bank-account.js';
import {
  deleteAnswers,
  deliveriesWait,
  forgetSubjects,
  giveUpDeliveries,
  notedDisputes,
  notedEvents,
  noteEvents,
  setSize,
  writeDisputeEvidence,
  writeEventData,
} from './event.sql.js';
import { lines } from './line.js';
import { emptied, eraseSet } from './personal-table.sql.js';
import { eraseElsewhere } from './sibling.sql.js';
import type { ErasureWork, Stage } from './work.js';

// Gap G-811: Deliveries that wait are sent for ten minutes; those that are left go to the dead-letter queue with the reason `erased`.
/** So long deliveries of what is erased may still be sent. */
const sendSeconds = 600;
/** And so often is looked whether they have been. */
const lookSeconds = 15;

/** What still acts for the account ends: its cards lose their tokens, its bank accounts their details. */
const ends: Stage = {
  name: 'ends',
  erases: [],
  async before(ctx, { accountId, memberId }) {
    if (memberId !== null) await endInvitations(ctx, memberId);
    if (accountId === null) return;
    const where = { accountId, deletedAt: null };
    for (const { id } of await ctx.db.vaultedCard.findMany({ where, select: { id: true } })) await deleteVaultedCard(ctx, id);
    for (const { id } of await ctx.db.bankAccount.findMany({ where, select: { id: true } })) await deleteBankAccount(ctx, id);
  },
  run: async () => ({ isOver: true }),
};

/** Invitations to the e-mail of the member that nobody has taken end: they lose it. */
async function endInvitations(ctx: Ctx, memberId: string): Promise<void> {
  const member = await ctx.db.member.findFirst({ where: { id: memberId }, select: { emailKey: true } });
  if (member === null) return;
  const where = { emailKey: member.emailKey, acceptedAt: null, revokedAt: null };
  await ctx.db.invitation.updateMany({ where, data: { revokedAt: ctx.platform.clock.now() } });
}

/** A member is of a tenant, and each environment has a log of its own that tells of him. */
const elsewhere: Stage = {
  name: 'elsewhere',
  erases: [],
  before: (ctx, work) => eraseElsewhere(ctx, work),
  run: async () => ({ isOver: true }),
};

function tableStage(table: PersonalTable): Stage {
  return {
    name: `table ${table.table}`,
    erases: emptied(table).map(({ column }) => column),
    run: (tx, work) => eraseSet(tx, table, work),
  };
}

/** Events of what was erased are found, so that their deliveries are. */
const events: Stage = {
  name: 'events',
  erases: [],
  async run(tx, work) {
    const { seen, last } = await noteEvents(tx, work);
    return { isOver: seen < setSize, cursor: last ?? [] };
  },
};

/** And those that name such an event: that its delivery was given up. */
const eventsOfEvents: Stage = { ...events, name: 'events of events' };

const deliveries: Stage = {
  name: 'deliveries',
  erases: [],
  async run(tx, work, { clock }) {
    if (!(await deliveriesWait(tx, work))) return { isOver: true };
    const now = clock.now();
    if (now >= addSeconds(work.createdAt, sendSeconds)) await giveUpDeliveries(tx, work, now);
    return { waitSeconds: lookSeconds };
  },
};

/** Rows of JSON that are rewritten at once. */
const mostRewritten = 200;

const eventData: Stage = {
  name: 'event data',
  erases: ['data'],
  async run(tx, work, ctx) {
    const found = await notedEvents(tx, work, mostRewritten);
    const catalog = catalogOf(ctx);
    // Of a type that is no longer declared nothing is known.
    const changed = found.flatMap(({ id, type = '', value }) => {
      const schema = catalog.get(type)?.data;
      const erased = schema === undefined ? {} : withoutText(schema, value);
      return JSON.stringify(erased) === JSON.stringify(value) ? [] : [{ id, value: erased }];
    });
    await writeEventData(tx, work.workspaceId, changed);
    return { isOver: found.length < mostRewritten, cursor: lastOf(found), rows: changed.length, fields: changed.length };
  },
};

const disputeEvidence: Stage = {
  name: 'evidence of disputes',
  erases: ['evidence'],
  async run(tx, work) {
    const found = await notedDisputes(tx, work, mostRewritten);
    await writeDisputeEvidence(
      tx,
      work.workspaceId,
      found.map(({ id, value }) => ({ id, value: withoutWords(value) })),
    );
    return { isOver: found.length < mostRewritten, cursor: lastOf(found), rows: found.length, fields: found.length };
  },
};

function lastOf(rows: readonly { id: string }[]): string[] {
  const last = rows.at(-1);
  return last === undefined ? [] : [last.id];
}

const answers: Stage = {
  name: 'answers',
  erases: [],
  async run(tx, work) {
    const { seen, last, rows } = await deleteAnswers(tx, work);
    return { isOver: seen < setSize, cursor: last ?? [], rows, fields: rows };
  },
};

const forget: Stage = {
  name: 'forget',
  erases: [],
  run: async (tx, work) => ({ isOver: !(await forgetSubjects(tx, work)) }),
};

/** Tables with stages of their own. */
const others: ReadonlySet<string> = new Set(['event', 'audit_entry', 'keyed_answer']);

/** The tables whose rows may belong to a row of `root`, each after those that it belongs to. */
export function tablesOf(root: 'account' | 'member'): PersonalTable[] {
  const reached = new Set<string>([root]);
  for (const { table, owners } of personalTables)
    if (owners.some(({ of }) => of.some((name) => name === '*' || name === '~' || reached.has(name.split('.')[0] ?? ''))))
      reached.add(table);
  return personalTables.filter(({ table }) => reached.has(table));
}

function stagesOf(root: 'account' | 'member'): readonly Stage[] {
  const tables = tablesOf(root).filter(({ table }) => !others.has(table));
  const ofEvents = (table: PersonalTable) => table.table === 'webhook_delivery' || table.table === 'delivery_attempt';
  return [
    ends,
    ...tables.filter((each) => !ofEvents(each) && each.table !== root).map(tableStage),
    ...(root === 'member' ? [elsewhere] : []),
    // It is known from the beginning, and others are found by what it says.
    ...tables.filter(({ table }) => table === root).map(tableStage),
    ...(root === 'account' ? [disputeEvidence] : []),
    events,
    eventsOfEvents,
    deliveries,
    eventData,
    ...tables.filter(ofEvents).map(tableStage),
    answers,
    lines,
    forget,
  ];
}

const stages = { account: stagesOf('account'), member: stagesOf('member') };

/** The stages of an erasure, in their order. */
export function stagesFor({ accountId }: Pick<ErasureWork, 'accountId'>): readonly Stage[] {
  return accountId === null ? stages.member : stages.account;
}
