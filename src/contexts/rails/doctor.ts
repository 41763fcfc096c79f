// What is looked at before a rail is switched on, and what of it is looked at every minute while the process works (CONTRACT.md 27 "Doctor").
import type { Platform } from '../../platform/ctx.js';
import type { RealTimeWork } from '../../platform/due/real-time.js';
import { systemCtx } from '../../platform/due/step.js';
import { configuredRails } from './configured-rails.js';
import { emit } from './events.js';
import { operatorWorkspace } from './operator.js';
import type { ConfiguredRail, Finding, RailBalance, RailCheck, RailProblem } from './rail-kind.js';
import { noteHealth, notePassed } from './rail-state.sql.js';
import { compareMemory } from './restored.js';

/** A check may take so long. */
const checkMs = 20_000;
const everyMs = 60_000;

/** A finding, with whether it keeps the rail from taking orders. */
type Examined = Finding & { stops: boolean };

/** Runs every check of a rail, one after another. Where nothing is wrong the rail may be switched on, as it is configured now, for a day. */
export async function examine(platform: Platform, rail: ConfiguredRail): Promise<Finding[]> {
  const findings = (await runAll(platform, rail.checks)).map(({ stops: _, ...finding }) => finding);
  const isWell = findings.every(({ ok }) => ok);
  if (isWell) await notePassed(platform.database.pool, rail.name, { digest: rail.digest, at: platform.clock.now() });
  return findings;
}

async function runAll(platform: Platform, checks: readonly RailCheck[]): Promise<Examined[]> {
  const findings: Examined[] = [];
  for (const check of checks) {
    const found = await inTime(check.run(platform)).catch((error: Error) => [failed(error)]);
    findings.push(...found.map((finding) => ({ check: check.name, stops: check.stops, ...finding })));
  }
  return findings;
}

function failed({ message }: Error): Omit<Finding, 'check'> {
  return { ok: false, found: message, wanted: 'an answer', fix: 'Look at what the message names, and run the doctor again.' };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkMs / 1_000} s`)), checkMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** When the next look of this process may be, by its own count of milliseconds. */
const nextLook = new WeakMap<Platform, number>();

/** Looks at the memory and at every rail once a minute, and when the process starts. */
export const healthWork: RealTimeWork = {
  name: 'rails',
  run: async (platform) => {
    const rails = [...platform.extensions.of(configuredRails).byName.values()];
    if (rails.length === 0) return null;
    const restMs = (nextLook.get(platform) ?? 0) - performance.now();
    if (restMs > 0) return restMs;
    nextLook.set(platform, performance.now() + everyMs);
    await compareMemory(platform);
    for (const rail of rails) await lookAt(platform, rail);
    return everyMs;
  },
};

/** Runs the cheap checks of a rail, and says where others fail than before. */
export async function lookAt(platform: Platform, rail: ConfiguredRail): Promise<readonly RailProblem[]> {
  const at = platform.clock.now();
  const examined = await runAll(
    platform,
    rail.checks.filter(({ isCheap }) => isCheap),
  );
  const problems = examined.filter(({ ok }) => !ok).map(({ check, found, fix, stops }) => ({ check, found, fix, stops }));
  const balances: readonly RailBalance[] = await inTime(rail.balances(platform)).catch(() => []);
  const isOther = await noteHealth(platform.database.pool, rail.name, { problems, balances, at });
  if (isOther && problems.length > 0) await tell(platform, rail.name, problems, at);
  return problems;
}

async function tell(platform: Platform, rail: string, problems: readonly RailProblem[], at: Date): Promise<void> {
  platform.log.error({ rail, problems }, 'a rail is not in order');
  const workspace = await operatorWorkspace(platform);
  if (workspace === null) return;
  const ctx = systemCtx(platform, workspace, null);
  const data = { rail, problems: problems.map(({ check, found, fix }) => ({ check, found, fix })), at: at.toISOString() };
  await ctx.db.$transaction((tx) => emit(ctx, tx, 'rail.unhealthy', data, { at }));
  platform.database.written.ring();
}
