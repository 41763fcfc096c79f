// Who is signed in and what that opens, for parts of pages that are not drawn without it. The server refuses the same by itself.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Answers } from './answers.js';

export type Me = Answers['Shell']['me'];

export const MeContext = createContext<Me | undefined>(undefined);

/** Who is signed in; undefined until that is known. */
export function useMe(): Me | undefined {
  return useContext(MeContext);
}

/** True where scopes open `wanted`: by name, by the write of the same resource, or by `*` and `*:read`. */
export function opens(held: readonly string[], wanted: string): boolean {
  if (held.includes('*') || held.includes(wanted)) return true;
  const [resource, access] = wanted.split(':');
  return access === 'read' && (held.includes('*:read') || held.includes(`${resource}:write`));
}

/** Says what whoever is signed in may do. */
export function useMay(): (scope: string) => boolean {
  const me = useMe();
  return (scope) => me !== undefined && opens(me.scopes, scope);
}

/** True for whoever decides approvals: a person by an authority, a program by the scope. */
export function useDecides(): boolean {
  const me = useMe();
  return me !== undefined && (me.member === null ? opens(me.scopes, 'approvals:decide') : me.member.authority !== null);
}

/** `children`, for whoever has the scope. */
export function May({ scope, children }: { scope: string; children: ComponentChildren }) {
  return useMay()(scope) ? children : null;
}
