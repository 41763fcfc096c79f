// Which capabilities are active in a conversation: those that both sides name in one version, without extensions of what neither has.
import {
  ap2Capability,
  before,
  cartCapability,
  checkoutCapability,
  current,
  fulfillmentCapability,
  lookupCapability,
  orderCapability,
  publishedAt,
  searchCapability,
} from './version.js';

interface Capability {
  extends?: string;
  page: string;
  /** The page in the version before. */
  earlier?: string;
  schema: string;
  /** The versions in which it is spoken here; all by default. */
  versions?: readonly string[];
}

/** What we can do, by name: what it extends, and the pages that describe it. */
const ours: Readonly<Record<string, Capability>> = {
  [checkoutCapability]: { page: 'shopping/checkout', earlier: 'checkout', schema: 'checkout' },
  [fulfillmentCapability]: { extends: checkoutCapability, page: 'fulfillment', schema: 'fulfillment' },
  [ap2Capability]: { extends: checkoutCapability, page: 'ap2-mandates', schema: 'ap2_mandate' },
  [cartCapability]: { page: 'shopping/cart', schema: 'cart', versions: [current] },
  [orderCapability]: { page: 'shopping/order', schema: 'order', versions: [current] },
  [searchCapability]: { page: 'shopping/catalog/search', schema: 'catalog_search', versions: [current] },
  [lookupCapability]: { page: 'shopping/catalog/lookup', schema: 'catalog_lookup', versions: [current] },
};

/** The names of what we can do. */
export const capabilityNames: readonly string[] = Object.keys(ours);

const isSpokenIn = (version: string, { versions = [version] }: Capability): boolean => versions.includes(version);

/** The versions that a side names, by capability. */
export type CapabilityVersions = ReadonlyMap<string, readonly string[]>;

/** A capability as a profile declares it. */
export interface DeclaredCapability {
  version: string;
  spec: string;
  schema: string;
  extends?: string;
}

/** Our capabilities as profiles of a version print them. */
export function declaredCapabilities(version: string): Record<string, DeclaredCapability[]> {
  const { specification, schema: schemaAt } = publishedAt(version);
  const declare = ({ page, earlier = page, schema, extends: parent }: Capability): DeclaredCapability[] => [
    {
      version,
      spec: specification(version === before ? earlier : page),
      schema: schemaAt(schema),
      ...(parent !== undefined && { extends: parent }),
    },
  ];
  const spoken = Object.entries(ours).filter(([, capability]) => isSpokenIn(version, capability));
  return Object.fromEntries(spoken.map(([name, capability]) => [name, declare(capability)]));
}

/** The names of what is active in a version with a side that has `theirs`, in our order. */
export function activeCapabilities(theirs: CapabilityVersions, version: string): readonly string[] {
  const spoken = Object.entries(ours).flatMap(([name, capability]) => (isSpokenIn(version, capability) ? [name] : []));
  let active: readonly string[] = spoken.filter((name) => theirs.get(name)?.includes(version));
  for (;;) {
    const kept = active.filter((name) => {
      const parent = ours[name]?.extends;
      return parent === undefined || active.includes(parent);
    });
    if (kept.length === active.length) return kept;
    active = kept;
  }
}

/** Active capabilities as an answer prints them. */
export function printCapabilities(active: readonly string[], version: string): Record<string, { version: string }[]> {
  return Object.fromEntries(active.map((name) => [name, [{ version }]]));
}
