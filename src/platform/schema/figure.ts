// Scalars of reports: the stretch of time or the trace that they cover, and maps by a word, such as counts by protocol.
import { amountPattern } from '../money.js';
import { parseAnyId } from './id.js';
import { type JsonSchema, refuse, type ScalarShape, wordScalar } from './scalar.js';

export const timeRanges = ['24h', '7d', '30d'] as const;
export type TimeRange = (typeof timeRanges)[number];
export const timeRange = wordScalar('The stretch of time that a report covers, up to now.', timeRanges);

const whole: JsonSchema = { type: 'integer', minimum: 0 };
const money: JsonSchema = { type: 'string', pattern: amountPattern.source };

export const traceId: ScalarShape<string, string> = {
  description: 'The id of a trace, as in a traceparent: 32 hexadecimal digits, which may be written as a UUID.',
  serialize: (text) => text,
  parseValue: (value) => {
    const digits = typeof value === 'string' ? (parseAnyId(value)?.replaceAll('-', '') ?? value) : '';
    return /^[0-9a-f]{32}$/i.test(digits) ? digits.toLowerCase() : refuse('must be 32 hexadecimal digits, as in a traceparent');
  },
  extensions: { jsonSchema: { type: 'string', examples: ['4bf92f3577b34da6a3ce929d0e0e4736'] } },
};

function output<T>(description: string, jsonSchema: JsonSchema): ScalarShape<T, T> {
  return { description, serialize: (value) => value, parseValue: () => refuse('is never an input'), extensions: { jsonSchema } };
}

/** How many, by word. */
export type Counts = Readonly<Record<string, number>>;
export const counts = output<Counts>('Whole numbers by a word.', {
  type: 'object',
  additionalProperties: whole,
  examples: [{ x402: 12, acp: 0 }],
});

/** Decimal text, by word. */
export type Amounts = Readonly<Record<string, string>>;
export const amounts = output<Amounts>('Amounts of money by a word, each a decimal string.', {
  type: 'object',
  additionalProperties: money,
  examples: [{ ach: '1.25' }],
});

/** What a metric comes to: a count, or decimal text. */
export type Figure = number | string;
export const figure = output<Figure>('A whole number where the metric is count, and an amount in USD where it is volume.', {
  type: ['integer', 'string'],
  examples: ['42.00'],
});

export type Figures = Readonly<Record<string, Figure>>;
export const figures = output<Figures>('By a word: whole numbers where the metric is count, and amounts in USD where it is volume.', {
  type: 'object',
  additionalProperties: { type: ['integer', 'string'] },
  examples: [{ x402: '42.00', acp: '0.00' }],
});
