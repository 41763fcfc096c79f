// Which statements of Prisma are prepared under a name. A connection keeps what was prepared until it ends, and Prisma makes a new text
// for each length of a list and each selection of columns, so only frequent texts get a name, and only so many.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Texts whose uses are counted. */
const countedTexts = 1_000;
/** Longer texts, of long lists, are planned anew each time and not kept here. */
const longestText = 16_384;
/** A text is frequent from this use on. */
const frequentFrom = 5;
/** Names that are given out in the life of a connection: a connection has twice as many at most, when it lived in two generations. */
const mostNames = 500;
/** Connections end after this time, and names may be given to other texts. */
export const connectionSeconds = 1_800;

export class StatementNames {
  readonly #uses = new LRUCache<string, number>({ max: countedTexts });
  readonly #names = new Map<string, string>();
  readonly #now: () => number;
  #begunAt: number;

  /** `now` gives milliseconds of a clock that only goes forward. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#begunAt = now();
  }

  /** The name under which a text is prepared, the same in every connection; undefined when it is to be planned anew each time. */
  nameOf(text: string): string | undefined {
    if (text.length > longestText) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    this.#uses.set(text, uses);
    if (uses < frequentFrom || !this.#hasRoom()) return undefined;
    const name = createHash('sha1').update(text).digest('base64url');
    this.#names.set(text, name);
    this.#uses.delete(text);
    return name;
  }

  #hasRoom(): boolean {
    if (this.#names.size < mostNames) return true;
    if (this.#now() - this.#begunAt < connectionSeconds * 1_000) return false;
    this.#begunAt = this.#now();
    this.#names.clear();
    return true;
  }
}
