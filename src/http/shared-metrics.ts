// Metrics of several processes, added up (decision 0064). Any of them is asked; the first one asks all of them.
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { Line } from '../platform/processes/line.js';
import type { MetricsText } from './health.js';
import { watchProcess } from './metrics.js';

type Samples = MetricObjectWithValues<MetricValue<string>>[];

const subjects = { all: 'metrics.all', own: 'metrics.own' } as const;
/** A group of gauges has two seconds to be read. */
const ownWithinMs = 3_000;
const allWithinMs = 5_000;

/** In one of several processes: says what it has counted, and prints what all have. */
export function metricsOfAll(registry: Registry, primary: Line): MetricsText {
  primary.answer(subjects.own, () => registry.getMetricsAsJSON());
  return { contentType: registry.contentType, metrics: () => primary.ask<string>(subjects.all, undefined, allWithinMs) };
}

/** What a process said last. */
interface Source {
  line: Line;
  last: Samples;
}

/** In the first process: adds up what the others have counted. What has ended stays counted, for a counter that falls looks like a new one. */
export class SharedMetrics {
  readonly #sources = new Set<Source>();
  readonly #own = new Registry();
  /** What was counted by those that have ended, and its summing up: one sum after the other, or a later one would lose what it did not see. */
  #ended: readonly Samples[] = [];
  #summed: Promise<unknown> = Promise.resolve();

  constructor() {
    watchProcess(this.#own);
  }

  /** What answers the questions of one process. */
  readonly answerers = { [subjects.all]: () => this.#print() };

  /** Asks that process too, until the returned function is called. */
  join(line: Line): () => Promise<void> {
    const source: Source = { line, last: [] };
    this.#sources.add(source);
    return () => {
      // In one step: whoever prints in between counts it once.
      if (this.#sources.delete(source)) this.#ended = [...this.#ended, source.last.filter(isCounted)];
      const summed = this.#summed.then(() => this.#sumEnded());
      this.#summed = summed;
      return summed;
    };
  }

  async #sumEnded(): Promise<void> {
    const parts = this.#ended;
    const total = await sum(parts).getMetricsAsJSON();
    this.#ended = [total, ...this.#ended.slice(parts.length)];
  }

  async #print(): Promise<string> {
    const read = async (source: Source): Promise<void> => {
      // Whoever says nothing in time, or begins and knows nothing yet, counts with what it said before.
      source.last = await source.line.ask<Samples>(subjects.own, undefined, ownWithinMs).catch(() => source.last);
    };
    await Promise.all([...this.#sources].map(read));
    const own = await this.#own.getMetricsAsJSON();
    return sum([...[...this.#sources].map(({ last }) => last), own, ...this.#ended]).metrics();
  }
}

const sum = (samples: readonly Samples[]): Registry => AggregatorRegistry.aggregate([...samples]);

const isCounted = ({ type }: Samples[number]): boolean => ['counter', 'histogram'].includes(String(type));
