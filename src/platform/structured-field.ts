// Dictionaries of structured fields (RFC 9651), read strictly: header fields of protocols such as UCP-Agent, Signature-Input and
// Content-Digest. Dates and display strings are refused. The package structured-headers (2.1) does not do: it prints 1.0 as 1, which the
// published tests refuse and which would change what was signed, takes the last of two equal keys, and forgets how a member was written.

export type BareItem =
  | { type: 'string' | 'token'; value: string }
  | { type: 'integer' | 'decimal'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'bytes'; value: Buffer };

export type Parameters = ReadonlyMap<string, BareItem>;

export interface Item {
  kind: 'item';
  value: BareItem;
  parameters: Parameters;
}

export interface InnerList {
  kind: 'list';
  items: readonly Item[];
  parameters: Parameters;
}

/** A member of a dictionary, with the characters that it was written in: a signature is made of those. */
export type Member = (Item | InnerList) & { text: string };

/**
 * The members by their keys, in the order of the field; null for anything else. A key that is there twice is refused, although RFC 9651
 * takes its last value: two readers of a signed field must not read different things.
 */
export function parseDictionary(text: string): ReadonlyMap<string, Member> | null {
  try {
    return readDictionary(new Cursor(text));
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

class Malformed extends Error {}

/** A place in the text of a field. */
class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Moves over what matches here; undefined when nothing does. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Moves over what must match here. */
  need(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === undefined) throw new Malformed();
    return found;
  }
}

const spaces = / */y;
const blanks = /[ \t]*/y;
const keyName = /[a-z*][a-z0-9_\-.*]*/y;
const numeral = /-?\d+(\.\d+)?/y;
const quoted = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const token = /[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y;
const base64 = /:[A-Za-z0-9+/=]*:/y;
const flag = /\?[01]/y;

function readDictionary(cursor: Cursor): Map<string, Member> {
  const members = new Map<string, Member>();
  cursor.take(spaces);
  while (!cursor.isAtEnd) {
    const key = cursor.need(keyName);
    const hasValue = cursor.take(/=/y) !== undefined;
    const begin = cursor.at;
    const member = hasValue ? readMember(cursor) : bareKey(cursor);
    if (members.has(key)) throw new Malformed();
    members.set(key, { ...member, text: cursor.text.slice(begin, cursor.at) });
    cursor.take(blanks);
    if (cursor.isAtEnd) break;
    cursor.need(/,/y);
    cursor.take(blanks);
    if (cursor.isAtEnd) throw new Malformed();
  }
  return members;
}

/** A key alone means true. */
function bareKey(cursor: Cursor): Item {
  return { kind: 'item', value: { type: 'boolean', value: true }, parameters: readParameters(cursor) };
}

function readMember(cursor: Cursor): Item | InnerList {
  return cursor.text[cursor.at] === '(' ? readInnerList(cursor) : readItem(cursor);
}

function readInnerList(cursor: Cursor): InnerList {
  cursor.need(/\(/y);
  const items: Item[] = [];
  for (;;) {
    const gap = cursor.need(spaces);
    if (cursor.take(/\)/y) !== undefined) return { kind: 'list', items, parameters: readParameters(cursor) };
    if (items.length > 0 && gap === '') throw new Malformed();
    items.push(readItem(cursor));
  }
}

function readItem(cursor: Cursor): Item {
  return { kind: 'item', value: readBareItem(cursor), parameters: readParameters(cursor) };
}

function readParameters(cursor: Cursor): Parameters {
  const parameters = new Map<string, BareItem>();
  while (cursor.take(/;/y) !== undefined) {
    cursor.take(spaces);
    const key = cursor.need(keyName);
    if (parameters.has(key)) throw new Malformed();
    parameters.set(key, cursor.take(/=/y) === undefined ? { type: 'boolean', value: true } : readBareItem(cursor));
  }
  return parameters;
}

function readBareItem(cursor: Cursor): BareItem {
  const string = cursor.take(quoted);
  if (string !== undefined) return { type: 'string', value: string.slice(1, -1).replace(/\\(["\\])/g, '$1') };
  const word = cursor.take(token);
  if (word !== undefined) return { type: 'token', value: word };
  const bytes = cursor.take(base64);
  if (bytes !== undefined) return { type: 'bytes', value: decode(bytes.slice(1, -1)) };
  const bit = cursor.take(flag);
  if (bit !== undefined) return { type: 'boolean', value: bit === '?1' };
  return readNumber(cursor.need(numeral));
}

/** At most 15 digits, of a decimal at most 12 before the point and 3 behind it. Minus zero is zero. */
function readNumber(text: string): BareItem {
  const [whole = '', fraction] = text.replace('-', '').split('.');
  if (whole.length > (fraction === undefined ? 15 : 12) || (fraction?.length ?? 0) > 3) throw new Malformed();
  return { type: fraction === undefined ? 'integer' : 'decimal', value: Number(text) + 0 };
}

/** Base64 of the standard alphabet. Padding may be missing, as RFC 9651 asks; anything after it may not. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/={0,2}$/, '')) throw new Malformed();
  return bytes;
}

/** A bare item as RFC 9651 writes it. */
export function printBareItem({ type, value }: BareItem): string {
  switch (type) {
    case 'string':
      return `"${value.replace(/["\\]/g, '\\$&')}"`;
    case 'boolean':
      return value ? '?1' : '?0';
    case 'bytes':
      return `:${value.toString('base64')}:`;
    case 'decimal':
      return Number.isInteger(value) ? value.toFixed(1) : String(value);
    default:
      return String(value);
  }
}

/** Parameters as RFC 9651 writes them. */
export function printParameters(parameters: Parameters): string {
  const print = ([key, item]: [string, BareItem]) => (item.value === true ? `;${key}` : `;${key}=${printBareItem(item)}`);
  return [...parameters].map(print).join('');
}

/** A member as RFC 9651 writes it. */
export function printMember(member: Item | InnerList): string {
  if (member.kind === 'item') return printBareItem(member.value) + printParameters(member.parameters);
  return `(${member.items.map(printMember).join(' ')})${printParameters(member.parameters)}`;
}
