// What members are to the tenant, in words.
import { money } from './format.js';

/** What each role opens, in short. */
export const roleNames = {
  viewer: 'Viewer: reads',
  developer: 'Developer: reads, and does everything in the sandbox',
  finance: 'Finance: moves money and approves',
  admin: 'Admin: people, keys and webhooks',
  owner: 'Owner: everything',
} as const;

/** Which approvals a member decides, as it is chosen. */
export const decideNames = {
  role: 'As the role begins with',
  none: 'Decides none',
  any: 'Decides any amount',
  limited: 'Decides up to an amount',
} as const;

interface AuthorityData {
  maxAmount: string | null;
  currency: string;
}

/** Which approvals somebody decides. */
export function authorityText(authority: AuthorityData | null): string {
  if (authority === null) return 'None';
  return authority.maxAmount === null ? 'Any amount' : `Up to ${money(authority.maxAmount, authority.currency)}`;
}

type Values = Readonly<Record<string, string | undefined>>;

/** The fields of an authority in a dialog. */
export const authorityFields = (initial: keyof typeof decideNames, currency = 'USD') =>
  [
    { name: 'decides', label: 'Approvals', values: decideNames, initial },
    { name: 'amount', label: 'At most (where it is up to an amount)', required: false, maxLength: 40 },
    { name: 'currency', label: 'Currency of that amount', initial: currency, maxLength: 8 },
  ] as const;

/** The authority that was chosen; undefined for what the role begins with. */
export function chosenAuthority({ decides, amount, currency = 'USD' }: Values): { authority?: AuthorityData | null } {
  if (decides === 'none') return { authority: null };
  if (decides === 'any') return { authority: { maxAmount: null, currency } };
  return decides === 'limited' ? { authority: { maxAmount: amount ?? '', currency } } : {};
}
