// Rotating keys: master keys, which wrap data keys, and data keys, which seal and sign (CONTRACT.md 24).
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachCell } from '../cell/every-cell.js';
import type { Platform } from '../ctx.js';
import { inTransaction } from '../postgres/database.js';
import { olderProcesses } from '../postgres/older-process.js';
import { masterKeysOf, openRing, unwrap, wrap } from './key-ring.js';
import {
  type DataKeyRow,
  dataKeyRows,
  deleteDataKey,
  deleteWraps,
  insertDataKey,
  insertWrap,
  lockDataKeys,
  type ProcessRow,
  processRows,
  turnDataKey,
  withdrawDataKey,
} from './key-row.js';
import { sealedColumns } from './sealed-column.js';
import { countSealed } from './sealed-value.js';
import { firstKey } from './vault.js';

/** A process that was not seen for so many seconds is silent. */
const silentSeconds = 60;
/** Processes of before know no data keys. */
const firstRelease = '0.2.0';
/** So long what an old key has signed may live. */
const signedHours = 24;

const mastersOf = ({ config }: Platform) => masterKeysOf({ secretsKey: config.secretsKey ?? '', secretsKeysOld: config.secretsKeysOld });

const poolOf = ({ cells }: Platform) => cells.directory.database.pool;

/** What is known of the keys. */
export interface SecretsStatus {
  masters: { name: string; inSettings: boolean; wraps: number }[];
  dataKeys: {
    id: number;
    state: string;
    createdAt: Date;
    endedAt: Date | null;
    masters: string[];
    /** By the master keys of the settings. */
    isOpen: boolean;
    /** How many values it has sealed, by `table.column`. */
    sealed: Record<string, number>;
  }[];
  /** Data keys that values name and that are not there. */
  unknownKeys: number[];
  processes: ProcessRow[];
}

/** Master keys, data keys with what they have sealed in all cells, and processes. Reads every table with sealed values. */
export async function secretsStatus(platform: Platform): Promise<SecretsStatus> {
  const masters = mastersOf(platform);
  const rows = await dataKeyRows(poolOf(platform));
  const sealed = await sealedByKey(platform);
  const named = new Set(rows.flatMap(({ wraps }) => Object.keys(wraps)));
  const settings = new Set(masters.map(({ name }) => name));
  return {
    masters: [...new Set([...settings, ...named])].map((name) => ({
      name,
      inSettings: settings.has(name),
      wraps: rows.filter(({ wraps }) => name in wraps).length,
    })),
    dataKeys: rows.map((row) => ({
      id: row.id,
      state: row.state,
      createdAt: row.createdAt,
      endedAt: row.endedAt,
      masters: Object.keys(row.wraps).sort(),
      isOpen: unwrap(masters, row) !== undefined,
      sealed: sealed.get(row.id) ?? {},
    })),
    unknownKeys: [...sealed.keys()].filter((key) => !rows.some(({ id }) => id === key)),
    processes: await processRows(poolOf(platform)),
  };
}

/** How many values each data key has sealed, by `table.column`. A value of before counts for the first key. */
async function sealedByKey(platform: Platform): Promise<Map<number, Record<string, number>>> {
  const found = new Map<number, Record<string, number>>();
  const cells = await forEachCell(platform, async ({ database, extensions }) => {
    const columns = extensions.of(sealedColumns);
    return Promise.all(columns.map(async (column) => ({ column, counts: await countSealed(database.pool, column) })));
  });
  for (const { cell, result, failure } of cells) {
    if (result === undefined) throw new Error(`the cell ${cell} did not answer: ${failure}`);
    for (const { column, counts } of result) {
      for (const { key, count } of counts) {
        const own = found.get(key ?? firstKey) ?? {};
        const name = `${column.table}.${column.column}`;
        found.set(key ?? firstKey, { ...own, [name]: (own[name] ?? 0) + count });
      }
    }
  }
  return found;
}

/** Wraps every data key under the newest master key too. Answers its name. Throws for a data key that no master key of the settings opens. */
export async function rotateMaster(platform: Platform): Promise<string> {
  const masters = mastersOf(platform);
  const [newest] = masters;
  await inTransaction(poolOf(platform), async (tx) => {
    await lockDataKeys(tx);
    for (const row of await dataKeyRows(tx)) {
      const key = unwrap(masters, row);
      if (key === undefined)
        throw new Error(`the data key ${row.id} is wrapped under ${Object.keys(row.wraps).join(', ')}: put that key into SECRETS_KEYS_OLD`);
      await insertWrap(tx, { id: row.id, master: newest.name, wrapped: wrap(newest, row.id, key) });
    }
  });
  return newest.name;
}

/**
 * Makes a new data key. It seals once every process that was seen of late knows it. Throws, and takes the key back, where one does not learn of
 * it within a minute.
 */
export async function rotateData(platform: Platform, tell: (text: string) => void): Promise<number> {
  const masters = mastersOf(platform);
  const pool = poolOf(platform);
  const [before] = await olderProcesses(pool, pool, firstRelease);
  if (before !== undefined) throw new Error(`${before} cannot open what a data key seals: end what is older than ${firstRelease} first`);
  const id = await inTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const rows = await dataKeyRows(tx);
    const pending = rows.find(({ state }) => state === 'new');
    if (pending !== undefined) return pending.id;
    const current = rows.find(({ state }) => state === 'current');
    const wrapping = masters.filter(({ name }) => current !== undefined && name in current.wraps);
    if (wrapping.length === 0) throw new Error('none of the master keys of the settings wraps the data key that seals now');
    const next = Math.max(...rows.map((row) => row.id)) + 1;
    const key = randomBytes(32);
    await insertDataKey(tx, { id: next, state: 'new' });
    for (const master of wrapping) await insertWrap(tx, { id: next, master: master.name, wrapped: wrap(master, next, key) });
    return next;
  });
  await known(platform, id, tell);
  await inTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    if (await turnDataKey(tx, id)) return;
    const isTurned = (await dataKeyRows(tx)).some((row) => row.id === id);
    if (!isTurned) throw new Error(`another command has taken the data key ${id} back: run this one again`);
  });
  await openRing(pool, platform.vault, { secretsKey: platform.config.secretsKey ?? '', secretsKeysOld: platform.config.secretsKeysOld });
  return id;
}

/** Waits until every process that was seen of late knows a data key. */
async function known(platform: Platform, id: number, tell: (text: string) => void): Promise<void> {
  for (let left = silentSeconds; ; left -= 1) {
    const living = (await processRows(poolOf(platform))).filter(({ unseen }) => unseen < silentSeconds);
    const behind = living.filter(({ keyIds }) => !keyIds.includes(String(id)));
    if (behind.length === 0) return;
    if (left === 0) {
      await inTransaction(poolOf(platform), async (tx) => {
        await lockDataKeys(tx);
        await withdrawDataKey(tx, id);
      });
      throw new Error(`${behind.map(nameOf).join(', ')} did not learn of the new key within ${silentSeconds} s: nothing was changed`);
    }
    tell(`waiting for ${behind.length} of ${living.length} processes to know the key`);
    await pause(1_000);
  }
}

const nameOf = ({ id, role, unseen }: ProcessRow): string => `the process ${id} (${role}, seen ${unseen} s ago)`;

/** Takes a key away. `force`: though silent processes may come back that know no other, and what it has signed may still live. */
export async function retire(platform: Platform, key: string, force: boolean): Promise<string> {
  return /^\d{1,7}$/.test(key) ? retireData(platform, Number(key), force) : retireMaster(platform, key, force);
}

async function retireMaster(platform: Platform, name: string, force: boolean): Promise<string> {
  await inTransaction(poolOf(platform), async (tx) => {
    await lockDataKeys(tx);
    const rows = await dataKeyRows(tx);
    const wrapped = rows.filter(({ wraps }) => name in wraps);
    if (wrapped.length === 0) throw new Error(`${name} wraps no data key: secrets status lists those that do`);
    const alone = wrapped.find(({ wraps }) => Object.keys(wraps).length === 1);
    if (alone !== undefined) throw new Error(`${name} is the only master key of the data key ${alone.id}: run secrets rotate first`);
    const others = new Set(rows.flatMap(({ wraps }) => Object.keys(wraps)).filter((other) => other !== name));
    const isLost = ({ keyIds }: ProcessRow) => keyIds.includes(name) && !keyIds.some((id) => others.has(id));
    const lost = (await processRows(tx)).filter(isLost);
    refuseLiving(lost, `knows no other master key than ${name}`, force);
    await deleteWraps(tx, name);
  });
  return `The master key ${name} opens nothing any more.`;
}

async function retireData(platform: Platform, id: number, force: boolean): Promise<string> {
  const sealed = (await sealedByKey(platform)).get(id) ?? {};
  const left = Object.entries(sealed).map(([column, count]) => `${count} in ${column}`);
  if (left.length > 0)
    throw new Error(`the data key ${id} still seals ${left.join(', ')}: workers seal that again, secrets status shows how far`);
  await inTransaction(poolOf(platform), async (tx) => {
    await lockDataKeys(tx);
    const row = (await dataKeyRows(tx)).find((one) => one.id === id);
    if (row === undefined) throw new Error(`there is no data key ${id}`);
    if (row.state !== 'old') throw new Error(`the data key ${id} is ${row.state}: only an old one is retired`);
    if ((row.endedSeconds ?? 0) < silentSeconds)
      throw new Error(`a process may still seal with the data key ${id}, which ended a moment ago: wait for ${silentSeconds} s`);
    if (!force && isYoung(row))
      throw new Error(`what the data key ${id} has signed may live for ${signedHours} h after its end: wait, or give --force`);
    await deleteDataKey(tx, id);
  });
  return `The data key ${id} is gone. What it has signed, callback keys of rails too, counts no more.`;
}

const isYoung = ({ endedSeconds }: DataKeyRow): boolean => endedSeconds !== null && endedSeconds < signedHours * 3_600;

function refuseLiving(processes: readonly ProcessRow[], what: string, force: boolean): void {
  const refusing = force ? processes.filter(({ unseen }) => unseen < silentSeconds) : processes;
  const [first] = refusing;
  if (first === undefined) return;
  const hint = first.unseen < silentSeconds ? 'restart it with the new settings' : 'it may come back: give --force if it does not';
  throw new Error(`${nameOf(first)} ${what}: ${hint}`);
}
