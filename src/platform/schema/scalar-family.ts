// What a scalar is on the wire, as `@specifiedBy` of the schema says it (decision 0070).
import type { ScalarShape } from './scalar.js';

/** What scalars are on the wire: one text each for ids, points in time, texts, numbers, objects, and any JSON (decision 0070). */
const families = {
  id: 'https://www.rfc-editor.org/rfc/rfc9562',
  time: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  text: 'https://www.rfc-editor.org/rfc/rfc8259#section-7',
  number: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  object: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  json: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
} as const;

/** Where the form of a scalar is specified, the same for all scalars of a family: client generators map scalars by it. */
export function familyOf({ extensions: { idKind, isId, jsonSchema } }: Pick<ScalarShape<never, never>, 'extensions'>): string {
  const { type, format } = jsonSchema;
  if (idKind !== undefined || isId) return families.id;
  if (format === 'date' || format === 'date-time') return families.time;
  if (type === 'string') return families.text;
  if (type === 'integer' || type === 'number') return families.number;
  return type === 'object' ? families.object : families.json;
}
