// JSON as RFC 8785 spells it. A text that is read is compared with its own canonical spelling: so a member that stands twice, a number that is
// written in another way, and a space are found.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** The canonical spelling. Members are in the order of their UTF-16 units. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical((value as JsonObject)[name] as Json)}`).join(',')}}`;
}

/** What a canonical text says; undefined for any other text. */
export function fromCanonical(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return canonical(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined where there is none, or where it is none. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A member that is text. */
export function textIn(value: Json | undefined, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** A member that is a list. */
export function listIn(value: Json | undefined, name: string): readonly Json[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}

/** True for an object that has these members alone, all of them, and of the further ones any. */
export function hasMembers(value: Json | undefined, names: readonly string[], further: readonly string[] = []): value is JsonObject {
  if (!isObject(value)) return false;
  const own = Object.keys(value);
  return names.every((name) => own.includes(name)) && own.every((name) => names.includes(name) || further.includes(name));
}
