// Members as those who count votes see them: whether they are active, what they may decide, and by whose links they came.
import type { MemberAuthority } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** A member, as far as a vote depends on it. */
export interface Voter {
  id: string;
  name: string;
  email: string;
  isActive: boolean;
  /** The member was not removed. */
  isThere: boolean;
  /** Null: decides nothing. */
  authority: MemberAuthority | null;
}

interface VoterRow {
  id: string;
  name: string;
  email: string;
  status: string;
  max: string | null;
  currency: string | null;
}

const columns = `id, name, email, status::text, authority_max::text AS max, authority_currency AS currency`;

/** FOR SHARE: who changes one of them at the same moment is seen, or waits until what was counted is committed. */
const heldText = `SELECT ${columns} FROM member WHERE tenant_id = $1::uuid AND id = ANY ($2::uuid[]) ORDER BY id FOR SHARE`;
const votersText = `SELECT ${columns} FROM member WHERE tenant_id = $1::uuid AND id = ANY ($2::uuid[]) ORDER BY id`;
const decidersText = `SELECT ${columns} FROM member
  WHERE tenant_id = $1::uuid AND status = 'active' AND authority_currency IS NOT NULL ORDER BY id LIMIT $2::int`;

/** These members of a tenant, removed ones too, by id. They stay as they are until the transaction ends. */
export async function votersOf(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Map<string, Voter>> {
  return byId(await runIn<VoterRow>(tx, { name: 'voters-held', text: heldText }, [tenantId, [...new Set(ids)]]));
}

/** The same to look at alone: nobody waits. */
export async function readVoters(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Map<string, Voter>> {
  if (ids.length === 0) return new Map();
  return byId(await runIn<VoterRow>(tx, { name: 'voters', text: votersText }, [tenantId, [...new Set(ids)]]));
}

/** The active members of a tenant who decide anything, at most so many. */
export async function deciders(tx: Tx, tenantId: string, most: number): Promise<Map<string, Voter>> {
  return byId(await runIn<VoterRow>(tx, { name: 'deciders', text: decidersText }, [tenantId, most]));
}

const linksText = `
  WITH RECURSIVE chain (id, shown_to, depth) AS (
    SELECT id, link_shown_to_id, 1 FROM member
    WHERE tenant_id = $1::uuid AND id = ANY ($2::uuid[]) AND link_used_at > $3::timestamptz AND link_shown_to_id IS NOT NULL
    UNION ALL
    SELECT chain.id, m.link_shown_to_id, chain.depth + 1 FROM chain JOIN member m ON m.tenant_id = $1::uuid AND m.id = chain.shown_to
    WHERE m.link_used_at > $3::timestamptz AND m.link_shown_to_id IS NOT NULL AND chain.depth < 20
  )
  SELECT DISTINCT ON (id) id, shown_to AS "shownTo" FROM chain ORDER BY id, depth DESC`;

/**
 * Who was shown the link with which each of these members joined or was recovered since then, in real time: the first of those who were, where
 * they came by such links themselves. Members who came by none are left out.
 */
export async function linksSince(tx: Tx, tenantId: string, ids: readonly string[], since: Date): Promise<ReadonlyMap<string, string>> {
  const rows = await runIn<{ id: string; shownTo: string }>(tx, { name: 'links-of-members', text: linksText }, [tenantId, ids, since]);
  return new Map(rows.map(({ id, shownTo }) => [id, shownTo]));
}

function byId(rows: readonly VoterRow[]): Map<string, Voter> {
  return new Map(rows.map((row) => [row.id, voterOf(row)]));
}

function voterOf({ status, max, currency, ...row }: VoterRow): Voter {
  const authority = currency === null ? null : { maxAmount: max === null ? null : BigInt(max), currency };
  return { ...row, isActive: status === 'active', isThere: status !== 'removed', authority };
}
