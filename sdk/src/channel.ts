// The live channel of an agent: server-sent events as one sequence. It connects again with the number of the last event that it gave, so
// that nothing is missed and nothing comes twice; what can no longer be read again comes as a `gap`.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError, asRecord } from './error.js';
import { backoff, pause } from './send.js';

/** What happened to an agent. */
export interface ChannelEvent {
  /** Such as transfer_completed. `connected` says that the channel listens, `gap` that events are missing: see `data.backfill`. */
  type: string;
  /** Give it as `lastEventId` to go on after this event, also in another process. */
  lastEventId: string | undefined;
  /** With `id`, `type`, `time` and `agent_id`, and what the type adds. */
  data: Record<string, unknown>;
}

export interface ChannelOptions {
  /** The agent; by default the one that the client signs in as. */
  agentId?: string;
  /** Go on after this event; by default with what comes. */
  lastEventId?: string;
  /** Ends the sequence. */
  signal?: AbortSignal;
}

/** What belongs to the connection and not to the agent. */
const ownFrames = ['heartbeat', 'reconnect'];
/** The platform sends a heartbeat every 30 seconds: after so long a silence the connection is dead. */
const silenceMs = 75_000;
/** Waits at most so long before it connects again. */
const longestWaitMs = 30_000;

type Connect = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The events of a channel until `signal` is aborted. Throws ApiError when the platform refuses the connection for good. */
export async function* eachEvent(
  connect: Connect,
  { lastEventId: begin, signal: end }: ChannelOptions,
): AsyncGenerator<ChannelEvent, void, undefined> {
  const signal = end ?? new AbortController().signal;
  let [last, retryMs, failures] = [begin, 0, 0];
  while (!signal.aborted) {
    try {
      for await (const { id, event = '', data, retry } of frames(connect, last, signal)) {
        failures = 0;
        if (retry !== undefined) retryMs = retry;
        if (event === '' || ownFrames.includes(event)) continue;
        if (id !== undefined) last = id;
        yield { type: event, lastEventId: last, data: asRecord(JSON.parse(data)) };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && !isPassing(error)) throw error;
    }
    await pause(Math.min(longestWaitMs, Math.max(retryMs, backoff(failures))), signal).catch(() => {});
    failures += 1;
  }
}

/** True for what time alone may end, such as a gateway that waits for the platform: no refusal of this caller. */
function isPassing({ status }: ApiError): boolean {
  return status >= 500 || status === 429;
}

interface Frame extends Partial<EventSourceMessage> {
  data: string;
  /** Milliseconds to wait before the next connection. */
  retry?: number;
}

/** The frames of one connection, until it ends. */
async function* frames(connect: Connect, last: string | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, undefined> {
  const response = await connect(last, signal);
  if (response.body === null) return;
  const waiting: Frame[] = [];
  const parser = createParser({
    onEvent: (event) => waiting.push(event),
    onRetry: (retry) => waiting.push({ data: '', retry }),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const end = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      timer = setTimeout(end, silenceMs);
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      parser.feed(value);
      yield* waiting.splice(0);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}
