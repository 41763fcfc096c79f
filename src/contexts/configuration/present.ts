// The configuration as it is: read by the operations that anybody reads it by.

import type { ConfigThing } from '../../generated/prisma/client.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { hasScope } from '../../platform/schema/audience.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { isNamed, type Kind, kinds, type ListKind, membersOf, nameOfKind } from './kind.js';
import { type Present, type Settings, withBareIds } from './thing.js';

type Shown = Readonly<Record<string, unknown>>;

const pageSize = 100;

/** What is there, and what files have said of it. */
export interface Configuration {
  things: readonly Present[];
  records: readonly ConfigThing[];
  /** Changes with every change of a setting: the first 16 hexadecimal digits of a digest of all. */
  revision: string;
}

// Gap G-830: A configuration shows the kinds whose own scope the caller has beside `config:read`; `revision` and `plan` are of these.
/** Reads what a configuration has, of the kinds that the caller may read. Inside a transaction it is read there (`ctx.db`). */
export async function readConfiguration(ctx: Ctx): Promise<Configuration> {
  const shown = kinds.filter((kind) => mayRead(ctx, kind));
  const names = shown.map(nameOfKind);
  const records = await ctx.db.configThing.findMany({ where: { kind: { in: names } } });
  const things: Present[] = [];
  for (const kind of shown) things.push(...(await thingsOf(ctx, kind, records)));
  const said = things.map(({ kind, name, settings }) => [nameOfKind(kind), name, settings]);
  return { things, records, revision: sha256(canonicalJson(said)).toString('hex').slice(0, 16) };
}

/** Whether the caller may read things of the kind. */
export function mayRead(ctx: Ctx, kind: Kind): boolean {
  return hasScope(ctx.actor, ctx.platform.operations.scopeOf(kind.show));
}

async function thingsOf(ctx: Ctx, kind: Kind, records: readonly ConfigThing[]): Promise<Present[]> {
  const { operations } = ctx.platform;
  const members = membersOf(operations, kind);
  if (kind.is === 'single') {
    const { data } = await operations.call(ctx, kind.show, {});
    return [{ kind, name: nameOfKind(kind), id: null, settings: settingsOf(data as Shown, members) }];
  }
  const foreign = await kind.foreign?.(ctx);
  const shown = (await listed(ctx, kind))
    .filter((one) => kind.isSetting?.(one) ?? true)
    .map((one) => ({ one, id: parseAnyId(String(one['id'])) as string }))
    .filter(({ id }) => foreign === undefined || !foreign.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const given = new Map(records.flatMap((row) => (row.kind === nameOfKind(kind) && row.id !== null ? [[row.id, row.name]] : [])));
  const ownName = (one: Shown, id: string): string => {
    if (isNamed(operations, kind)) return String(one['name']);
    return given.get(id) ?? kind.nameOf?.(one) ?? id;
  };
  const taken = new Set<string>();
  return shown.map(({ one, id }) => {
    const name = freeName(ownName(one, id), taken);
    return { kind, name, id: kind.isByName ? null : id, settings: settingsOf(one, members) };
  });
}

/** The name, or the name with a number behind it where an older thing has it. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} (${count})`;
  taken.add(free);
  return free;
}

async function listed(ctx: Ctx, kind: ListKind): Promise<Shown[]> {
  const { operations } = ctx.platform;
  if (kind.isWhole) return (await operations.call(ctx, kind.list, {}))['data'] as Shown[];
  const found: Shown[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: String(pageSize), ...(cursor !== undefined && { starting_after: cursor }) };
    const { data, pagination } = await operations.call(ctx, kind.list, { query });
    found.push(...(data as Shown[]));
    cursor = (pagination as { next_cursor?: string }).next_cursor;
    if (cursor === undefined) return found;
  }
}

/** The settings of what an operation has shown. */
export function settingsOf(shown: Shown, members: readonly string[]): Settings {
  return withBareIds(Object.fromEntries(members.map((member) => [member, shown[member]])));
}
