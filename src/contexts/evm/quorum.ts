// What several URLs say together. Nothing that decides money is believed of one of them: an answer is known when `quorum` URLs gave the
// same one, and where they do not, nobody knows. There is no third case.
import { type RpcAnswer, type RpcCall, RpcFailure, type RpcUrl } from './rpc.js';

/** What somebody said, in words for operators. The host is that of the URL, and no other part of it. */
export interface HostWord {
  host: string;
  said: string;
}

/**
 * Something that a quorum says, or that nobody knows. `rpc_disagreement`: URLs contradict each other. `rpc_unavailable`: too few
 * answered. Both may pass: the same question is asked again later, and nothing is done meanwhile.
 */
export type Known<T> =
  | { state: 'known'; value: T }
  | { state: 'unknown'; reason: 'rpc_disagreement' | 'rpc_unavailable'; said: readonly HostWord[] };

/** What is known. Throws one sentence where nobody knows. */
export function answerOf<T>(known: Known<T>): T {
  if (known.state === 'known') return known.value;
  const said = known.said.map(({ host, said: words }) => `${host}: ${words}`).join('; ');
  const what = known.reason === 'rpc_disagreement' ? 'the nodes disagree' : 'too few nodes answer';
  throw new Error(said === '' ? what : `${what} (${said})`);
}

/** Calls to one URL, and what their answers say. `read` throws for answers that say nothing, which then have no vote. */
export interface Question<T> {
  calls: readonly RpcCall[];
  read(answers: readonly RpcAnswer[]): T;
}

/** Asks URLs, of which `quorum` must agree. A quorum of one believes whoever answers first. */
export class Quorum {
  readonly urls: readonly RpcUrl[];
  readonly size: number;
  readonly #onDisagreement: () => void;

  /** `onDisagreement` is told of every question about which the URLs contradict each other, for a counter. */
  constructor(urls: readonly RpcUrl[], size: number, onDisagreement: () => void = () => {}) {
    if (size < 1 || size > urls.length) throw new RangeError(`a quorum of ${size} needs as many URLs: there are ${urls.length}`);
    this.urls = urls;
    this.size = size;
    this.#onDisagreement = onDisagreement;
  }

  /** Asks as many URLs as must agree, and the others only where those do not. */
  async agree<T>(question: Question<T>): Promise<Known<T>> {
    const ready = this.urls.filter(({ isAside }) => !isAside);
    const votes = await askAll(ready.slice(0, this.size), question);
    const early = this.#count(votes);
    if (early.state === 'known') return early;
    const all = this.#count([...votes, ...(await askAll(ready.slice(this.size), question))]);
    if (all.state === 'unknown' && all.reason === 'rpc_disagreement') this.#onDisagreement();
    return all;
  }

  /** Asks every URL, and gives what each says that says anything. It decides nothing. */
  async hear<T>(question: Question<T>): Promise<{ values: readonly T[]; said: readonly HostWord[] }> {
    const votes = await askAll(
      this.urls.filter(({ isAside }) => !isAside),
      question,
    );
    return { values: votes.flatMap((vote) => ('value' in vote ? [vote.value] : [])), said: wordsOf(votes) };
  }

  /** Nobody knows, because too few have spoken. */
  unavailable(said: readonly HostWord[]): Known<never> {
    return { state: 'unknown', reason: 'rpc_unavailable', said };
  }

  #count<T>(votes: readonly Vote<T>[]): Known<T> {
    const parties = new Map<string, T[]>();
    for (const vote of votes) {
      if (!('value' in vote)) continue;
      const key = textOf(vote.value);
      parties.set(key, [...(parties.get(key) ?? []), vote.value]);
    }
    const [winner, ...others] = [...parties.values()].filter((values) => values.length >= this.size);
    if (winner !== undefined && others.length === 0) return { state: 'known', value: winner[0] as T };
    return { state: 'unknown', reason: parties.size > 1 ? 'rpc_disagreement' : 'rpc_unavailable', said: wordsOf(votes) };
  }
}

type Vote<T> = { host: string; value: T } | { host: string; fault: string };

function askAll<T>(urls: readonly RpcUrl[], { calls, read }: Question<T>): Promise<Vote<T>[]> {
  return Promise.all(
    urls.map(async (url): Promise<Vote<T>> => {
      const { host } = url;
      try {
        return { host, value: read(await url.askAll(calls)) };
      } catch (error) {
        if (error instanceof RpcFailure) return { host, fault: error.kind };
        return { host, fault: error instanceof Error ? error.message : 'failed' };
      }
    }),
  );
}

/** Values that mean the same have the same text: members stand in the order in which they were read. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member)) ?? 'undefined';
}

const longestWord = 200;

function wordsOf<T>(votes: readonly Vote<T>[]): HostWord[] {
  return votes.map((vote) => ({ host: vote.host, said: ('value' in vote ? textOf(vote.value) : vote.fault).slice(0, longestWord) }));
}
