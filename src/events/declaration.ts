// Where a context declares the events that it emits. Declaring puts the types into the catalog and gives the functions that emit
// them, typed by their data.
import type { z } from 'zod';
import type { Ctx } from '../platform/ctx.js';
import type { Tx } from '../platform/postgres/database.js';
import { addToCatalog } from './catalog.js';
import type { Definition } from './definition.js';
import { type About, type EventRow, eventRow, writeEvents } from './event.js';

type Schemas = Record<string, z.ZodType>;
type Definitions<S extends Schemas> = { readonly [T in keyof S]: Definition<S[T]> };

/** The functions that emit the events of one declaration. */
export interface Emitter<S extends Schemas> {
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

/** Declares the events that a context emits. Throws when a type is declared elsewhere too. */
export function declareEvents<const S extends Schemas>(definitions: Definitions<S>): Emitter<S> {
  addToCatalog(definitions as unknown as Record<string, Definition>, true);
  return {
    event: (ctx, type, data, about) => eventRow(ctx, type, data as object, about),
    emit: (ctx, tx, type, data, about) => writeEvents(tx, ctx.workspace.id, [eventRow(ctx, type, data as object, about)]),
  };
}
