// The catalog of event types: those that contexts declare, and those that are announced and that no context emits yet. It answers
// GET /v1/webhooks/events and says which types exist. The manifest gathers it from the declarations.
import type { Platform } from '../platform/ctx.js';
import { ValidationFailed } from '../platform/errors.js';
import { ExtensionPoint } from '../platform/extension.js';
import { announced } from './announced.js';
import { type Definition, isInternal } from './definition.js';

/** A type as the catalog shows it. */
export interface CatalogEntry extends Definition {
  type: string;
  /** First word of the type: `transfer.*` names all that share it. */
  family: string;
  // Gap G-75: The catalog shows family, description, schema, example and `emitted` (whether this version emits the type).
  /** Whether this version emits it. */
  emitted: boolean;
}

/** Types as a context declares them, by their names. */
export type Declared = Readonly<Record<string, Definition>>;

/** Every type by its name. */
export class EventCatalog {
  readonly #entries = new Map<string, CatalogEntry>();

  /** Throws for a type that two declare: it has one owner. */
  constructor(declared: readonly Declared[]) {
    this.#add(announced, false);
    for (const each of declared) this.#add(each, true);
  }

  #add(definitions: Declared, emitted: boolean): void {
    for (const [type, definition] of Object.entries(definitions)) {
      if (this.#entries.has(type)) throw new Error(`the event ${type} is declared twice`);
      this.#entries.set(type, { ...definition, type, family: type.split('.', 1)[0] as string, emitted });
    }
  }

  get(type: string): CatalogEntry | undefined {
    return this.#entries.get(type);
  }

  /** Every entry, the platform's own types too. */
  entries(): CatalogEntry[] {
    return [...this.#entries.values()];
  }

  /** Every type that a webhook can be sent, in order of its name. */
  types(): CatalogEntry[] {
    return this.entries()
      .filter(({ type }) => !isInternal(type))
      .sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  /** The entry of a type. 400 at the member `field` of the input for a type that does not exist. */
  type(type: string, field: string): CatalogEntry {
    const entry = this.#entries.get(type);
    if (entry === undefined || isInternal(type)) throw new ValidationFailed([unknownType(type, [field])]);
    return entry;
  }

  /** True for a pattern that names at least one type. */
  hasNamed(pattern: string): boolean {
    if (pattern === '*') return true;
    if (isInternal(pattern)) return false;
    if (!pattern.endsWith('.*')) return this.#entries.has(pattern);
    return [...this.#entries.keys()].some((type) => type.startsWith(pattern.slice(0, -1)));
  }

  /** 400 with an issue for each of `patterns` that names no type. `pathOf` says where in the input a pattern is, by its index. */
  checkPatterns(patterns: readonly string[], pathOf: (index: number) => readonly (string | number)[]): void {
    const issues = patterns.flatMap((pattern, index) => (this.hasNamed(pattern) ? [] : [unknownType(pattern, pathOf(index))]));
    if (issues.length > 0) throw new ValidationFailed(issues);
  }
}

export const eventCatalog = new ExtensionPoint<Declared, EventCatalog>('event types', (declared) => new EventCatalog(declared));

/** The catalog of the process. */
export function catalogOf({ platform }: { platform: Pick<Platform, 'extensions'> }): EventCatalog {
  return platform.extensions.of(eventCatalog);
}

/** The issue of a type or pattern that names nothing. */
function unknownType(text: string, path: readonly (string | number)[]) {
  return { path, message: `${JSON.stringify(text)} is not an event type: see GET /v1/webhooks/events`, rule: 'event_type' };
}
