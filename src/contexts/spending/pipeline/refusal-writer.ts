// Refused spends, written in groups after the answer: nobody waits for it and no request fails with it. Each is counted; decisions that
// would be too many are left out (CONTRACT.md 6).
import type { Clock } from '../../../platform/clock.js';
import type { Ctx, Platform } from '../../../platform/ctx.js';
import { newId } from '../../../platform/schema/id.js';
import { Batch } from '../../../platform/statement-batch.js';
import type { ApprovalRequest } from '../approval/approval-request.js';
import type { ApprovalRequirement } from './decision.js';
import { insertDecisions } from './decision.sql.js';
import { decisionRecord } from './decision-record.js';
import { type DecidingLayer, isDeciding } from './layer.js';
import type { Authority } from './pipeline.js';
import { counterKey } from './posting.js';
import type { Refusal } from './refusal.js';
import { addRefusals, type RefusalCount, refusalBuckets } from './refusal-count.sql.js';

/** A spend that was refused. */
export interface RefusedSpend {
  authority: Authority;
  /** In the order of the layers. */
  refusals: readonly Refusal[];
  requirements: readonly ApprovalRequirement[];
  /** What the counters of limits stood at that would be passed, by counterKey(). */
  used: ReadonlyMap<string, bigint>;
  /** What it is about, where that is there although the spend was refused. */
  subject?: ApprovalRequest['subject'] | undefined;
}

// Gap G-121: Refusals by a layer of the pipeline are stored, 10 a second for each agent and process; 1,000 wait, more are left out.
/** So many refusals of an agent are kept in a second, or of a wallet from which no agent spends. */
const mostPerSecond = 10;
/** So many wait to be written. */
const mostWaiting = 1_000;

interface Noted extends RefusedSpend {
  workspace: Ctx['workspace'];
  at: Date;
}

const writers = new WeakMap<Platform, RefusalWriter>();

/** Keeps a refusal to be stored after the answer. A request that is faulty by itself is no decision. */
export function queueRefusal({ platform, workspace, clock }: Pick<Ctx, 'platform' | 'workspace' | 'clock'>, refused: RefusedSpend): void {
  const [first] = refused.refusals;
  if (refused.authority.facts === null || first === undefined || !isDeciding(first.layer)) return;
  let writer = writers.get(platform);
  if (writer === undefined) {
    writer = new RefusalWriter(platform);
    writers.set(platform, writer);
  }
  writer.add({ ...refused, workspace, at: clock.now() }, first.layer);
}

/** Returns when every refusal that this process has noted is written, or could not be. */
export async function writeRefusals(platform: Platform): Promise<void> {
  await writers.get(platform)?.drain();
}

/** The refusals of one process. */
class RefusalWriter {
  readonly #clock: Clock;
  readonly #batch: Batch<Noted, void>;
  /** What is not written yet, by workspace, layer and bucket. At most one item waits to write all of it. */
  #counts = new Map<string, RefusalCount>();
  readonly #counting: Batch<void, void>;
  /** The second that is counted in, and how many refusals of each spender it has seen. */
  #second = 0;
  readonly #seen = new Map<string, number>();

  constructor({ clock, database, log }: Platform) {
    this.#clock = clock;
    this.#batch = new Batch<Noted, void>(async (group) => {
      // The answers of this turn of the event loop go first.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        await insertDecisions(database.pool, group.map(rowOfRefusal));
      } catch (error) {
        log.warn({ err: error, count: group.length }, 'refused decisions were not written');
      }
      return [];
    });
    this.#counting = new Batch<void, void>(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const counts = [...this.#counts.values()];
      this.#counts = new Map();
      try {
        await addRefusals(database.pool, counts);
      } catch (error) {
        log.warn({ err: error, count: counts.length }, 'counts of refusals were not written');
      }
      return [];
    });
  }

  add(noted: Noted, layer: DecidingLayer): void {
    this.#count(noted, layer);
    if (this.#isTooMany(noted) || this.#batch.length >= mostWaiting) return;
    void this.#batch.add(noted);
  }

  async drain(): Promise<void> {
    await Promise.all([this.#batch.drain(), this.#counting.drain()]);
  }

  #count({ workspace: { id: workspaceId }, at }: Noted, layer: DecidingLayer): void {
    const shortest = Math.min(...refusalBuckets) * 1000;
    const key = `${workspaceId} ${layer} ${Math.floor(at.getTime() / shortest)}`;
    const known = this.#counts.get(key);
    this.#counts.set(key, { workspaceId, layer, at, refusals: (known?.refusals ?? 0) + 1 });
    if (this.#counting.length === 0) void this.#counting.add();
  }

  #isTooMany({ authority: { agentId, facts } }: Noted): boolean {
    const second = Math.floor(this.#clock.now().getTime() / 1000);
    if (second !== this.#second) this.#seen.clear();
    this.#second = second;
    const spender = agentId ?? facts?.payer.walletId ?? facts?.payer.accountId ?? '';
    const seen = (this.#seen.get(spender) ?? 0) + 1;
    this.#seen.set(spender, seen);
    return seen > mostPerSecond;
  }
}

function rowOfRefusal({ workspace, at, authority, refusals, requirements, used, subject }: Noted) {
  const evidence = {
    ruleResults: authority.ruleResults,
    refusals,
    requirements,
    before: (use: Parameters<typeof counterKey>[0]) => used.get(counterKey(use)),
  };
  const links = { subjectType: null, subjectId: null, approvalId: null, transactionId: null, ...subject };
  return decisionRecord({ workspace, clock: { now: () => at } }, authority, newId(at), evidence, links);
}
