// What the memory outside of the database says of rails, and what happens where it knows more: the database was put back, so every rail goes
// off, and waits for a person (CONTRACT.md 27 "Switch").
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { manyParts } from '../../platform/extension.js';
import { noteCluster, takeFence } from '../../platform/fence.js';
import type { Memory, Remembered } from '../../platform/memory.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { configuredRails } from './configured-rails.js';
import { hasFence, raiseNumbers, standingOf } from './rail-state.sql.js';
import { putOff } from './switch-record.js';

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

const [switchPrefix, departurePrefix] = ['rail ', 'departure '];

/** The last switch of a rail. */
export function switchFact(rail: string, { switches, status }: { switches: bigint; status: string }): Remembered {
  return { name: `${switchPrefix}${rail}`, number: switches, value: status };
}

/** The last departure of a rail. Only who has the memory counts them, so one that was forgotten is always noticed. */
export function departureFact(rail: string, { departures }: { departures: bigint }): Remembered {
  return { name: `${departurePrefix}${rail}`, number: departures, value: '' };
}

/** The switches of rails. */
export const rememberedSwitches: RememberedKind = {
  prefix: switchPrefix,
  numberOf: async (tx, name) => (await standingOf(tx, name.slice(switchPrefix.length))).switches,
  raise: (tx, { name, number }) => raiseNumbers(tx, name.slice(switchPrefix.length), { switches: number }),
};

/** The departures of rails. */
export const rememberedDepartures: RememberedKind = {
  prefix: departurePrefix,
  numberOf: async (tx, name) => (await standingOf(tx, name.slice(departurePrefix.length))).departures,
  raise: (tx, { name, number }) => raiseNumbers(tx, name.slice(departurePrefix.length), { departures: number }),
};

/** Memories that this process has compared with the whole database. */
const compared = new WeakSet<Memory>();

/** True where the memory has to be compared with all that the database says: at first, and after it has come to another cluster. */
export function isUncompared({ memory, isMoved }: { memory: Memory; isMoved: boolean }): boolean {
  return isMoved || !compared.has(memory);
}

interface Ahead {
  kind: RememberedKind;
  fact: Remembered;
}

/** The facts of which the memory knows more than the database. */
async function aheadOf({ extensions }: Platform, tx: pg.ClientBase, memory: Memory): Promise<Ahead[]> {
  const ahead: Ahead[] = [];
  for (const kind of extensions.of(rememberedKinds)) {
    for (const name of memory.names(kind.prefix)) {
      const fact = memory.get(name) as Remembered;
      if (fact.number > (await kind.numberOf(tx, name))) ahead.push({ kind, fact });
    }
  }
  return ahead;
}

/**
 * Compares the memory with the database, and switches every rail off where the memory knows more. True where it did. Nothing happens in a process
 * without the memory.
 */
export async function compareMemory(platform: Platform): Promise<boolean> {
  const { database, config, log } = platform;
  const found = await inTransaction(database.pool, async (tx) => {
    const { memory } = await takeFence(tx, config);
    if (memory === null) return null;
    return { ahead: await aheadOf(platform, tx, memory), rails: railsOf(platform, memory) };
  });
  if (found === null) return false;
  const { ahead, rails } = found;
  if (ahead.length > 0) {
    log.error(
      { rails, ahead: ahead.map(({ fact }) => fact.name) },
      'the memory knows more than the database, which was put back: every rail is off',
    );
    await putOff(platform, rails);
  }
  await agree(platform, ahead, rails);
  return ahead.length > 0;
}

/**
 * The same around a switch, so that the memory hears of it, in a process that has the memory. A database that has none yet is not given one by
 * whoever switches: that may be a command line elsewhere.
 */
export async function compareKnown(platform: Platform): Promise<void> {
  if (await hasFence(platform.database.pool)) await compareMemory(platform);
}

/** The rails of the file, and those that the memory knows. */
function railsOf({ extensions }: Platform, memory: Memory): string[] {
  const remembered = memory.names(switchPrefix).map((name) => name.slice(switchPrefix.length));
  return [...new Set([...extensions.of(configuredRails).byName.keys(), ...remembered])].sort();
}

/** Lets the database know what the memory knew more of, and the memory the switches that it has not heard of. */
async function agree({ database, config }: Platform, ahead: readonly Ahead[], rails: readonly string[]): Promise<void> {
  await inTransaction(database.pool, async (tx) => {
    const { memory } = await takeFence(tx, config);
    if (memory === null) return;
    for (const { kind, fact } of ahead) await kind.raise(tx, fact);
    await rememberSwitches(tx, memory, rails);
    await noteCluster(tx);
    compared.add(memory);
  });
}

async function rememberSwitches(tx: pg.ClientBase, memory: Memory, rails: readonly string[]): Promise<void> {
  const facts: Remembered[] = [];
  for (const rail of rails) facts.push(switchFact(rail, await standingOf(tx, rail)));
  const unheard = facts.filter(({ name, number }) => number > (memory.get(name)?.number ?? 0n));
  if (unheard.length > 0) await memory.put(unheard);
}
