// Asking somebody outside, a rail, a card network or a chain, what became of something that it was told.
import { addSeconds } from './clock.js';
import type { Ctx } from './ctx.js';

/** Who does not answer for so long has not answered: less than the lease of a row. */
const answerMs = 10_000;
/** Seconds until somebody is asked again, doubled each time. */
const askSeconds = 30;
const longestAskSeconds = 3_600;

/** What somebody outside answers; `silence` for one that fails, or says nothing for too long. */
export async function answered<Answer, Silence>(ctx: Ctx, ask: () => Promise<Answer>, silence: Silence): Promise<Answer | Silence> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<Silence>((resolve) => {
    timer = setTimeout(() => resolve(silence), answerMs);
  });
  try {
    return await Promise.race([ask(), silent]);
  } catch (error) {
    ctx.log.warn({ err: error }, 'a provider failed; what became of it is asked for later');
    return silence;
  } finally {
    clearTimeout(timer);
  }
}

/** When somebody is asked again who was asked so often already. */
export function nextInquiry(now: Date, asked: number, longestSeconds = longestAskSeconds): Date {
  return addSeconds(now, Math.min(longestSeconds, askSeconds * 2 ** Math.min(asked, 10)));
}
