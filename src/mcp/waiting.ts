// A call that waits: its operation is asked again until the answer is final or its time is over. It is asked when this process has
// published events, and twice a second for what other processes have. Its answer is a stream, so it holds up nothing else.
import type { Ctx, Platform } from '../platform/ctx.js';
import { ValidationFailed } from '../platform/errors.js';
import type { Answer } from '../platform/idempotency.js';
import type { Arguments, Catalog, CompiledTool } from './catalog.js';
import { mostWaitSeconds, waitMember } from './tool-schema.js';

// Gap G-388: A waiting tool waits at most 50 s, in a stream that counts among those of its actor.
const askAgainMs = 500;

/** True for a message that calls a tool which may wait. */
export function mayWait({ tools }: Catalog, { method, params }: { method?: unknown; params?: unknown }): boolean {
  const { name } = (params ?? {}) as { name?: unknown };
  return method === 'tools/call' && typeof name === 'string' && tools.get(name)?.tool.isWaiting !== undefined;
}

const processes = new WeakMap<Platform, Map<AbortController, string>>();

/** The calls that wait in the process, with what names each. */
export function waitsOf(platform: Platform): Map<AbortController, string> {
  const waits = processes.get(platform) ?? new Map();
  processes.set(platform, waits);
  return waits;
}

/** Lets a call wait no longer than the process serves, nor than its caller wants. `name` is that of the call in its session. */
export function noteWait(platform: Platform, wait: AbortController, name: string): void {
  const waits = waitsOf(platform);
  waits.set(wait, name);
  wait.signal.addEventListener('abort', () => waits.delete(wait), { once: true });
}

/** Answers the calls of a name as they stand now, where they wait in this process. One that waits in another ends by its time. */
export function endWait(platform: Platform, name: string): void {
  for (const [wait, waiting] of [...waitsOf(platform)]) if (waiting === name) wait.abort();
}

/** Answers what waits in this process as it stands now; clients ask again elsewhere. */
export async function endWaits(platform: Platform): Promise<void> {
  for (const wait of [...waitsOf(platform).keys()]) wait.abort();
}

/** Who waits. */
export interface Caller {
  ctx: Ctx;
  /** The caller as it stands now, for a call that waits. Throws when the credential has ended. */
  again: () => Promise<Ctx>;
  /** Aborted when the caller has left, or the process is about to. */
  left: AbortSignal;
}

interface Called {
  compiled: CompiledTool;
  given: Arguments;
  key: string;
}

/** The answer of a tool, after waiting for it where it is one to be waited for. */
export async function answerOf({ compiled, given, key }: Called, { ctx, again, left }: Caller): Promise<Answer> {
  const { isWaiting } = compiled.tool;
  if (isWaiting === undefined) return compiled.run(ctx, given, key);
  const ends = performance.now() + secondsOf(given) * 1000;
  for (let asking = ctx; ; asking = await again()) {
    const answer = await compiled.run(asking, given, key);
    const leftMs = ends - performance.now();
    if (!isWaiting(answer.body as Arguments) || leftMs <= 0 || left.aborted) return answer;
    await news(ctx, Math.min(askAgainMs, leftMs), left);
  }
}

function secondsOf(given: Arguments): number {
  const { [waitMember]: seconds = mostWaitSeconds } = given;
  if (Number.isInteger(seconds) && (seconds as number) >= 0 && (seconds as number) <= mostWaitSeconds) return seconds as number;
  throw new ValidationFailed([{ path: [waitMember], message: `must be a whole number from 0 to ${mostWaitSeconds}`, rule: 'range' }]);
}

/** Resolves when this process has published something, after `ms`, and when the caller leaves. */
function news({ platform }: Ctx, ms: number, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      silence();
      left.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const silence = platform.published.listen(done);
    left.addEventListener('abort', done);
  });
}
