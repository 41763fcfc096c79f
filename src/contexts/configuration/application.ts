// Applying a configuration: every change by the operation that anybody would make it with, in one transaction (CONTRACT.md 24).
import { isDeepStrictEqual } from 'node:util';
import type { ConfigApply, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError, type FieldIssue, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { joining, transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rollBack } from '../../platform/postgres/rollback.js';
import { newId, parseAnyId } from '../../platform/schema/id.js';
import { ratesTag } from '../rates/rate.js';
import { dropRulebook } from '../spending/pipeline/rules-tag.js';
import { type Creation, type PlannedChange, printChange } from './change.js';
import { type Comparison, compare, type Request } from './comparison.js';
import { bodyOf, placed } from './edge.js';
import { isNamed, type Kind, membersOf, nameOfKind } from './kind.js';
import { type Configuration, readConfiguration, settingsOf } from './present.js';
import { keyOf, type Reference } from './reference.js';
import { type Digests, digestsOf, mapValues, type Settings } from './thing.js';

// Gap G-834: An apply changes at most 500 things, and takes at most 18 s: a request has 20.
const mostChanges = 500;
const timeoutMs = 18_000;

/** A thing that an apply has made. `secret` is shown once, and stored nowhere. */
export interface Made {
  kind: string;
  name: string;
  id: string;
  secret?: string;
}

export interface Applied {
  revision: string;
  changes: readonly ReturnType<typeof printChange>[];
  made: readonly Made[];
}

/** A request to apply; `plan` is the one that somebody has seen. */
export interface ApplyRequest extends Request {
  plan: string | null;
}

/** 409: the plan that was seen is not what would be done now. */
export class PlanChanged extends StateConflict {
  constructor() {
    super('The configuration or the file is not what it was when this plan was made. Look at the difference again.', 'plan_changed', [], {
      reason: 'plan_changed',
      next_actions: [{ rel: 'config', actor: 'api_key', method: 'GET', path: '/v1/config' }],
    });
  }
}

/**
 * Applies a configuration: all of it or nothing. 400 with every path for references that name nothing or several things; what an operation
 * refuses is refused with its place in the file; 409 `state_conflict` for a plan that does not hold any more. What changes nothing leaves no
 * line in the audit log.
 */
export async function applyConfiguration(ctx: Ctx, request: ApplyRequest): Promise<Applied> {
  let applied: Applied | undefined;
  await transact(
    ctx,
    async (tx) => {
      applied = await applyWithin(ctx, tx, request);
      // Applying what is there already is no act.
      if (applied.changes.length === 0) {
        ctx.act = null;
        return applied.revision;
      }
      return (await keep(ctx, tx, request.source, applied)).id;
    },
    (reference) => reference,
    { timeoutMs },
  );
  const { workspace, platform } = ctx;
  dropRulebook(ctx);
  platform.cache.drop(ratesTag(workspace.id));
  platform.due.ring();
  return applied as unknown as Applied;
}

/** What an apply would do, tried and taken back. */
export function tryConfiguration(ctx: Ctx, request: ApplyRequest): Promise<Applied> {
  return rollBack(ctx.db, (tx) => applyWithin({ ...ctx, act: null }, tx, request), timeoutMs);
}

// Gap G-833: A repeated key whose answer was lost is answered with the things that were changed, without their fields and secrets.
/** What was answered to the apply with this reference, as far as it is kept. */
export async function appliedWith(ctx: Ctx, reference: string): Promise<Applied> {
  const row = parseAnyId(reference) === null ? null : await ctx.db.configApply.findFirst({ where: { id: reference } });
  if (row === null) return { revision: reference, changes: [], made: [] };
  const things = row.changes as unknown as Omit<Applied['changes'][number], 'fields'>[];
  return { revision: row.revision, changes: things.map((thing) => ({ ...thing, fields: [] })), made: row.made as unknown as Made[] };
}

async function applyWithin(ctx: Ctx, tx: Tx, request: ApplyRequest): Promise<Applied> {
  // The workspace's row is the lock: two applies follow each other.
  await tx.workspace.updateMany({ where: { id: ctx.workspace.id }, data: { id: ctx.workspace.id } });
  const inside = joining(ctx, tx);
  const there = await readConfiguration(inside);
  const comparison = await compare(inside, there, request);
  refuseUnresolved(comparison);
  refuseTooMany(comparison);
  if (request.plan !== null && request.plan !== comparison.plan) throw new PlanChanged();
  const run = new Run(ctx, tx, there);
  for (const change of comparison.changes) await run.make(change);
  await recordAll(inside, tx, { request, comparison, there, run });
  const revision = comparison.changes.length === 0 ? there.revision : (await readConfiguration(inside)).revision;
  return { revision, changes: comparison.changes.map(printChange), made: run.made };
}

/** 400 for more changes than one request has the time for. */
function refuseTooMany({ changes }: Comparison): void {
  if (changes.length <= mostChanges) return;
  const message = `would change ${changes.length} things, and at most ${mostChanges} are changed at once: apply it in parts`;
  throw new ValidationFailed([{ path: ['config'], message, rule: 'max' }]);
}

/** 400 with the place of every reference that does not name exactly one thing. */
function refuseUnresolved({ unresolved }: Comparison): void {
  if (unresolved.length === 0) return;
  throw new ValidationFailed(
    unresolved.map(({ path, ref, found }): FieldIssue => {
      const what = Object.keys(ref)[0] ?? '';
      const message = found === 0 ? `names no ${what} here` : `names ${found} things, and must name one`;
      return { path, message, rule: 'reference' };
    }),
  );
}

/** The changes of one apply, one after the other. */
class Run {
  readonly made: Made[] = [];
  /** The id of each thing, and what it is after its change, by its kind and name. */
  readonly after = new Map<string, { id: string | null; made: Digests }>();
  readonly #ctx: Ctx;
  readonly #tx: Tx;
  /** Ids of budgets by their references. */
  readonly #budgets = new Map<string, string>();

  constructor(ctx: Ctx, tx: Tx, { things }: Configuration) {
    this.#ctx = ctx;
    this.#tx = tx;
    for (const { kind, id, name } of things)
      if (nameOfKind(kind) === 'budgets' && id !== null) this.#budgets.set(keyOf({ budget: name }), id);
  }

  async make(change: PlannedChange): Promise<void> {
    try {
      if (change.op === 'delete') await this.#delete(change);
      else if (change.op === 'update') await this.#update(change);
      else await this.#create(change);
    } catch (error) {
      throw inFile(error, change);
    }
  }

  async #create({ kind, name, wanted }: Creation): Promise<void> {
    const { operations } = this.#ctx.platform;
    const settings = this.resolved(wanted.settings);
    // What a workspace has once is always there.
    if (kind.is === 'single') throw new Error(`${nameOfKind(kind)} is not there`);
    const taken = new Set(kind.members ?? operations.takes(kind.make));
    const first = Object.fromEntries(Object.entries(settings).filter(([member]) => taken.has(member)));
    const body = bodyOf(kind, { ...(isNamed(operations, kind) && { name }), ...first });
    let shown = await this.#call(kind.make, { body });
    const later = Object.fromEntries(
      Object.entries(settings).filter(([member, value]) => !taken.has(member) && JSON.stringify(shown[member]) !== JSON.stringify(value)),
    );
    const { id, secret } = shown;
    if (Object.keys(later).length > 0) shown = await this.#call(kind.change, { params: { id: String(id) }, body: later });
    this.made.push({ kind: nameOfKind(kind), name, id: String(id), ...(typeof secret === 'string' && { secret }) });
    const bare = parseAnyId(String(id));
    if (nameOfKind(kind) === 'budgets' && bare !== null) this.#budgets.set(keyOf({ budget: name }), bare);
    this.#note(kind, name, kind.isByName ? null : bare, shown);
  }

  async #update({ kind, name, present, changed }: PlannedChange & { op: 'update' }): Promise<void> {
    const settings = this.resolved(changed);
    if (kind.is === 'single') {
      const shown = await this.#call(kind.set, { body: settings });
      return this.#note(kind, name, null, shown);
    }
    const whole = kind.bodyOf === undefined ? settings : kind.bodyOf({ ...present.settings, ...settings });
    const shown = await this.#call(kind.change, { ...(present.id !== null && { params: { id: present.id } }), body: whole });
    this.#note(kind, name, present.id, shown);
  }

  async #delete({ kind, present }: PlannedChange & { op: 'delete' }): Promise<void> {
    if (kind.is === 'single' || kind.remove === undefined) throw new Error(`${nameOfKind(kind)} are not deleted`);
    await this.#call(kind.remove, { params: { id: present.id as string } });
  }

  /** Each change is a request of its own inside the transaction: by the same actor, with a line of its own. */
  async #call(operation: string, request: { params?: Record<string, string>; body?: Settings }): Promise<Record<string, unknown>> {
    const { data } = await this.#ctx.platform.operations.call(joining(this.#ctx, this.#tx), operation, request);
    return (Array.isArray(data) ? data[0] : data) as Record<string, unknown>;
  }

  /** The settings with the ids of budgets, also of those that the file has made. */
  resolved(settings: Settings): Settings {
    return mapValues(settings, (value) => {
      if (typeof value !== 'object' || value === null) return value;
      return this.#budgets.get(keyOf(value as Reference)) ?? value;
    }) as Settings;
  }

  #note(kind: Kind, name: string, id: string | null, shown: Settings): void {
    const settings = settingsOf(shown, membersOf(this.#ctx.platform.operations, kind));
    this.after.set(keyOfThing(kind, name), { id, made: digestsOf(settings) });
  }
}

/** What a thing is called among the changes. */
const keyOfThing = (kind: Kind, name: string) => `${nameOfKind(kind)} ${name}`;

/** What an operation refused, with the place of the thing in the file. */
function inFile(error: unknown, change: PlannedChange): unknown {
  if (!(error instanceof ApiError)) return error;
  const at = change.op === 'delete' ? [] : change.wanted.at;
  const place = { kind: nameOfKind(change.kind), name: change.name };
  const details = { ...error.details, config: place };
  const fields = change.op === 'delete' ? error.fields : placed(error, change.kind, at);
  const { status, code, message, headers } = error;
  return new ApiError(status, code, `${place.kind} "${place.name}": ${message}`, {
    details,
    ...(fields !== undefined && error.fields !== undefined && { fields }),
    ...(headers && { headers }),
    cause: error,
  });
}

/** Notes what the file said of each thing, and what the thing is now; forgets what is gone. */
async function recordAll(
  ctx: Ctx,
  tx: Tx,
  { request, comparison, there, run }: { request: Request; comparison: Comparison; there: Configuration; run: Run },
): Promise<void> {
  const at = ctx.clock.now();
  const before = new Map(there.records.map((row) => [`${row.kind} ${row.name}`, row]));
  const present = new Map(there.things.map((thing) => [keyOfThing(thing.kind, thing.name), thing]));
  const rows = comparison.wanted.flatMap(({ kind, name, settings }) => {
    const key = keyOfThing(kind, name);
    const thing = present.get(key);
    const now = run.after.get(key) ?? (thing && { id: thing.id, made: digestsOf(thing.settings) });
    if (now === undefined) return [];
    const row = { kind: nameOfKind(kind), name, source: request.source, given: digestsOf(run.resolved(settings)), ...now };
    const old = before.get(key);
    const isKept = old !== undefined && isDeepStrictEqual({ ...row, workspaceId: old.workspaceId, appliedAt: old.appliedAt }, old);
    return isKept ? [] : [{ ...row, appliedAt: at }];
  });
  const gone = comparison.changes.flatMap(({ op, kind, name }) => (op === 'delete' ? [{ kind: nameOfKind(kind), name }] : []));
  const changed = [...rows.map(({ kind, name }) => ({ kind, name })), ...gone];
  if (changed.length > 0) await tx.configThing.deleteMany({ where: { OR: changed } });
  if (rows.length > 0) await tx.configThing.createMany({ data: rows });
}

function keep(ctx: Ctx, tx: Tx, source: string, { revision, changes, made }: Applied): Promise<ConfigApply> {
  const at = ctx.clock.now();
  const json = (value: unknown) => value as Prisma.InputJsonValue;
  const things = changes.map(({ fields: _, ...change }) => change);
  const withoutSecrets = made.map(({ secret: _, ...one }) => one);
  return tx.configApply.create({
    data: { id: newId(at), source, revision, changes: json(things), made: json(withoutSecrets), createdAt: at },
  });
}
