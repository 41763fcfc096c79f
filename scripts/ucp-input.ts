// Prints what the tools of UCP take, by version: the published schema of each operation's body, resolved for that operation as its request
// marks say, with all that it refers to inside it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { operations, type UcpOperation } from '../src/contexts/ucp/operation.js';
import { versions } from '../src/contexts/ucp/version.js';

type Schema = Record<string, unknown>;

/** Where the published schemas of a version stand. */
const folders: Readonly<Record<string, string>> = { '2026-08-25': 'ucp-2026-08-25', '2026-04-08': 'ucp' };
const root = new URL('../test/vectors/', import.meta.url);

/** Extensions that add members to the bodies of others. */
const extensions = ['shopping/fulfillment.json', 'shopping/ap2_mandate.json', 'shopping/cart.json'];

/** What says nothing of what may be sent. */
const unread = new Set(['$schema', '$id', 'name', 'examples', 'title', 'default', 'deprecated', 'x-deprecated']);
const isMark = (name: string): boolean => name.startsWith('ucp_');

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

type Mark = 'omit' | 'required' | 'optional' | undefined;

/** A schema that is being resolved, with what it refers to. */
class Resolution {
  readonly defs: Record<string, unknown> = {};
  readonly #folder: URL;
  readonly #as: string | undefined;
  readonly #files = new Map<string, Schema>();

  constructor(version: string, as: string | undefined) {
    this.#folder = new URL(`${folders[version]}/schemas/`, root);
    this.#as = as;
  }

  /** True where the version has the file: not each has each extension. */
  has(name: string): boolean {
    return existsSync(new URL(name, this.#folder));
  }

  file(name: string): Schema {
    const known = this.#files.get(name) ?? (JSON.parse(readFileSync(new URL(name, this.#folder), 'utf8')) as Schema);
    this.#files.set(name, known);
    return known;
  }

  /** What stands at `#/...` of a file. */
  at(name: string, pointer: string): unknown {
    return pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => (value as Schema)[step], this.file(name));
  }

  /** What a member of a request is: left out, required, or as its schema says. */
  #markOf(member: unknown): Mark {
    const mark = isObject(member) ? member['ucp_request'] : undefined;
    return (isObject(mark) ? mark[this.#as ?? ''] : mark) as Mark;
  }

  resolve(value: unknown, file: string): unknown {
    if (Array.isArray(value)) return value.map((one) => this.resolve(one, file));
    if (!isObject(value)) return value;
    const { properties, required = [], $ref, ...rest } = value;
    const made: Schema = {};
    for (const [name, member] of Object.entries(rest)) {
      if (isMark(name) || unread.has(name) || name === '$defs') continue;
      made[name] = name === 'enum' || name === 'const' ? member : this.resolve(member, file);
    }
    if (typeof $ref === 'string') made['$ref'] = this.#define($ref, file);
    if (!isObject(properties)) return Array.isArray(required) && required.length > 0 ? { ...made, required } : made;
    const taken = Object.entries(properties).filter(([, member]) => this.#markOf(member) !== 'omit');
    const needed = taken.filter(([name, member]) => {
      const mark = this.#markOf(member);
      return mark === 'required' || (mark === undefined && (required as string[]).includes(name));
    });
    return {
      ...made,
      properties: Object.fromEntries(taken.map(([name, member]) => [name, this.resolve(member, file)])),
      ...(needed.length > 0 && { required: needed.map(([name]) => name) }),
    };
  }

  #define(reference: string, from: string): string {
    const [target = '', pointer = ''] = reference.split('#');
    const file = target === '' ? from : path.posix.join(path.posix.dirname(from), target);
    const key = `${path.posix.basename(file, '.json')}${pointer
      .split('/')
      .slice(2)
      .map((step) => `.${step}`)
      .join('')}`;
    if (this.defs[key] === undefined) {
      // A type may contain itself: its name is taken before it is looked at.
      this.defs[key] = {};
      this.defs[key] = this.resolve(this.at(file, pointer), file);
    }
    return `#/$defs/${key}`;
  }
}

/** The members that extensions add to what a file describes: all optional, for both sides have to agree on the extension first. */
function added(resolution: Resolution, file: string): Schema {
  const { name } = resolution.file(file);
  const names = [String(name), path.posix.basename(file, '.json')];
  const members = extensions.flatMap((extension) => {
    if (!resolution.has(extension)) return [];
    const { $defs = {} } = resolution.file(extension) as { $defs?: Record<string, Schema> };
    const parts = names.flatMap((one) => $defs[one]?.['allOf'] ?? []);
    return (parts as Schema[]).flatMap((part) => {
      const made = resolution.resolve({ ...part, $ref: undefined }, extension) as Schema;
      return Object.entries((made['properties'] as Schema | undefined) ?? {});
    });
  });
  return Object.fromEntries(members);
}

const text = { type: 'string' };
const agent = { type: 'object', required: ['profile'], properties: { profile: { ...text, format: 'uri' } } };

function metaOf({ needsKey }: UcpOperation): Schema {
  const required = ['ucp-agent', ...(needsKey ? ['idempotency-key'] : [])];
  return { type: 'object', required, properties: { 'ucp-agent': agent, 'idempotency-key': { ...text, maxLength: 255 } } };
}

/** What the tool of an operation takes in a version. */
function inputOf(operation: UcpOperation, version: string): Schema {
  const { door, body, published } = operation;
  const properties: Schema = { meta: metaOf(operation) };
  if (door.path.includes('/{id}')) properties['id'] = text;
  let defs: Schema = {};
  if (body !== undefined && published !== undefined) {
    const [name = '', pointer = ''] = published.schema.split('#');
    const file = `shopping/${name}`;
    const resolution = new Resolution(version, published.as);
    const made = resolution.resolve(resolution.at(file, pointer), file) as Schema;
    const more = pointer === '' ? added(resolution, file) : {};
    const members = { ...(made['properties'] as Schema | undefined), ...more };
    properties[body] = { ...made, ...(Object.keys(members).length > 0 && { properties: members }) };
    defs = reached(properties[body], resolution.defs);
  }
  return { type: 'object', required: Object.keys(properties), properties, ...(Object.keys(defs).length > 0 && { $defs: defs }) };
}

/** The definitions that a schema leads to. */
function reached(schema: unknown, defs: Schema): Schema {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(defs[name]);
    }
  };
  visit(schema);
  return Object.fromEntries([...found].sort().map((name) => [name, defs[name]]));
}

/** The files of inputs, by their path. */
export function printInputs(): Record<string, string> {
  return Object.fromEntries(
    versions.map(({ name: version }) => {
      const own = operations.filter((operation) => operation.versions.includes(version));
      const rows = own.map((operation) => `"${operation.name}": ${JSON.stringify(inputOf(operation, version))}`);
      return [`src/contexts/ucp/input-${version}.json`, `{\n${rows.join(',\n')}\n}\n`];
    }),
  );
}
