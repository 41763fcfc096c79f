// Where JSON Schemas of callers are held to values: in one thread, which is ended and begun again when a request has used up its time.
// Workspaces take turns, those that were slow lately after the others. A schema that takes too long is 400, unless the machine is so busy that nothing tells which of both it was.
import { Worker } from 'node:worker_threads';
import type { Effect } from './effect.js';
import { Overloaded, ValidationFailed } from './errors.js';
import type { CheckedSchemas, SchemaCheck } from './json-schema.js';
import type { Logger } from './log.js';
import type { ThreadNotice } from './schema-thread.js';

/** Milliseconds that the schemas of one request may take, from when the thread takes up the first of them (see G-331). */
const budgetMs = 1_000;
// Gap G-414: A slow schema is 503 where a known check takes ten times too long as well, else 400.
/** A thread that has just begun takes longer for a known check: the machine is busy. It takes a tenth of that otherwise. */
const busyProbeMs = 250;
// Gap G-415: 16 requests of a workspace and 256 in all wait for their schemas; beyond that 503 `overloaded`.
/** Requests that wait for their turn: of one workspace, and of all. */
const mostOfWorkspace = 16;
const mostWaiting = 256;
/** Of a workspace whose slow work of the last minute took half of a budget or more. Others that used less go before it. */
const mostOfSlow = 2;
const slowMs = 100;
const slowForMs = 60_000;
/** A schema has to fit in here, with what it is compiled to. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

interface Job {
  checks: readonly SchemaCheck[];
  workspaceId: string;
  effect: Effect;
  /** What the thread does for it right now. */
  step: { path: SchemaCheck['path']; work: string };
  resolve: (checked: CheckedSchemas) => void;
  reject: (error: unknown) => void;
}

/** Of a ctx: whose turn it takes, and which request uses up its time. */
interface Asking {
  workspace: { id: string };
  effect: Effect;
}

export interface SchemaCheckerOptions {
  log: Logger;
  busyProbeMs?: number;
  /** Milliseconds that go on evenly. */
  now?: () => number;
}

export class SchemaChecker {
  readonly #log: Logger;
  readonly #busyProbeMs: number;
  readonly #now: () => number;
  /** What waits, by workspace: the first one's turn is next. */
  readonly #waiting = new Map<string, Job[]>();
  #waitingCount = 0;
  /** What took long in the last minute, oldest first: there is room for few of them in a minute of one thread. */
  readonly #slow: { workspaceId: string; at: number; tookMs: number }[] = [];
  /** What requests have used of their time. */
  readonly #usedMs = new WeakMap<Effect, number>();
  #thread: Worker | undefined;
  #isReady = false;
  #running: Job | undefined;
  /** What was ended: the next thread says how busy the machine is. */
  #ended: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ log, busyProbeMs: most = busyProbeMs, now = () => performance.now() }: SchemaCheckerOptions) {
    this.#log = log;
    this.#busyProbeMs = most;
    this.#now = now;
  }

  /**
   * Does the checks in their order, until a value does not fit, and says which schemas can be used. Comes before a transaction, which must not
   * wait for others' schemas.
   * @throws ValidationFailed for what was found
   * @throws Overloaded for a request whose turn would come late, and for one that a busy machine had no time for
   */
  async check({ workspace, effect }: Asking, checks: readonly SchemaCheck[]): Promise<boolean[]> {
    const [first] = checks;
    if (first === undefined) return [];
    const { issues, usable } = await new Promise<CheckedSchemas>((resolve, reject) => {
      this.#enqueue({ checks, workspaceId: workspace.id, effect, step: { path: first.path, work: 'be checked' }, resolve, reject });
    });
    if (issues.length > 0) throw new ValidationFailed(issues);
    return usable;
  }

  /** Ends the thread; what waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#letGo();
    this.#refuseAll();
    await thread?.terminate();
  }

  #enqueue(job: Job): void {
    const own = this.#waiting.get(job.workspaceId) ?? [];
    if (this.#isClosed || own.length >= this.#mostOf(job.workspaceId) || this.#waitingCount >= mostWaiting) {
      job.reject(new Overloaded());
      return;
    }
    own.push(job);
    this.#waiting.set(job.workspaceId, own);
    this.#waitingCount += 1;
    if (this.#thread === undefined) this.#begin();
    this.#next();
  }

  #mostOf(workspaceId: string): number {
    return (this.#slowLately().get(workspaceId) ?? 0) >= budgetMs / 2 ? mostOfSlow : mostOfWorkspace;
  }

  /** The milliseconds that slow work of each workspace took in the last minute. */
  #slowLately(): Map<string, number> {
    const since = this.#now() - slowForMs;
    const stale = this.#slow.findIndex(({ at }) => at > since);
    this.#slow.splice(0, stale === -1 ? this.#slow.length : stale);
    const took = new Map<string, number>();
    for (const { workspaceId, tookMs } of this.#slow) took.set(workspaceId, (took.get(workspaceId) ?? 0) + tookMs);
    return took;
  }

  /** Remembers slow work. What waits of its workspace beyond the most that a slow one may have is refused. */
  #noteTime({ workspaceId }: Job, tookMs: number): void {
    if (tookMs < slowMs) return;
    this.#slow.push({ workspaceId, at: this.#now(), tookMs });
    const beyond = this.#waiting.get(workspaceId)?.splice(this.#mostOf(workspaceId)) ?? [];
    this.#waitingCount -= beyond.length;
    for (const job of beyond) job.reject(new Overloaded());
  }

  /** Takes the next job of the workspace whose turn it is, which goes to the end of the line: first of those that were slow the least. */
  #take(): Job | undefined {
    const slow = this.#slowLately();
    const line = [...this.#waiting].sort(([a], [b]) => (slow.get(a) ?? 0) - (slow.get(b) ?? 0));
    for (const [workspaceId, jobs] of line) {
      const job = jobs.shift();
      this.#waiting.delete(workspaceId);
      if (jobs.length > 0) this.#waiting.set(workspaceId, jobs);
      if (job === undefined) continue;
      this.#waitingCount -= 1;
      // Nobody waits for the answer any more.
      if (!job.effect.isGivenUp) return job;
      job.reject(new Overloaded());
    }
    return undefined;
  }

  #next(): void {
    if (!this.#isReady || this.#running !== undefined) return;
    const job = this.#take();
    if (job === undefined) return;
    const leftMs = budgetMs - (this.#usedMs.get(job.effect) ?? 0);
    this.#running = job;
    this.#thread?.postMessage(job.checks);
    this.#timer = setTimeout(() => setImmediate(() => this.#end(job)), leftMs).unref();
  }

  #begin(): void {
    const isSource = import.meta.url.endsWith('.ts');
    const module = new URL(isSource ? './schema-thread.ts' : './schema-thread.js', import.meta.url);
    const file = isSource ? new URL('./source-thread.mjs', import.meta.url) : module;
    // Of the process it sees neither settings nor flags. It keeps nobody alive.
    const thread = new Worker(file, { workerData: module.href, resourceLimits, env: {}, argv: [], execArgv: [] });
    thread.unref();
    this.#thread = thread;
    thread.on('message', (notice: ThreadNotice) => this.#hear(thread, notice));
    thread.on('error', (error) => this.#crashed(thread, error));
  }

  /** Forgets the thread, which is told nothing more. */
  #letGo(): Worker | undefined {
    const thread = this.#thread;
    clearTimeout(this.#timer);
    this.#thread = undefined;
    this.#isReady = false;
    return thread;
  }

  #hear(thread: Worker, notice: ThreadNotice): void {
    if (thread !== this.#thread) return;
    if (notice.kind === 'ready') {
      this.#isReady = true;
      this.#judge(notice.probeMs);
    } else if (this.#running !== undefined) {
      if (notice.kind === 'step') this.#running.step = notice;
      else this.#checked(this.#running, notice);
    }
    this.#next();
  }

  #checked(job: Job, { checked, tookMs }: Extract<ThreadNotice, { kind: 'checked' }>): void {
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.#noteTime(job, tookMs);
    this.#usedMs.set(job.effect, (this.#usedMs.get(job.effect) ?? 0) + tookMs);
    job.resolve(checked);
  }

  /** The time of the job is over. Called after what the thread has said by now was heard. */
  #end(job: Job): void {
    if (job !== this.#running) return;
    this.#running = undefined;
    this.#ended = job;
    this.#noteTime(job, budgetMs);
    this.#usedMs.set(job.effect, budgetMs);
    void this.#letGo()?.terminate();
    this.#log.info({ workspace: job.workspaceId, step: job.step }, 'schemas took too long and were ended');
    this.#begin();
  }

  /** Says whose fault it was that a job was ended. */
  #judge(probeMs: number): void {
    const job = this.#ended;
    this.#ended = undefined;
    if (job === undefined) return;
    if (probeMs > this.#busyProbeMs) job.reject(new Overloaded());
    else job.resolve(faultOf(job, 'takes too long'));
  }

  /** A schema has used up the memory of the thread, or it cannot be begun at all. */
  #crashed(thread: Worker, error: Error): void {
    if (thread !== this.#thread) return;
    const job = this.#running;
    this.#running = undefined;
    this.#letGo();
    this.#log.warn({ err: error, workspace: job?.workspaceId }, 'the thread of schemas has ended by itself');
    if (job === undefined) {
      this.#refuseAll();
    } else {
      this.#noteTime(job, budgetMs);
      job.resolve(faultOf(job, 'takes too much memory'));
      this.#begin();
    }
  }

  #refuseAll(): void {
    const all = [this.#running, this.#ended, ...[...this.#waiting.values()].flat()];
    this.#running = undefined;
    this.#ended = undefined;
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const job of all) job?.reject(new Overloaded());
  }
}

function faultOf({ step }: Job, fault: string): CheckedSchemas {
  return { issues: [{ path: step.path, message: `${fault} to ${step.work}`, rule: 'schema' }], usable: [] };
}
