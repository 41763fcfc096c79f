// What agents, accounts, wallets and budgets are called, for lists that know them by their ids alone. Of a workspace with more than a hundred of a
// kind the others keep their ids.
import { useQuery } from './query.js';

const bare = (id: string) => id.replace(/^[a-z]+_/, '');

export type NameOf = (id: string | null) => string;

/** The name behind the id of an agent, an account, a wallet or a budget, with or without its prefix; the id itself where it is not known. */
export function useNames(): NameOf {
  const { data } = useQuery('Names', {}, { every: 60 });
  const nodes = [data?.agents, data?.accounts, data?.budgets].flatMap((page) => page?.nodes ?? []);
  const named = new Map(nodes.map(({ id, name }) => [bare(id), name]));
  for (const { id, name, ownerId } of data?.wallets.nodes ?? []) {
    const own = name ?? named.get(bare(ownerId));
    if (own !== undefined) named.set(bare(id), own);
  }
  return (id) => (id === null ? 'Outside' : (named.get(bare(id)) ?? bare(id)));
}

/** The name behind the id of a member; `a member` where it is not known. Of a tenant with more than fifty the others have none. */
export function useMemberNames(): (id: string) => string {
  const { data } = useQuery('Members', {}, { every: 60 });
  return (id) => data?.members.nodes.find((member) => member.id === id)?.name ?? 'a member';
}
