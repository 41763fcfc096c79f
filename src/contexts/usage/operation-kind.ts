// The kinds of operations by which lists are chosen and indexed: a protocol, a category, and whether it succeeded.
import { Protocol } from '../../generated/prisma/client.js';
import { type OperationCategory, operationCategories } from '../../manifest/operation-category.js';

/** One combination of what the index of kinds is ordered by. */
export interface OperationKind {
  protocol: Protocol;
  category: OperationCategory;
  success: boolean;
}

/** What is asked for of a kind; whatever is left out may be anything. */
export type KindFilter = { [Member in keyof OperationKind]?: OperationKind[Member] | null | undefined };

/** Whether a kind is among those that are asked for. */
export function isOfKind(
  kind: { protocol: string; category: string; success: boolean },
  { category, protocol, success }: KindFilter,
): boolean {
  return (
    (category == null || kind.category === category) &&
    (protocol == null || kind.protocol === protocol) &&
    (success == null || kind.success === success)
  );
}

const allKinds: readonly OperationKind[] = Object.values(Protocol).flatMap((protocol) =>
  operationCategories.flatMap((category) => [true, false].map((success) => ({ protocol, category, success }))),
);

/**
 * The kind that most operations are of: the index of kinds has all others, and this one is looked for along the primary key (decision
 * 0060). In SQL, of an operation `o`.
 */
const commonest: OperationKind = { protocol: 'internal', category: 'transfer', success: true };
export const isRareKind = `NOT (o.protocol = 'internal' AND o.category = 'transfer' AND o.success)`;

/** Whether the commonest kind is among those that are asked for. */
export const includesCommonest = (filter: KindFilter): boolean => isOfKind(commonest, filter);

/** The kinds that are asked for; null for all of them. */
export function kindsOf(filter: KindFilter): readonly OperationKind[] | null {
  const isEveryKind = filter.category == null && filter.protocol == null && filter.success == null;
  return isEveryKind ? null : allKinds.filter((kind) => isOfKind(kind, filter));
}
