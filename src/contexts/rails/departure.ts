// How something leaves by a rail: a transaction reads the switch and writes what is about to be sent, the memory puts it down, and only then it
// is sent. A switch to off waits for what is being sent, so after its answer nothing leaves (CONTRACT.md 27 "Switch", 29).
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { takeFence } from '../../platform/fence.js';
import type { Memory, Remembered } from '../../platform/memory.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { deleteDeparture, hasDeparture, holdStanding, insertDeparture, type RailStanding, sendingSeconds } from './rail-state.sql.js';
import { compareMemory, departureFact, isUncompared, switchFact } from './restored.js';

/** What is about to leave: what the sender needs, and what the memory puts down first. */
export interface Leaving<T> {
  value: T;
  /** How far each thing is with it. A fact that is known already, by number and value, is the same thing once more. */
  facts: readonly Remembered[];
}

/**
 * Why nothing leaves: the rail is off, its memory is in another process, the database was put back, there was nothing to send, or so much time
 * went by that a switch would not wait for it any more.
 */
export type Stay = 'off' | 'elsewhere' | 'restored' | 'nothing' | 'late';

/** What may take at most so long to be sent. */
export const sendingMs = sendingSeconds * 1_000;

/** What came of a departure. */
export type Departed<T> = { sent: T } | { stays: Stay };

interface Departure {
  id: string;
  rail: string;
  what: string;
}

/** What is written, and when it has to be sent by: milliseconds of this process. */
interface Begun<T> extends Leaving<T> {
  end: number;
}

type Write<T> = (tx: pg.ClientBase) => Promise<Leaving<T> | null>;

/** A fact that the memory has already, or has passed: another database told it. */
class Restored extends Error {}

/** What is durable has to be so whatever the connection says otherwise. */
const durable = ['SET LOCAL synchronous_commit = on'];

/**
 * Lets one thing leave by a rail. `write` puts it into the tables of its kind and says what to send, null for nothing; `send` has to end when
 * its signal says so, ten seconds after it was written. A process that dies between the two has written what it was about to send: the kind
 * lets it leave again, or looks whether it was sent.
 */
export async function depart<T, Sent>(
  platform: Platform,
  { rail, what }: { rail: string; what: string },
  write: Write<T>,
  send: (value: T, signal: AbortSignal) => Promise<Sent>,
): Promise<Departed<Sent>> {
  const departure = { id: newId(platform.clock.now()), rail, what };
  const begun = await begin(platform, departure, write);
  if ('stays' in begun) return begun;
  try {
    const stays = await putDown(platform, departure, begun.facts);
    if (stays !== null) return { stays };
    const restMs = begun.end - performance.now();
    if (restMs <= 0) return { stays: 'late' };
    return { sent: await send(begun.value, AbortSignal.timeout(Math.ceil(restMs))) };
  } finally {
    // What came of it is known, whether the row goes or not: it goes by itself.
    await deleteDeparture(platform.database.pool, departure.id).catch((error: unknown) =>
      platform.log.warn({ err: error, rail, what }, 'a departure is over, and was not noted to be'),
    );
  }
}

async function begin<T>(platform: Platform, departure: Departure, write: Write<T>): Promise<Begun<T> | { stays: Stay }> {
  try {
    const outcome = await inTransaction(platform.database.pool, (tx) => decide(platform, tx, departure, write), { first: durable });
    if (outcome !== 'uncompared') return outcome;
    if (await compareMemory(platform)) return { stays: 'restored' };
    return await begin(platform, departure, write);
  } catch (error) {
    if (!(error instanceof Restored)) throw error;
    await compareMemory(platform);
    return { stays: 'restored' };
  }
}

async function decide<T>(
  { config }: Platform,
  tx: pg.ClientBase,
  departure: Departure,
  write: Write<T>,
): Promise<Begun<T> | { stays: Stay } | 'uncompared'> {
  const fence = await takeFence(tx, config);
  if (fence.memory === null) return { stays: 'elsewhere' };
  if (isUncompared(fence)) return 'uncompared';
  const standing = await holdStanding(tx, departure.rail);
  if (standing.status === 'off') return { stays: 'off' };
  const own = factsOf(departure.rail, standing);
  if (own.some((fact) => isAhead(fence.memory, fact))) throw new Restored();
  const leaving = await write(tx);
  if (leaving === null) return { stays: 'nothing' };
  if (leaving.facts.some((fact) => isAhead(fence.memory, fact) || isOther(fence.memory, fact))) throw new Restored();
  const end = performance.now() + sendingMs;
  await insertDeparture(tx, departure);
  const [ofSwitch, before] = own;
  const ofDeparture = { ...before, number: before.number + 1n, value: departure.id };
  return { value: leaving.value, facts: [ofSwitch, ofDeparture, ...leaving.facts], end };
}

function factsOf(rail: string, standing: RailStanding): [Remembered, Remembered] {
  return [switchFact(rail, standing), departureFact(rail, standing)];
}

/** The memory knows that a thing has come further. */
function isAhead(memory: Memory, { name, number }: Remembered): boolean {
  return (memory.get(name)?.number ?? -1n) > number;
}

/** The memory knows that something else was told under this number. */
function isOther(memory: Memory, { name, number, value }: Remembered): boolean {
  const known = memory.get(name);
  return known?.number === number && known.value !== value;
}

/**
 * Puts down what is about to be sent. Not where the memory is in another process by now, nor where the database knows nothing of the departure:
 * then another one has taken its place, which has lost it.
 */
async function putDown({ database, config }: Platform, { id }: Departure, facts: readonly Remembered[]): Promise<Stay | null> {
  return inTransaction(database.pool, async (tx) => {
    const { memory } = await takeFence(tx, config);
    if (memory === null) return 'elsewhere';
    if (!(await hasDeparture(tx, id))) return 'restored';
    await memory.put(facts.filter(({ name, number }) => (memory.get(name)?.number ?? -1n) < number));
    return null;
  });
}
