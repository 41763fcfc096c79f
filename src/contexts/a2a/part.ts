// Parts of messages and artifacts: text, data, a file by its address or its bytes, in the words of A2A 1.0, of 0.3 and of the platform.
import { z } from 'zod';
import { mostParts } from '../tasks/terms.js';
import type { Version } from './json-rpc.js';

/** A part as the platform keeps it: one of text, data, url and raw (base64). */
export interface A2aPart {
  text?: string | undefined;
  data?: unknown;
  url?: string | undefined;
  raw?: string | undefined;
  media_type?: string | undefined;
}

const metadata = z.record(z.string(), z.unknown()).optional();
const mediaType = z.string().min(1).max(255).optional();
const text = z.string().min(1).max(16_384);
const url = z.url({ protocol: /^https?$/ }).max(2_048);
const bytes = z.base64().max(16_384);

/** A part of 1.0: exactly one of text, data, url and raw. */
const newer = z
  .object({ text: text.optional(), data: z.unknown().optional(), url: url.optional(), raw: bytes.optional(), mediaType, metadata })
  .transform(({ mediaType: media, metadata: _, ...content }): A2aPart => clean({ ...content, media_type: media }))
  .refine((part) => ['text', 'data', 'url', 'raw'].filter((member) => member in part).length === 1, {
    message: 'must have exactly one of text, data, url and raw',
  });

const file = z
  .object({ uri: url.optional(), bytes: bytes.optional(), mimeType: mediaType })
  .refine((given) => (given.uri === undefined) !== (given.bytes === undefined), { message: 'must have either uri or bytes' });
/** A part of 0.3 says its kind. */
const older = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text }),
    z.object({ kind: z.literal('data'), data: z.record(z.string(), z.unknown()) }),
    z.object({ kind: z.literal('file'), file }),
  ])
  .transform((part): A2aPart => {
    if (part.kind === 'text') return { text: part.text };
    if (part.kind === 'data') return { data: part.data };
    return clean({ url: part.file.uri, raw: part.file.bytes, media_type: part.file.mimeType });
  });

/** The parts of a message. */
export const a2aPartsShape = {
  '1.0': z.array(newer).min(1).max(mostParts),
  '0.3': z.array(older).min(1).max(mostParts),
} as const satisfies Record<Version, z.ZodType<A2aPart[]>>;

function clean(part: Record<string, unknown>): A2aPart {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as A2aPart;
}

/** A part as a version has it. */
export function printPart({ text: said, data, url: uri, raw, media_type: media }: A2aPart, version: Version): object {
  const type = media !== undefined && { [version === '1.0' ? 'mediaType' : 'mimeType']: media };
  if (version === '1.0') {
    if (said !== undefined) return { text: said, ...type };
    if (uri !== undefined) return { url: uri, ...type };
    return raw !== undefined ? { raw, ...type } : { data, ...type };
  }
  if (said !== undefined) return { kind: 'text', text: said };
  if (uri !== undefined) return { kind: 'file', file: { uri, ...type } };
  if (raw !== undefined) return { kind: 'file', file: { bytes: raw, ...type } };
  // In 0.3 data is an object.
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  return { kind: 'data', data: isObject ? data : { value: data } };
}

type Json = Record<string, unknown>;

// Gap G-346: A single data part that is an object becomes the payload, else `{parts}`; `filename` and `metadata` are not kept.
/** The payload of a task that a message gives: its one data part where that is an object, else its parts. */
export function partPayloadOf(parts: readonly A2aPart[]): Json {
  const [first] = parts;
  const data = first?.data;
  if (parts.length === 1 && typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Json;
  return { parts };
}

/** The parts of the message that gave a task, from its payload. */
export function partsOfPayload(payload: unknown): A2aPart[] {
  const given = (payload as { parts?: unknown } | null)?.parts;
  if (Object.keys((payload as object | null) ?? {}).length === 1 && isParts(given)) return given;
  return [{ data: payload }];
}

/** True for a list of parts as the platform keeps them. */
export function isParts(given: unknown): given is A2aPart[] {
  return Array.isArray(given) && given.length > 0 && given.every(isPart);
}

function isPart(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const { text: said, url: uri, raw, media_type: media } = given as Record<string, unknown>;
  const texts = [said, uri, raw].filter((one) => one !== undefined);
  return [...texts, media ?? ''].every((one) => typeof one === 'string') && texts.length + Number('data' in given) === 1;
}
