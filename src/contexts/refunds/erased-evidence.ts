// What is left of the evidence of a dispute when a side of it is erased (CONTRACT.md 25): that something was shown and when, and packs without
// the parts that people can be found in. Digests stay, so what a pack proves of the payment can still be checked.
import { isErasable } from '../../platform/audit-leaf.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import { packShape } from '../evidence/pack-shape.js';
import { packType } from './evidence-piece.js';
import type { FilingEvidence } from './filing.js';

/** Stands where words of people were. */
const erased = 'erased';

/** Evidence without what people have written. */
export function withoutWords(evidence: unknown): unknown {
  if (!Array.isArray(evidence)) return [];
  return (evidence as FilingEvidence[]).map(({ party, type, content, at }) => {
    const pack = type === packType && typeof content === 'string' ? withoutErasable(content) : null;
    return { party, type: pack === null ? erased : type, description: erased, ...(pack !== null && { content: pack }), at };
  });
}

/** A pack without its erasable parts; null for what is none. */
function withoutErasable(content: string): string | null {
  try {
    const pack = packShape.parse(JSON.parse(content));
    const leaves = pack.leaves.map((leaf) => ({ ...leaf, disclosures: leaf.disclosures.filter((text) => !isErasable(nameIn(text))) }));
    return canonicalJson({ ...pack, leaves });
  } catch {
    return null;
  }
}

/** The name of the part that a disclosure shows. */
function nameIn(disclosure: string): string {
  const [, name] = JSON.parse(Buffer.from(disclosure, 'base64url').toString()) as [string, string, unknown];
  return name;
}
