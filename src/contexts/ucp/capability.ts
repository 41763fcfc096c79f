// Which capabilities are active in a conversation: those that both sides name in one version, without extensions of what neither has.
import { ap2Capability, checkoutCapability, fulfillmentCapability, publishedAt, ucpVersion } from './version.js';

/** What we can do, by name: what it extends, and the pages that describe it. */
const ours: Readonly<Record<string, { extends?: string; page: string; schema: string }>> = {
  [checkoutCapability]: { page: 'checkout', schema: 'checkout' },
  [fulfillmentCapability]: { extends: checkoutCapability, page: 'fulfillment', schema: 'fulfillment' },
  [ap2Capability]: { extends: checkoutCapability, page: 'ap2-mandates', schema: 'ap2_mandate' },
};

/** The names of what we can do. */
export const capabilityNames: readonly string[] = Object.keys(ours);

/** The versions that a side names, by capability. */
export type CapabilityVersions = ReadonlyMap<string, readonly string[]>;

/** A capability as a profile declares it. */
export interface DeclaredCapability {
  version: string;
  spec: string;
  schema: string;
  extends?: string;
}

/** Our capabilities as profiles print them. */
export function declaredCapabilities(): Record<string, DeclaredCapability[]> {
  const declare = ({ page, schema, extends: parent }: (typeof ours)[string]): DeclaredCapability[] => [
    {
      version: ucpVersion,
      spec: publishedAt.specification(page),
      schema: publishedAt.schema(schema),
      ...(parent !== undefined && { extends: parent }),
    },
  ];
  return Object.fromEntries(Object.entries(ours).map(([name, capability]) => [name, declare(capability)]));
}

/** The names of what is active with a side that has `theirs`, in our order. */
export function activeCapabilities(theirs: CapabilityVersions): readonly string[] {
  let active = capabilityNames.filter((name) => theirs.get(name)?.includes(ucpVersion));
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
export function printCapabilities(active: readonly string[]): Record<string, { version: string }[]> {
  return Object.fromEntries(active.map((name) => [name, [{ version: ucpVersion }]]));
}
