// The catalog of event types: those that contexts declare, and those that are announced and that no context emits yet. It answers
// GET /v1/webhooks/events and says which types exist.
import { ValidationFailed } from '../platform/errors.js';
import { announced } from './announced.js';
import { type Definition, isInternal } from './definition.js';

/** A type as the catalog shows it. */
export interface CatalogEntry extends Definition {
  type: string;
  /** First word of the type: `transfer.*` names all that share it. */
  family: string;
  /** Whether this version emits it (Gap G-75). */
  emitted: boolean;
}

const entries = new Map<string, CatalogEntry>();

/** Every type by its name. Complete once the contexts are loaded, as they are before a process serves anything. */
export const catalog: ReadonlyMap<string, CatalogEntry> = entries;

/** Adds types to the catalog. Throws for a type that is there already: it has one owner. */
export function addToCatalog(definitions: Readonly<Record<string, Definition>>, emitted: boolean): void {
  for (const [type, definition] of Object.entries(definitions)) {
    if (entries.has(type)) throw new Error(`the event ${type} is declared twice`);
    entries.set(type, { ...definition, type, family: type.split('.', 1)[0] as string, emitted });
  }
}

addToCatalog(announced, false);

/** Every type that a webhook can be sent, in order of its name. */
export function eventTypes(): CatalogEntry[] {
  return [...entries.values()].filter(({ type }) => !isInternal(type)).sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** The entry of a type. 400 at the member `field` of the input for a type that does not exist. */
export function eventType(type: string, field: string): CatalogEntry {
  const entry = entries.get(type);
  if (entry === undefined || isInternal(type)) throw new ValidationFailed([unknownType(type, [field])]);
  return entry;
}

/** The issue of a type or pattern that names nothing. */
export function unknownType(text: string, path: readonly (string | number)[]) {
  return { path, message: `${JSON.stringify(text)} names no event type: see GET /v1/webhooks/events`, rule: 'event_type' };
}
