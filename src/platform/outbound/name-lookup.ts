// The addresses of names that tenants choose. Name servers are asked by sockets, which can be cancelled, and not by the threads of libuv,
// of which two slow names would take all. How many are asked at once is bounded, for each workspace too, and failures are kept for a
// while (decision 0045). Neither /etc/hosts nor search domains count: names of the operator's own go another way.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';

/** A look-up that was begun takes no longer. A lost packet is sent again within it. */
const timeoutMs = 2_000;
const resendMs = 800;
const mostAtOnce = 20;
const mostOfWorkspace = 4;
/** Look-ups that wait for their turn. */
const mostWaiting = 1_000;
const failureMs = 60_000;
const mostFailures = 10_000;

/** Who asks. `signal` is aborted when the answer is of no use any more. */
export interface Asker {
  workspaceId: string;
  signal?: AbortSignal | undefined;
}

export interface NameLookupOptions {
  /** `address:port` of the name servers; those of the machine by default. */
  servers?: readonly string[] | undefined;
  /** Milliseconds. */
  now?: (() => number) | undefined;
}

/** No address was found for a name. */
class NameFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Failure {
  code: string;
  message: string;
  until: number;
}

/** A name that is looked up for all of a workspace who want it now. */
interface Question {
  key: string;
  hostname: string;
  workspaceId: string;
  askers: number;
  isCancelled: boolean;
  /** Set while name servers are asked. */
  resolver?: Resolver;
  answer: Promise<LookupAddress[]>;
  settle: (answer: LookupAddress[] | NameFailure) => void;
}

/** The look-ups of a process. */
export class NameLookups {
  readonly #servers: readonly string[] | undefined;
  readonly #now: () => number;
  readonly #questions = new Map<string, Question>();
  readonly #failures = new LRUCache<string, Failure>({ max: mostFailures });
  #waiting: Question[] = [];
  #running = 0;
  readonly #runningOf = new Map<string, number>();

  constructor({ servers, now = () => performance.now() }: NameLookupOptions = {}) {
    this.#servers = servers;
    this.#now = now;
  }

  /** Every address of a name, IPv4 first. Rejects with a `code` where there is none, or nobody says. */
  async addressesOf(hostname: string, { workspaceId, signal }: Asker): Promise<LookupAddress[]> {
    const key = `${workspaceId} ${hostname}`;
    const failure = this.#failures.get(key);
    if (failure !== undefined && failure.until > this.#now()) throw new NameFailure(failure.code, failure.message);
    if (signal?.aborted) throw givenUp(hostname);
    const question = this.#questions.get(key) ?? this.#ask(key, hostname, workspaceId);
    question.askers += 1;
    return withSignal(question.answer, signal, () => {
      question.askers -= 1;
      if (question.askers === 0) this.#cancel(question);
      return givenUp(hostname);
    });
  }

  /** Cancels every look-up. */
  close(): void {
    for (const question of [...this.#questions.values()]) this.#cancel(question);
  }

  #ask(key: string, hostname: string, workspaceId: string): Question {
    if (this.#waiting.length >= mostWaiting) throw new NameFailure('EBUSY', 'too many names are being looked up');
    let settle: Question['settle'] = () => {};
    const answer = new Promise<LookupAddress[]>((resolve, reject) => {
      settle = (found) => (found instanceof Error ? reject(found) : resolve(found));
    });
    answer.catch(() => {});
    const question = { key, hostname, workspaceId, askers: 0, isCancelled: false, answer, settle };
    this.#questions.set(key, question);
    this.#waiting.push(question);
    this.#begin();
    return question;
  }

  /** Nobody wants the answer any more. */
  #cancel(question: Question): void {
    question.isCancelled = true;
    this.#questions.delete(question.key);
    this.#waiting = this.#waiting.filter((other) => other !== question);
    question.resolver?.cancel();
    question.settle(givenUp(question.hostname));
  }

  /** Begins what there is room for: the workspace with the fewest under way comes first. */
  #begin(): void {
    while (this.#running < mostAtOnce) {
      let next: Question | undefined;
      for (const question of this.#waiting) {
        if (this.#countOf(question) < Math.min(mostOfWorkspace, next === undefined ? Infinity : this.#countOf(next))) next = question;
      }
      if (next === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      void this.#run(next);
    }
  }

  #countOf({ workspaceId }: Question): number {
    return this.#runningOf.get(workspaceId) ?? 0;
  }

  #count(question: Question, change: 1 | -1): void {
    this.#running += change;
    const count = this.#countOf(question) + change;
    if (count === 0) this.#runningOf.delete(question.workspaceId);
    else this.#runningOf.set(question.workspaceId, count);
  }

  async #run(question: Question): Promise<void> {
    this.#count(question, 1);
    const found = await this.#resolve(question);
    this.#count(question, -1);
    if (!question.isCancelled) {
      this.#questions.delete(question.key);
      if (found instanceof NameFailure) {
        const { code, message } = found;
        this.#failures.set(question.key, { code, message, until: this.#now() + failureMs });
      }
      question.settle(found);
    }
    this.#begin();
  }

  /** Asks for addresses of both kinds, and takes what has come when the time is over. */
  async #resolve(question: Question): Promise<LookupAddress[] | NameFailure> {
    const { hostname } = question;
    const resolver = new Resolver({ timeout: resendMs, tries: 2 });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    question.resolver = resolver;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolver.cancel();
    }, timeoutMs);
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    clearTimeout(timer);
    const found = [...familyOf(four, 4), ...familyOf(six, 6)];
    if (found.length > 0) return found;
    return failureOf(
      hostname,
      isLate,
      [four, six].flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : [])),
    );
  }
}

function familyOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'EUNKNOWN';

/** Codes that say that there is nothing, and not that nobody knows. */
const absent: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

function failureOf(hostname: string, isLate: boolean, codes: readonly string[]): NameFailure {
  if (isLate) return new NameFailure('ETIMEOUT', `the name servers of ${hostname} gave no answer within ${timeoutMs / 1_000} s`);
  const code = codes.find((each) => !absent.has(each)) ?? 'ENOTFOUND';
  if (code === 'ENOTFOUND') return new NameFailure(code, `${hostname} has no address`);
  if (code === 'ECONNREFUSED') return new NameFailure(code, `there is no name server to ask for ${hostname}`);
  return new NameFailure(code, `the address of ${hostname} could not be found`);
}

function givenUp(hostname: string): NameFailure {
  return new NameFailure('ECANCELLED', `${hostname} was not looked up in time`);
}

/** The promise, or a rejection with what `abort` gives as soon as the signal is aborted. */
function withSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined, abort: () => Error): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(abort());
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
