// The header Accept-Payment: which methods and intents a client would rather pay by (draft-httpauth-payment-00).

interface Preference {
  method: string;
  intent: string;
  /** From 0, which is never, to 1. */
  weight: number;
}

const preference = /^([a-z0-9-]+|\*)\/([a-z0-9-]+|\*)((?:[ \t]*;[ \t]*[A-Za-z0-9_-]+=[^\s;]+)*)$/;
const quality = /;[ \t]*q=([^;]*)$/;
const weight = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/** Preferences that are read of one header. */
const mostPreferences = 32;

/** What the header says; null for one that cannot be read. */
function readPreferences(header: string): Preference[] | null {
  const parts = header.split(',');
  if (parts.length > mostPreferences) return null;
  const found: Preference[] = [];
  for (const part of parts) {
    const [, method, intent, parameters = ''] = preference.exec(part.trim()) ?? [];
    const q = quality.exec(parameters)?.[1] ?? '1';
    if (method === undefined || intent === undefined || !weight.test(q)) return null;
    found.push({ method, intent, weight: Number(q) });
  }
  return found;
}

interface Way {
  method: string;
  intent: string;
}

/** The weight of a way to pay: that of the narrowest preference which names it. Undefined where none does. */
function weightOf(preferences: readonly Preference[], { method, intent }: Way): number | undefined {
  const width = (one: Preference) => Number(one.method === '*') + Number(one.intent === '*');
  const naming = preferences.filter((one) => [method, '*'].includes(one.method) && [intent, '*'].includes(one.intent));
  return naming.sort((a, b) => width(a) - width(b) || b.weight - a.weight)[0]?.weight;
}

// Gap G-595: Accept-Payment orders challenges by weight; one that it does not name comes last, and a header that cannot be read is ignored.
/** The ways to pay in the order of a client that sent this header, without those that it refuses. */
export function preferredWays<W extends Way>(header: string, ways: readonly W[]): W[] {
  const preferences = header === '' ? null : readPreferences(header);
  if (preferences === null) return [...ways];
  const weighed = ways.map((way) => ({ way, weight: weightOf(preferences, way) }));
  return weighed
    .filter(({ weight }) => weight !== 0)
    .sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0))
    .map(({ way }) => way);
}
