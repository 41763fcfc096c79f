// What agents and accounts are called, for lists that know them by their ids alone. Of a workspace with more than a hundred of each the
// others keep their ids.
import { useQuery } from './query.js';

const bare = (id: string) => id.replace(/^[a-z]+_/, '');

/** The name behind the id of an agent or an account, with or without its prefix; the id itself where it is not known. */
export function useNames(): (id: string) => string {
  const { data } = useQuery('Names', {}, { every: 60 });
  const named = new Map([...(data?.agents.nodes ?? []), ...(data?.accounts.nodes ?? [])].map(({ id, name }) => [bare(id), name]));
  return (id) => named.get(bare(id)) ?? bare(id);
}
