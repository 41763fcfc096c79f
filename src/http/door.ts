// What a door's protocol asks of every answer, refusals included: its spelling of errors, and headers that come back as they were sent.
import type { Door } from '../platform/door.js';
import type { Handler } from './state.js';

/** Longest header that is sent back. */
const mostEchoed = 255;

/** What a door's requests pass first: whatever refuses later is spelled by its protocol. */
export function speakAs({ refusal, echoes = [] }: Pick<Door, 'refusal' | 'echoes'>): Handler {
  return (http, next) => {
    if (refusal !== undefined) http.state.spelling = refusal.spell;
    for (const name of echoes) {
      const value = http.get(name);
      if (value !== '' && value.length <= mostEchoed && /^[\x20-\x7e]+$/.test(value)) http.set(name, value);
    }
    return next();
  };
}
