// The vocabulary of scopes, as `GET /v1/scopes` has it: by resource, and in words.
import { words } from './format.js';

export type Access = 'read' | 'write' | 'decide';

/** What can be done with each resource: `wallets:read` is read of wallets. */
export function byResource(scopes: readonly string[]): Readonly<Record<string, readonly Access[]>> {
  const found: Record<string, Access[]> = {};
  for (const scope of scopes) {
    const [resource = '', access] = scope.split(':');
    if (resource === 'self' || access === undefined) continue;
    found[resource] = [...(found[resource] ?? []), access as Access];
  }
  return found;
}

/** A resource in words. */
export const resourceName = (resource: string) => (resource === 'usage' ? 'Usage and analytics' : words(resource));

/** Scopes in words: what is written, decided and read. */
export function scopesText(scopes: readonly string[]): string {
  if (scopes.includes('*')) return 'Everything';
  const of = (access: Access) =>
    scopes
      .filter((scope) => scope.endsWith(`:${access}`))
      .map((scope) => (scope === '*:read' ? 'everything' : (scope.split(':')[0] ?? '')));
  return (
    [
      ['Writes', of('write')],
      ['Decides', of('decide')],
      ['Reads', of('read')],
    ] as const
  )
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb} ${names.join(', ')}`)
    .join('. ');
}
