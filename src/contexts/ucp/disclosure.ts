// The disclosures of an SD-JWT (RFC 9901): claims that were signed by their digests alone, put in their places. Read strictly, each of them
// once: one that stood in many places, nested, would grow without bound.
import { sha256 } from '../../platform/crypto.js';

type Json = Record<string, unknown>;

/** Levels of nesting that claims may have. */
const deepest = 16;
/** Names that no disclosed claim has: they are the format's own. */
const reserved: ReadonlySet<string> = new Set(['_sd', '...']);

class Malformed extends Error {}

/**
 * The claims of an SD-JWT with all that was disclosed. Null where a digest or a disclosure is there twice, where nothing names a
 * disclosure, where it is none, and for another hash than SHA-256.
 */
export function disclosedClaims(payload: Json, disclosures: readonly string[]): Json | null {
  const { _sd_alg: hashName = 'sha-256', ...claims } = payload;
  if (hashName !== 'sha-256') return null;
  try {
    const places = new Places(disclosures);
    const filled = places.fill(claims, 0) as Json;
    return places.areAllTaken ? filled : null;
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** The disclosures that have not found their place yet. */
class Places {
  readonly #byDigest: Map<string, unknown[]>;
  readonly #seen = new Set<string>();

  constructor(disclosures: readonly string[]) {
    this.#byDigest = new Map(disclosures.map((text) => [sha256(text).toString('base64url'), parseDisclosure(text)]));
    if (this.#byDigest.size !== disclosures.length) throw new Malformed();
  }

  get areAllTaken(): boolean {
    return this.#byDigest.size === 0;
  }

  fill(value: unknown, depth: number): unknown {
    if (depth > deepest) throw new Malformed();
    if (Array.isArray(value)) return value.flatMap((element) => this.#fillElement(element, depth + 1));
    if (!isObject(value)) return value;
    const { _sd: digests = [], ...open } = value;
    if (!Array.isArray(digests)) throw new Malformed();
    const members = Object.entries(open).map(([name, member]) => [name, this.fill(member, depth + 1)] as const);
    const found = digests.flatMap((digest) => {
      const disclosure = this.#take(digest, 3);
      if (disclosure === undefined) return [];
      const [, name, member] = disclosure;
      if (typeof name !== 'string' || reserved.has(name)) throw new Malformed();
      return [[name, this.fill(member, depth + 1)] as const];
    });
    const all = [...members, ...found];
    if (new Set(all.map(([name]) => name)).size !== all.length) throw new Malformed();
    return Object.fromEntries(all);
  }

  /** An element that was not disclosed is not there. */
  #fillElement(element: unknown, depth: number): unknown[] {
    const digest = isObject(element) ? element['...'] : undefined;
    if (digest === undefined) return [this.fill(element, depth)];
    const disclosure = this.#take(digest, 2);
    return disclosure === undefined ? [] : [this.fill(disclosure[1], depth)];
  }

  /** The disclosure of a digest, of so many parts; undefined for a claim that stays hidden. */
  #take(digest: unknown, parts: number): unknown[] | undefined {
    if (typeof digest !== 'string' || this.#seen.has(digest)) throw new Malformed();
    this.#seen.add(digest);
    const disclosure = this.#byDigest.get(digest);
    if (disclosure === undefined) return undefined;
    if (disclosure.length !== parts) throw new Malformed();
    this.#byDigest.delete(digest);
    return disclosure;
  }
}

/** `[salt, name, value]`, of an element of an array `[salt, value]`. */
function parseDisclosure(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw new Malformed();
  }
  if (!Array.isArray(value) || typeof value[0] !== 'string') throw new Malformed();
  return value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
