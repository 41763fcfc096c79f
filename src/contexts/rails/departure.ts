// How something leaves by a rail: a transaction reads the switch and writes what is about to be sent, the memory puts it down, and only then it
// is sent. A switch to off waits for what is being sent, so after its answer nothing leaves (CONTRACT.md 27 "Switch", 29).
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { takeFence } from '../../platform/fence.js';
import type { Remembered } from '../../platform/memory.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { deleteDeparture, insertDeparture, sendingSeconds, shareStanding } from './rail-state.sql.js';
import { compareMemory, isUncompared, switchFact } from './restored.js';

/** What is about to leave: what the sender needs, and what the memory puts down first. */
export interface Leaving<T> {
  value: T;
  facts: readonly Remembered[];
}

/** Why nothing leaves: the rail is off, its memory is in another process, the database was put back, or there was nothing to send. */
export type Stay = 'off' | 'elsewhere' | 'restored' | 'nothing';

/** What may take at most so long to be sent. */
export const sendingMs = sendingSeconds * 1_000;

/** What came of a departure. */
export type Departed<T> = { sent: T } | { stays: Stay };

/** The number of a fact that the memory has already, or has passed: another database told it. */
class Restored extends Error {}

/** What is durable has to be so whatever the connection says otherwise. */
const durable = ['SET LOCAL synchronous_commit = on'];

/**
 * Lets one thing leave by a rail. `write` puts it into the tables of its kind and says what to send, null for nothing; `send` has ten seconds. A
 * process that dies between the two has written what it was about to send: the kind sends it again, or looks whether it was sent.
 */
export async function depart<T, Sent>(
  platform: Platform,
  { rail, what }: { rail: string; what: string },
  write: (tx: pg.ClientBase) => Promise<Leaving<T> | null>,
  send: (value: T) => Promise<Sent>,
): Promise<Departed<Sent>> {
  const id = newId(platform.clock.now());
  const begun = await begin(platform, { id, rail, what }, write);
  if ('stays' in begun) return begun;
  try {
    if (begun.facts.length > 0 && !(await putDown(platform, begun.facts))) return { stays: 'elsewhere' };
    return { sent: await send(begun.value) };
  } finally {
    await deleteDeparture(platform.database.pool, id);
  }
}

async function begin<T>(
  platform: Platform,
  departure: { id: string; rail: string; what: string },
  write: (tx: pg.ClientBase) => Promise<Leaving<T> | null>,
): Promise<Leaving<T> | { stays: Stay }> {
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
  platform: Platform,
  tx: pg.ClientBase,
  departure: { id: string; rail: string; what: string },
  write: (tx: pg.ClientBase) => Promise<Leaving<T> | null>,
): Promise<Leaving<T> | { stays: Stay } | 'uncompared'> {
  const fence = await takeFence(tx, platform.config);
  if (fence.memory === null) return { stays: 'elsewhere' };
  const { memory } = fence;
  if (isUncompared(fence)) return 'uncompared';
  const standing = await shareStanding(tx, departure.rail);
  if (standing.status === 'off') return { stays: 'off' };
  const leaving = await write(tx);
  if (leaving === null) return { stays: 'nothing' };
  const ofSwitch = switchFact(departure.rail, standing);
  const known = memory.get(ofSwitch.name)?.number ?? 0n;
  if (known > ofSwitch.number) throw new Restored();
  if (leaving.facts.some(({ name, number }) => (memory.get(name)?.number ?? -1n) >= number)) throw new Restored();
  await insertDeparture(tx, departure);
  return { value: leaving.value, facts: [...(known < ofSwitch.number ? [ofSwitch] : []), ...leaving.facts] };
}

/** False where the memory is in another process now. */
async function putDown({ database, config }: Platform, facts: readonly Remembered[]): Promise<boolean> {
  return inTransaction(database.pool, async (tx) => {
    const { memory } = await takeFence(tx, config);
    if (memory === null) return false;
    await memory.put(facts);
    return true;
  });
}
