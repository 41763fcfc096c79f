// What somebody may do and decide, reckoned apart from the platform: by the table of roles in docs/people.md and the words of CONTRACT.md 22.
// A test holds against it what people and programs give each other.
import { scopes as vocabulary } from '../../../src/platform/scope.js';
import { stated } from '../../role-table.js';

export type Environment = 'live' | 'test';

/** An authority as GraphQL shows it; null: decides nothing. */
export type Authority = { maxAmount: string | null; currency: string } | null;

/** What a member or a program has at a moment: single scopes, and how much it decides. */
export interface Power {
  live: ReadonlySet<string>;
  test: ReadonlySet<string>;
  authority: Authority;
}

export const nothing: Power = { live: new Set(), test: new Set(), authority: null };

/** Every single scope that these open. */
export function opened(held: readonly string[]): Set<string> {
  const reads = vocabulary.filter((scope) => scope.endsWith(':read'));
  return new Set(
    held.flatMap((scope): readonly string[] => {
      if (scope === '*') return vocabulary;
      if (scope === '*:read') return reads;
      return [scope, ...reads.filter((read) => read.split(':')[0] === scope.split(':')[0])];
    }),
  );
}

/** What a role with an authority has. */
export function powerOf(role: string, authority: Authority): Power {
  const of = (environment: Environment) => {
    const held = opened(stated(role, environment));
    if (authority === null) held.delete('approvals:decide');
    else held.add('approvals:decide');
    return held;
  };
  return { live: of('live'), test: of('test'), authority };
}

const first = (held: ReadonlySet<string>, wanted: Iterable<string>) => [...wanted].find((scope) => !held.has(scope));

/** True where an authority is at least another. */
function reaches(own: Authority, other: Authority): boolean {
  if (other === null) return true;
  if (own === null) return false;
  if (own.maxAmount === null) return true;
  return other.maxAmount !== null && own.currency === other.currency && Number(other.maxAmount) <= Number(own.maxAmount);
}

/** The first thing that one has and another has not; undefined where there is none. */
export function beyond(own: Power, other: Power): string | undefined {
  const missing = first(own.live, other.live) ?? first(own.test, other.test);
  return missing ?? (reaches(own.authority, other.authority) ? undefined : `the authority ${JSON.stringify(other.authority)}`);
}

/** What forbids to give, change, end or recover a role with its authority; undefined where nothing does. */
export function forbidsGiving(giver: Power, role: string, authority: Authority): string | undefined {
  const wanted = opened(['members:write', ...stated(role, 'live')]);
  wanted.delete('approvals:decide');
  return first(giver.live, wanted) ?? beyond(giver, { ...nothing, authority });
}

/** What forbids to give a program these scopes. One that decides does so for any amount, so only who decides any amount gives that. */
export function forbidsIssuing(giver: Power, environment: Environment, scopes: readonly string[], isMember: boolean): string | undefined {
  const held = new Set(giver[environment]);
  if (isMember && giver.authority?.maxAmount !== null) held.delete('approvals:decide');
  return first(held, ['keys:write', ...opened(scopes)]);
}
