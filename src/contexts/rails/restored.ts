// What the memory outside of the database says of rails, and what happens where it knows more: the database was put back, so every rail goes
// off, and waits for a person (CONTRACT.md 27 "Switch").
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { manyParts } from '../../platform/extension.js';
import { noteCluster, takeFence } from '../../platform/fence.js';
import type { Memory, Remembered } from '../../platform/memory.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { configuredRails } from './configured-rails.js';
import { lockStanding, standingOf, writeStatus } from './rail-state.sql.js';

/** A kind of facts in the memory, and what the database says of them. */
export interface RememberedKind {
  /** What the names of its facts begin with. */
  prefix: string;
  /** How far a thing has come by the database. */
  numberOf(tx: pg.ClientBase, name: string): Promise<bigint>;
  /** Takes the number of the memory over: nothing that was told before is told again. */
  raise(tx: pg.ClientBase, fact: Remembered): Promise<void>;
}

/** What rails put down before it leaves. */
export const rememberedKinds = manyParts<RememberedKind>('what rails remember');

/** Why a rail went off that nobody switched. */
export const restoredReason = 'restored';

const railPrefix = 'rail ';

/** The last switch of a rail. */
export function switchFact(rail: string, { switches, status }: { switches: bigint; status: string }): Remembered {
  return { name: `${railPrefix}${rail}`, number: switches, value: status };
}

/** The switches of rails. */
export const rememberedSwitches: RememberedKind = {
  prefix: railPrefix,
  numberOf: async (tx, name) => (await standingOf(tx, name.slice(railPrefix.length))).switches,
  raise: async () => {},
};

/** Memories that this process has compared with the whole database. */
const compared = new WeakSet<Memory>();

/** True where the memory has to be compared with all that the database says: at first, and after it has come to another cluster. */
export function isUncompared({ memory, isMoved }: { memory: Memory; isMoved: boolean }): boolean {
  return isMoved || !compared.has(memory);
}

/** The facts of which the memory knows more than the database. */
export async function aheadOf({ extensions }: Pick<Platform, 'extensions'>, tx: pg.ClientBase, memory: Memory): Promise<Remembered[]> {
  const ahead: Remembered[] = [];
  for (const kind of extensions.of(rememberedKinds)) {
    for (const name of memory.names(kind.prefix)) {
      const fact = memory.get(name) as Remembered;
      if (fact.number > (await kind.numberOf(tx, name))) ahead.push(fact);
    }
  }
  return ahead;
}

/**
 * Compares the memory with the database, in a transaction of its own, and switches every rail off where the memory knows more. True where it did.
 * Nothing happens in a process without the memory.
 */
export async function compareMemory(platform: Platform): Promise<boolean> {
  return inTransaction(platform.database.pool, async (tx) => {
    const { memory } = await takeFence(tx, platform.config);
    if (memory === null) return false;
    const ahead = await aheadOf(platform, tx, memory);
    if (ahead.length > 0) await switchAllOff(platform, tx, memory);
    await noteCluster(tx);
    compared.add(memory);
    return ahead.length > 0;
  });
}

async function switchAllOff(platform: Platform, tx: pg.ClientBase, memory: Memory): Promise<void> {
  const kinds = platform.extensions.of(rememberedKinds);
  const remembered = memory.names(railPrefix).map((name) => name.slice(railPrefix.length));
  const names = new Set([...platform.extensions.of(configuredRails).byName.keys(), ...remembered]);
  const at = platform.clock.now();
  for (const name of [...names].sort()) {
    await lockStanding(tx, name);
    const least = (memory.get(`${railPrefix}${name}`)?.number ?? 0n) + 1n;
    await writeStatus(tx, name, { status: 'off', reason: restoredReason, at, least });
  }
  for (const kind of kinds) for (const name of memory.names(kind.prefix)) await kind.raise(tx, memory.get(name) as Remembered);
  platform.log.error({ rails: [...names] }, 'the memory knows more than the database, which was put back: every rail is off');
}
