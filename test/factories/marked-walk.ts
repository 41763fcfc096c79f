// Walks over the whole schema that look for the marks of other customers in what an actor is answered.
import { schema } from '../../src/schema.js';
import type { Client, Json } from '../harness.js';
import { operations, pathOf, type Seeds } from '../operation.js';
import { walksOf } from '../schema-walk.js';
import { isSlow } from '../slow.js';
import { amount, word } from './marked.js';

/** Marks of other customers in an answer: words, amounts, the books of the platform, and ids that were not asked with. */
function marksIn(text: string, asked: string, ids: Seeds): string[] {
  const strangers = [...new Set(Object.entries(ids))]
    .filter(([noun, id]) => noun !== 'merchant' && noun !== 'session' && !asked.includes(id))
    .map(([, id]) => id);
  const marks = [word, `"account":"world"`, ...strangers].filter((mark) => text.includes(mark));
  return new RegExp(`"-?\\d*${amount}\\d*\\.\\d+"`).test(text) ? [...marks, amount] : marks;
}

interface Found {
  leaks: string[];
  types: Set<string>;
}

/** True when a root itself was refused: what is missing below one that was let in says where. */
function isRefused(root: string, { data, errors = [] }: Json): boolean {
  return errors.length > 0 && (data?.[root] ?? null) === null && errors.every(({ path = [] }: Json) => path.length <= 1);
}

export type Walk = (seeds: Seeds) => Promise<Found>;

/**
 * Sends every walk with a credential; the marks that came back, and the types of which an object did. What was asked with other seeds
 * before, and names none of the new ones, has been answered. `roots`: only these.
 */
export function walker(kind: 'query' | 'mutation', as: string, client: Client, strangers: Seeds, roots?: readonly string[]): Walk {
  const answered = new Set<string>();
  return async (seeds) => {
    const leaks: string[] = [];
    const types = new Set<string>();
    // Nothing below a root that is refused is looked at, whatever is selected there: one document of it is enough.
    const refused = new Set<string>();
    for (const { root, document } of walksOf(schema, kind, seeds)) {
      if (roots?.includes(root) === false || (refused.has(root) && !isSlow)) continue;
      if (kind === 'query' && answered.has(document)) continue;
      answered.add(document);
      const { body } = await client.graphql(document, {}, { as });
      const text = JSON.stringify(body);
      const failed = body.errors?.find(({ extensions }: Json) => ['validation_failed', 'internal_error'].includes(extensions.code));
      if (failed !== undefined && kind === 'query') throw new Error(`${root} is refused: ${failed.message} ${document}`);
      if (isRefused(root, body)) refused.add(root);
      for (const [, type = ''] of text.matchAll(/"__typename":"(\w+)"/g)) types.add(type);
      const marks = marksIn(text, document, strangers);
      if (marks.length > 0) leaks.push(`${kind} ${root}: ${marks.join(', ')} in ${document}`);
    }
    return { leaks, types };
  };
}

export async function readAll(as: string, client: Client, seeds: Seeds, strangers: Seeds): Promise<string[]> {
  const leaks: string[] = [];
  for (const { method, template } of operations()) {
    if (method !== 'GET') continue;
    const path = pathOf(template, seeds);
    const { body } = await client.get(path, { as });
    const marks = marksIn(JSON.stringify(body), path, strangers);
    if (marks.length > 0) leaks.push(`${path}: ${marks.join(', ')}`);
  }
  return leaks;
}
