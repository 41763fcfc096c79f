// What of the data of events people have written, and what is left of it when they are erased (CONTRACT.md 24). The schema of a type says so,
// member by member: a `text` is what somebody has said.
import { z } from 'zod';

/** The schemas of words of people. */
export const personal = z.registry<{ isText: true }>();

/** Words of people, such as a name or a reason: they are erased. */
export const text = z.string().register(personal, { isText: true });

/** Stands where words of people were. */
const erased = 'erased';

/** Data of the type with `schema`, without the words of people. */
export function withoutText(schema: z.ZodType, data: unknown): unknown {
  if (data === null || data === undefined) return data;
  if (personal.get(schema)?.isText === true) return erased;
  if (schema instanceof z.ZodObject && typeof data === 'object') return withoutTextIn(schema, data);
  if (schema instanceof z.ZodArray && Array.isArray(data)) return data.map((one) => withoutText(schema.element as z.ZodType, one));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return withoutText(schema.unwrap() as z.ZodType, data);
  if (schema instanceof z.ZodUnion) {
    const chosen = (schema.options as z.ZodType[]).find((one) => one.safeParse(data).success);
    return chosen === undefined ? data : withoutText(chosen, data);
  }
  return data;
}

function withoutTextIn({ shape }: z.ZodObject, data: object): object {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const member = shape[name] as z.ZodType | undefined;
      return [name, member === undefined ? value : withoutText(member, value)];
    }),
  );
}
