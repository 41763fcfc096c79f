// The OpenTelemetry SDK: takes spans that have ended and sends them to a collector by OTLP over HTTP. Loaded only where
// OTEL_EXPORTER_OTLP_ENDPOINT is set.
import { type Context, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { Config } from '../config.js';
import type { Logger } from './log.js';
import { Tracing } from './trace.js';

/** No attribute is longer: what callers name (an operation, a request id) is cut. */
const longestValue = 256;
const mostAttributes = 32;
/** The last spans are sent when the process ends, which has 9 s for all of it: 5 for requests, 2 for deliveries, and what is left. */
const lastSendMs = 1_000;

/** Where neither OTEL_SERVICE_NAME nor OTEL_RESOURCE_ATTRIBUTES says another. */
const defaultName = 'agent-payments';

const named = (name: string) => resourceFromAttributes({ [ATTR_SERVICE_NAME]: name });

/** Begins to trace. What the standard's variables say beyond `config` (headers, batches, resource) the SDK reads itself. */
export function openTracing({ endpoint, serviceName, sampler, ratio }: NonNullable<Config['tracing']>, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const processor = new BatchSpanProcessor(telling(exporter, log));
  const provider = new NodeTracerProvider({
    sampler: samplerOf(sampler, ratio),
    resource: defaultResource()
      .merge(named(defaultName))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(serviceName === null ? null : named(serviceName)),
    spanLimits: { attributeValueLengthLimit: longestValue, attributeCountLimit: mostAttributes },
    spanProcessors: [processor],
  });
  const close = async () => {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, lastSendMs);
    });
    await Promise.race([provider.shutdown().catch(() => {}), impatience]);
    clearTimeout(timer);
  };
  return new Tracing(provider.getTracer('agent-payments'), close);
}

/** The exporter, and a line in the log when nobody takes its spans any more, and when somebody does again. */
function telling(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let lost = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !lost)
          log.warn({ err: { message: result.error?.message } }, 'the trace collector does not accept spans: they are dropped');
        if (!failed && lost) log.info('the trace collector accepts spans again');
        lost = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

function samplerOf(name: NonNullable<Config['tracing']>['sampler'], ratio: number): Sampler {
  const rootOf = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  if (name === null) return new FewRequests();
  if (name === 'always_on' || name === 'always_off' || name === 'traceidratio') return new OfRequests(rootOf[name]());
  const root = rootOf[name.slice('parentbased_'.length) as keyof typeof rootOf]();
  return new ParentBasedSampler({ root });
}

/** A decision is made once, for the request; what is below it, and what follows from it in other processes, shares it. */
class OfRequests implements Sampler {
  readonly #sampler: Sampler;

  constructor(sampler: Sampler) {
    this.#sampler = sampler;
  }

  shouldSample(...[context, traceId, name, kind, attributes, links]: Parameters<Sampler['shouldSample']>) {
    if (kind === SpanKind.SERVER) return this.#sampler.shouldSample(context, traceId, name, kind, attributes, links);
    return { decision: isWanted(context) === true ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `OfRequests(${this.#sampler})`;
  }
}

/** Gap G-381: All requests are traced up to 50 a second; `OTEL_TRACES_SAMPLER` names another rule. */
const mostRequests = 50;

/** Every request while there are few, and so many of them in a second when there are many: a trace costs a fifth of a transfer. */
class FewRequests implements Sampler {
  #left = mostRequests;
  #filledAt = performance.now();

  shouldSample(...[context, , , kind]: Parameters<Sampler['shouldSample']>) {
    const wanted = isWanted(context);
    const isTaken = kind === SpanKind.SERVER ? wanted !== false && this.#take() : wanted === true;
    return { decision: isTaken ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  #take(): boolean {
    const now = performance.now();
    this.#left = Math.min(mostRequests, this.#left + ((now - this.#filledAt) / 1_000) * mostRequests);
    this.#filledAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  toString(): string {
    return `FewRequests(${mostRequests})`;
  }
}

/** What the span above has decided; undefined without one. */
function isWanted(context: Context): boolean | undefined {
  const parent = trace.getSpanContext(context);
  return parent === undefined ? undefined : (parent.traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
}
