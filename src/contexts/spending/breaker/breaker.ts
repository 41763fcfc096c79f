// The runaway breaker of a workspace: which detectors watch its agents, and what follows when one trips (CONTRACT.md 6). None by
// default; the demo tenant has one of each kind, which only record.
import type { Prisma } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import type { BreakerDetectorInput } from './breaker.input.js';
import type { CountDetector, Detector, DetectorKind } from './detector.js';

/** The detectors of the demo tenant: they stop nobody. */
export const demoDetectors: readonly Detector[] = [
  { kind: 'same_payment', action: 'notify', count: 5, seconds: 60 },
  { kind: 'failures', action: 'notify', count: 20, seconds: 60 },
  { kind: 'rate', action: 'notify', factor: 10 },
  { kind: 'ping_pong', action: 'notify', count: 5, seconds: 300 },
];

/** The detectors of the workspace. */
export async function detectors({ db }: { db: Pick<Tx, 'breaker'> }): Promise<readonly Detector[]> {
  const breaker = await db.breaker.findFirst({ select: { detectors: true } });
  return (breaker?.detectors ?? []) as unknown as Detector[];
}

/** Replaces the detectors of the workspace. 400 for two of a kind, and for what a kind lacks or does not take. */
export async function setDetectors(ctx: Ctx, input: readonly BreakerDetectorInput[]): Promise<readonly Detector[]> {
  const issues = input.flatMap((detector, index) => faultsOf(detector, index, input));
  if (issues.length > 0) throw new ValidationFailed(issues);
  const set = input.map(readDetector);
  const { id } = ctx.workspace;
  await transact(
    ctx,
    async (tx) => {
      // Two changes at once follow each other.
      await lockRow(tx.workspace, id);
      await tx.breaker.deleteMany();
      if (set.length === 0) return;
      const row = { detectors: set as unknown as Prisma.InputJsonArray, updatedAt: ctx.clock.now() };
      await tx.breaker.createMany({ data: [row] });
    },
    () => id,
  );
  return set;
}

const membersOf = (kind: DetectorKind) => (kind === 'rate' ? (['factor'] as const) : (['count', 'seconds'] as const));

function faultsOf(detector: BreakerDetectorInput, index: number, all: readonly BreakerDetectorInput[]): FieldIssue[] {
  const { kind } = detector;
  const needed: readonly string[] = membersOf(kind);
  const fault = (name: string, message: string, rule: string): FieldIssue => ({ path: ['detectors', index, name], message, rule });
  const issues = (['count', 'seconds', 'factor'] as const).flatMap((name) => {
    const isGiven = detector[name] != null;
    if (needed.includes(name) === isGiven) return [];
    return isGiven
      ? [fault(name, `is no member of a detector ${kind}, which takes ${needed.join(' and ')}`, 'unknown')]
      : [fault(name, `is required for a detector ${kind}`, 'required')];
  });
  const isSecond = all.findIndex((other) => other.kind === kind) < index;
  return isSecond ? [fault('kind', `is the second detector ${kind}: there is one of a kind`, 'unique'), ...issues] : issues;
}

function readDetector({ kind, action, count, seconds, factor }: BreakerDetectorInput): Detector {
  if (kind === 'rate') return { kind, action, factor: factor ?? 0 };
  return { kind, action, count: count ?? 0, seconds: seconds ?? 0 } satisfies CountDetector;
}
