// What credentials may do (CONTRACT.md 22): one vocabulary of scopes for API keys, roles, JWT sessions and portal tokens. A root field asks
// for exactly one of them. `resource:write` contains `resource:read`.

/** What can be read and written. */
const readWrite = [
  'accounts',
  'wallets',
  'transfers',
  'refunds',
  'agents',
  'mandates',
  'checkouts',
  'x402',
  'mpp',
  'tasks',
  'cards',
  'policies',
  'settlement',
  'treasury',
  'webhooks',
  'keys',
  'members',
  'connections',
  'config',
  'evidence',
  'rails',
] as const;

/** What can only be read, and what can only be written. */
const readOnly = ['usage', 'audit', 'approvals'] as const;
const writeOnly = ['freeze', 'sandbox'] as const;

type ReadWrite = (typeof readWrite)[number];

/** What a root field asks for. */
export type Scope =
  | `${ReadWrite | (typeof readOnly)[number]}:read`
  | `${ReadWrite | (typeof writeOnly)[number]}:write`
  | 'approvals:decide';

/** Everything. */
export const fullScope = '*';
/** Every `:read`. */
export const readScope = '*:read';

/** Every scope that a root field may ask for, in the order of the contract. */
export const scopes: readonly Scope[] = [
  ...[...readWrite, ...readOnly].map((resource): Scope => `${resource}:read`),
  ...[...readWrite, ...writeOnly].map((resource): Scope => `${resource}:write`),
  'approvals:decide',
];

/** True where `held` opens `wanted`: by name, by the `:write` (of approvals `:decide`) of the same resource, or by `*` and `*:read`. */
export function covers(held: readonly string[], wanted: string): boolean {
  if (held.includes(fullScope) || held.includes(wanted)) return true;
  if (wanted === fullScope) return false;
  const [resource, access] = wanted.split(':');
  if (access !== 'read') return false;
  return (
    held.includes(readScope) || (wanted !== readScope && held.includes(resource === 'approvals' ? 'approvals:decide' : `${resource}:write`))
  );
}

/** The first of `wanted` that `held` does not open; undefined where it opens all. Nobody gives what he has not. */
export function firstBeyond(held: readonly string[], wanted: readonly string[]): string | undefined {
  return wanted.find((scope) => !covers(held, scope));
}

/** What a member is to a tenant. A role is a set of scopes, and nothing else. */
export const roles = ['owner', 'admin', 'finance', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

type Access = 'R' | 'W' | '-';

const money = [
  'transfers',
  'refunds',
  'mandates',
  'checkouts',
  'x402',
  'mpp',
  'tasks',
  'cards',
  'accounts',
  'wallets',
  'settlement',
  'treasury',
  'policies',
  'connections',
  'agents',
] as const;

/** What the columns of the table below are. */
type Column = 'admin' | 'finance' | 'developer live' | 'developer test' | 'viewer';

/** The table of CONTRACT.md 22: R read, W write. The owner has `*`. */
const table: Readonly<Record<string, Readonly<Record<Column, Access>>>> = {
  ...Object.fromEntries(
    money.map((resource) => [resource, { admin: 'R', finance: 'W', 'developer live': 'R', 'developer test': 'W', viewer: 'R' }]),
  ),
  webhooks: { admin: 'W', finance: 'R', 'developer live': 'W', 'developer test': 'W', viewer: 'R' },
  keys: { admin: 'W', finance: 'R', 'developer live': '-', 'developer test': 'W', viewer: '-' },
  members: { admin: 'W', finance: 'R', 'developer live': 'R', 'developer test': 'R', viewer: 'R' },
  config: { admin: 'W', finance: 'W', 'developer live': 'R', 'developer test': 'W', viewer: 'R' },
  evidence: { admin: 'W', finance: 'R', 'developer live': 'R', 'developer test': 'R', viewer: '-' },
  rails: { admin: 'W', finance: 'R', 'developer live': 'R', 'developer test': 'R', viewer: 'R' },
  usage: { admin: 'R', finance: 'R', 'developer live': 'R', 'developer test': 'R', viewer: 'R' },
  audit: { admin: 'R', finance: 'R', 'developer live': '-', 'developer test': 'R', viewer: '-' },
  freeze: { admin: 'W', finance: 'W', 'developer live': 'W', 'developer test': 'W', viewer: '-' },
  approvals: { admin: 'R', finance: 'R', 'developer live': 'R', 'developer test': 'R', viewer: 'R' },
};

/** In a sandbox alone. */
const sandboxWriters: readonly Role[] = ['admin', 'finance', 'developer'];

/**
 * The scopes of a role in one environment of its tenant. `decides`: the member has an authority, which `approvals:decide` goes with.
 */
export function scopesOf(role: Role, environment: 'test' | 'live', decides: boolean): readonly string[] {
  const decide = decides ? ['approvals:decide'] : [];
  if (role === 'owner') return [fullScope, ...decide];
  const column: Column = role === 'developer' ? `developer ${environment}` : role;
  const own = Object.entries(table).flatMap(([resource, access]) => {
    if (access[column] === '-') return [];
    return [`${resource}:${access[column] === 'W' ? 'write' : 'read'}`];
  });
  const sandbox = environment === 'test' && sandboxWriters.includes(role) ? ['sandbox:write'] : [];
  return [...own, ...sandbox, ...decide];
}
