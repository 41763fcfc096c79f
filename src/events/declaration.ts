// Where a context declares the events that it emits: `events` is what its context.ts gives to the catalog, and the functions emit them,
// typed by their data.
import type { z } from 'zod';
import type { Ctx } from '../platform/ctx.js';
import type { Tx } from '../platform/postgres/database.js';
import type { Declared } from './catalog.js';
import type { Definition } from './definition.js';
import { type About, type EventRow, eventRow, writeEvents } from './event.js';

type Schemas = Record<string, z.ZodType>;
type Definitions<S extends Schemas> = { readonly [T in keyof S]: Definition<S[T]> };

/** A declaration, and the functions that emit its events. */
export interface Emitter<S extends Schemas> {
  /** What is declared. */
  events: Declared;
  /** An event that the caller writes, with a posting. */
  event<T extends keyof S & string>(
    ctx: Pick<Ctx, 'clock' | 'traceId' | 'trace' | 'span'>,
    type: T,
    data: z.infer<S[T]>,
    about?: About,
  ): EventRow;
  /** Writes an event in the transaction of the change that it reports. */
  emit<T extends keyof S & string>(ctx: Ctx, tx: Tx, type: T, data: z.infer<S[T]>, about?: About): Promise<void>;
}

/** Declares events that a context emits. */
export function declareEvents<const S extends Schemas>(definitions: Definitions<S>): Emitter<S> {
  // publish_outbox() numbers a line in the channel of each agent with a role.
  const rowOf: Emitter<S>['event'] = (ctx, type, data, about) => {
    const row = eventRow(ctx, type, data as object, about);
    return definitions[type].channel === undefined ? { ...row, roles: null } : row;
  };
  return {
    events: definitions as unknown as Declared,
    event: rowOf,
    emit: (ctx, tx, type, data, about) => writeEvents(tx, ctx.workspace.id, [rowOf(ctx, type, data, about)]),
  };
}
