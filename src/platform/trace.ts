// Traces (decision 0043): spans of OpenTelemetry, handed on with the ctx and never by async_hooks. Only what is sampled has a span, so
// what is not costs nothing below its request.
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

// Gap G-382: Span and flags of a `traceparent` go on with each event to webhooks; `tracestate` is not kept.
/** A place in a trace, as a traceparent says it. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The span and its flags, such as `00f067aa0ba902b7-01`. */
  span: string;
}

/** W3C Trace Context: version, trace id, parent id, flags. Versions after 00 may append more. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/;
const onlyZeros = /^0+(-|$)/;

/** What a `traceparent` header says. Undefined for a malformed one, which is ignored. */
export function readTraceparent(header: string | string[] | undefined): TracePlace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', span = '', more] = pattern.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return onlyZeros.test(traceId) || onlyZeros.test(span) ? undefined : { traceId, span };
}

/** The header that says it. */
export function printTraceparent({ traceId, span }: TracePlace): string {
  return `00-${traceId}-${span}`;
}

/** True when whoever is at this place wants to see what follows. */
export function isSampled({ span }: TracePlace): boolean {
  return (Number.parseInt(span.slice(-2), 16) & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
}

/** The same place, of which nobody shows what follows. */
export function unsampled({ traceId, span }: TracePlace): TracePlace {
  return { traceId, span: `${span.slice(0, 16)}-00` };
}

/** What went wrong, as a span says it: its code where it has one, else its class. Messages may hold data of callers. */
function faultOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'error');
}

/** A span that is recorded. */
export class TraceSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get place(): TracePlace {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return { traceId, span: `${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
  }

  /** Begins a span below it. */
  below(name: string, attributes: Attributes = {}): TraceSpan {
    const parent = trace.setSpanContext(ROOT_CONTEXT, this.#span.spanContext());
    return new TraceSpan(this.#tracer, this.#tracer.startSpan(name, { attributes }, parent));
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  /** Says that it failed: it stands out then. */
  fail(error: unknown): void {
    this.#span.setAttribute('error.type', faultOf(error));
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}

/** Begins spans that have no span of this process above them, and sends what has ended. */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #shutDown: () => Promise<void>;

  constructor(tracer: Tracer, shutDown: () => Promise<void>) {
    this.#tracer = tracer;
    this.#shutDown = shutDown;
  }

  /** A request that came in. Undefined when it is not sampled. */
  request(name: string, caller: TracePlace | undefined, attributes: Attributes): TraceSpan | undefined {
    return this.#begin(name, { kind: SpanKind.SERVER, attributes }, caller);
  }

  /** What follows, maybe in another process, from what was done at `cause`. Undefined when that is not traced. */
  follow(name: string, cause: TracePlace | undefined, attributes: Attributes, { sends = false, sinceMs = 0 } = {}): TraceSpan | undefined {
    if (cause === undefined || !isSampled(cause)) return undefined;
    const startTime = sinceMs > 0 ? { startTime: performance.now() - sinceMs } : {};
    return this.#begin(name, { kind: sends ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes, ...startTime }, cause);
  }

  /** Sends what has ended, and stops. Whoever takes it may be away: it gives up in time, and never throws. */
  close(): Promise<void> {
    return this.#shutDown();
  }

  #begin(name: string, options: SpanOptions, parent: TracePlace | undefined): TraceSpan | undefined {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const span = this.#tracer.startSpan(name, options, context);
    return span.isRecording() ? new TraceSpan(this.#tracer, span) : undefined;
  }
}

function contextOf({ traceId, span }: TracePlace) {
  const [spanId = '', flags = ''] = span.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** Who has spans: a ctx, a posting. */
interface Spanned {
  span?: TraceSpan | undefined;
}

/** Where in a trace something is made: in the span that is under way, else where the caller stands. */
export function placeOf({ span, trace: caller }: Spanned & { trace?: TracePlace }): TracePlace | undefined {
  return span?.place ?? caller;
}

/** Runs `work` in a span below that of `owner`, which has the new one meanwhile. Where there is none it just runs. */
export function inSpanOf<T>(owner: Spanned, name: string, attributes: Attributes, work: () => T | PromiseLike<T>): T | PromiseLike<T> {
  return owner.span === undefined ? work() : runInSpan(owner, owner.span, owner.span.below(name, attributes), work);
}

async function runInSpan<T>(owner: Spanned, above: TraceSpan, span: TraceSpan, work: () => T | PromiseLike<T>): Promise<T> {
  owner.span = span;
  try {
    return await work();
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    owner.span = above;
    span.end();
  }
}
