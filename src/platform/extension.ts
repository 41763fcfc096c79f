// How a room takes part of rooms above it that it may not import. The lower room declares an extension point; contexts above it extend it
// in their context.ts; the manifest gathers the parts when the process starts, and `platform.extensions` hands them out. Nothing registers
// itself by being imported.

/** A part for one extension point. */
export interface Extension {
  readonly point: ExtensionPoint<never, unknown>;
  readonly part: unknown;
}

/** Where a room asks those above it for parts. `gather` makes of them what the room works with; it throws for too few or too many. */
export class ExtensionPoint<Part, Whole> {
  readonly name: string;
  readonly gather: (parts: readonly Part[]) => Whole;

  constructor(name: string, gather: (parts: readonly Part[]) => Whole) {
    this.name = name;
    this.gather = gather;
  }

  /** A part, for the `extensions` of a context. */
  with(part: Part): Extension {
    return { point: this as never, part };
  }
}

/** An extension point that exactly one context extends. */
export function onePart<Part>(name: string): ExtensionPoint<Part, Part> {
  return new ExtensionPoint<Part, Part>(name, ([part, ...more]) => {
    if (part === undefined) throw new Error(`no context provides ${name}`);
    if (more.length > 0) throw new Error(`${name} is provided twice`);
    return part;
  });
}

/** An extension point that any number of contexts extend, in the order of the manifest. */
export function manyParts<Part>(name: string): ExtensionPoint<Part, readonly Part[]> {
  return new ExtensionPoint<Part, readonly Part[]>(name, (parts) => parts);
}

/** An extension point whose parts are found by a name, which one context uses. */
export function namedParts<Part>(name: string): ExtensionPoint<Readonly<Record<string, Part>>, NamedParts<Part>> {
  return new ExtensionPoint<Readonly<Record<string, Part>>, NamedParts<Part>>(name, (tables) => new NamedParts(name, tables));
}

/** Parts by their names. */
export class NamedParts<Part> {
  readonly #name: string;
  readonly #parts = new Map<string, Part>();

  constructor(name: string, tables: readonly Readonly<Record<string, Part>>[]) {
    this.#name = name;
    for (const [key, part] of tables.flatMap((table) => Object.entries(table))) this.add(key, part);
  }

  /** Adds a part. Throws when there is one of that name. */
  add(key: string, part: Part): void {
    if (this.#parts.has(key)) throw new Error(`${this.#name}: ${key} is provided twice`);
    this.#parts.set(key, part);
  }

  /** The part of a name. Throws for one that no context provides. */
  get(key: string): Part {
    const part = this.#parts.get(key);
    if (part === undefined) throw new Error(`${this.#name}: no context provides ${key}`);
    return part;
  }

  entries(): Iterable<[string, Part]> {
    return this.#parts.entries();
  }

  has(key: string): boolean {
    return this.#parts.has(key);
  }
}

/** What the manifest gathered for every extension point. */
export class Extensions {
  readonly #parts = new Map<ExtensionPoint<never, unknown>, unknown[]>();
  readonly #gathered = new Map<ExtensionPoint<never, unknown>, unknown>();

  constructor(extensions: readonly Extension[]) {
    for (const { point, part } of extensions) this.#parts.set(point, [...(this.#parts.get(point) ?? []), part]);
    for (const point of this.#parts.keys()) this.of(point);
  }

  /** What the parts of a point come to; gathered once. */
  of<Whole>(point: ExtensionPoint<never, Whole>): Whole {
    if (!this.#gathered.has(point)) this.#gathered.set(point, point.gather((this.#parts.get(point) ?? []) as never));
    return this.#gathered.get(point) as Whole;
  }
}
