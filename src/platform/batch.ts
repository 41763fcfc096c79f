// What the resolvers of one request ask for one by one, read together: one query for each level of a document.
import DataLoader from 'dataloader';
import type { Ctx } from './ctx.js';

type Loader = DataLoader<string, unknown>;
const loaders = new WeakMap<Ctx, Map<string, Loader>>();

/**
 * The value of `id`, from a `load` that gets every id that this request asks for at about the same time under the same `name`.
 * Undefined where `load` finds none. Nothing is kept: what is asked for later is read again.
 */
export function loadTogether<Value>(
  ctx: Ctx,
  name: string,
  id: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<Value | undefined> {
  const named = loaders.get(ctx) ?? new Map<string, Loader>();
  loaders.set(ctx, named);
  let loader = named.get(name);
  if (loader === undefined) {
    loader = new DataLoader(
      async (ids) => {
        const found = await load([...new Set(ids)]);
        return ids.map((one) => found.get(one));
      },
      { cache: false },
    );
    named.set(name, loader);
  }
  return loader.load(id) as Promise<Value | undefined>;
}
