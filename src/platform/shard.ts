// Which shard a workspace belongs to. Events of a shard are published by one process at a time, and a set of postings stays within one.
// There is one shard unless `shards` is raised, as a database that is distributed by workspace needs.

export const shards = 1;

/** The shard of a workspace, from 0 to `count` - 1. The SQL function shard_of() computes the same. */
export function shardOf(workspaceId: string, count = shards): number {
  return count === 1 ? 0 : Number.parseInt(workspaceId.slice(-7), 16) % count;
}
