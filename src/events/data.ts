// What the data of events is made of: fields that many types share, and the ids and the time that examples show. Ids carry their prefix.
import { z } from 'zod';

// Gap G-72: Event data has the members of the contract and no others: a strict schema per type checks every emitted event.
/** An id with its prefix. */
export const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
/** An id of any kind, with the prefix of its kind. */
export const anyId = z.string().regex(/^[a-z][a-z0-9_]{0,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const money = z.string().regex(/^-?\d{1,18}(\.\d{1,8})?$/);
export const time = z.iso.datetime();
export const currency = z.string().min(3).max(8);
export const count = z.int().min(0);

export const exampleUuid = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
export const exampleTime = '2026-03-02T10:00:00.000Z';

/** An id for an example. `other` is the id of a second object of the same kind. */
export function exampleId(prefix: string, other = false): string {
  return `${prefix}_${exampleUuid.slice(0, -1)}${other ? 'e' : 'd'}`;
}
