// The data keys of an installation (CONTRACT.md 24). They are rows of the directory, each wrapped under one or more master keys: SECRETS_KEY,
// and those of SECRETS_KEYS_OLD. So a master key is changed without a look at what is sealed.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { sha256 } from '../crypto.js';
import { inTransaction } from '../postgres/database.js';
import { type DataKeyRow, dataKeyRows, insertDataKey, insertWrap, lockDataKeys, someSealed } from './key-row.js';
import { decryptBytes, encrypt, firstKey, type KeyRing, Vault } from './vault.js';

/** Settings that hold master keys. */
export interface MasterKeys {
  secretsKey: string;
  secretsKeysOld: readonly string[];
}

/** A master key, with the name that people and tables know it by. */
export interface MasterKey {
  name: string;
  key: Buffer;
}

/** The name of a master key: 8 hexadecimal digits of its hash. */
export function masterKey(hex: string): MasterKey {
  const key = Buffer.from(hex, 'hex');
  return {
    name: sha256(Buffer.concat([Buffer.from('agent-payments master key'), key]))
      .toString('hex')
      .slice(0, 8),
    key,
  };
}

/** The master keys of the settings, the one that wraps first. */
export function masterKeysOf({ secretsKey, secretsKeysOld }: MasterKeys): [MasterKey, ...MasterKey[]] {
  return [masterKey(secretsKey), ...secretsKeysOld.map(masterKey)];
}

/** The key that names are made by stands beside those that seal. */
export const indexKey = 0;

const aboutKey = (id: number): Buffer => Buffer.from(`data key ${id}`);

/** A data key under a master key. */
export function wrap(master: MasterKey, id: number, key: Buffer): Buffer {
  return encrypt(master.key, key, aboutKey(id));
}

/** A data key, by whichever of the master keys has wrapped it; undefined where none has. */
export function unwrap(masters: readonly MasterKey[], { id, wraps }: DataKeyRow): Buffer | undefined {
  for (const { name, key } of masters) {
    const wrapped = wraps[name];
    if (wrapped === undefined) continue;
    try {
      return decryptBytes(key, Buffer.from(wrapped, 'hex'), aboutKey(id));
    } catch {}
  }
  return undefined;
}

/** What a process knows of the data keys. */
export function ringOf(masters: readonly MasterKey[], rows: readonly DataKeyRow[]): KeyRing {
  const opened = rows.map((row) => ({ ...row, key: unwrap(masters, row) }));
  const keys = new Map(opened.flatMap(({ id, key }) => (id === indexKey || key === undefined ? [] : [[id, key] as const])));
  const current = opened.find(({ state }) => state === 'current')?.id ?? firstKey;
  const isMaster = masters.some(({ key }) => keys.get(current)?.equals(key));
  return { keys, current, index: opened.find(({ id }) => id === indexKey)?.key, isOfBefore: current === firstKey && isMaster };
}

/**
 * Gives the vault the keys of the installation; the first start makes them. Without tables, and where the master key is not the one that has
 * sealed what is there, it keeps the one that it has: the check of SECRETS_KEY at the start says so.
 */
export async function openRing(pool: pg.Pool, vault: Vault, settings: MasterKeys): Promise<void> {
  const masters = masterKeysOf(settings);
  const rows = await readRing(pool);
  if (rows === null) return;
  const known = rows.length > 0 ? rows : await inTransaction(pool, (tx) => firstKeys(tx, masters));
  if (known.length > 0) vault.use(ringOf(masters, known));
}

/** The data keys of the directory; null where its tables are older. */
export async function readRing(pool: pg.Pool): Promise<DataKeyRow[] | null> {
  try {
    return await dataKeyRows(pool);
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return null;
    throw error;
  }
}

/** The first data keys. Where something is sealed already, they are the key that has sealed it. */
async function firstKeys(tx: pg.ClientBase, masters: readonly [MasterKey, ...MasterKey[]]): Promise<DataKeyRow[]> {
  await lockDataKeys(tx);
  const present = await dataKeyRows(tx);
  if (present.length > 0) return present;
  const sealed = await someSealed(tx);
  const before = sealed && masters.find(({ key }) => opens(key, sealed));
  if (sealed !== undefined && before === undefined) return [];
  for (const id of [indexKey, firstKey]) {
    await insertDataKey(tx, { id, state: id === indexKey ? 'index' : 'current' });
    await insertWrap(tx, { id, master: masters[0].name, wrapped: wrap(masters[0], id, before?.key ?? randomBytes(32)) });
  }
  return dataKeyRows(tx);
}

function opens(key: Buffer, { id, sealed }: { id: string; sealed: Buffer }): boolean {
  try {
    return new Vault(key.toString('hex')).open(sealed, id) !== '';
  } catch {
    return false;
  }
}
