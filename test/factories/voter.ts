// Members as those who count votes see them: rows of the tenant, and what each of them asks for.

import { tenantWorkspace } from '../../src/contexts/identity/tenant.js';
import { approveApproval, rejectApproval } from '../../src/contexts/spending/approval/approval.js';
import type { Approval } from '../../src/generated/prisma/client.js';
import type { Ctx, MemberAuthority } from '../../src/platform/ctx.js';
import { ApiError } from '../../src/platform/errors.js';
import { createCtx } from '../../src/platform/request.js';
import { newId } from '../../src/platform/schema/id.js';
import type { Harness, Json } from '../harness.js';

/** A member of the first tenant. */
export interface Voter {
  /** Bare. */
  id: string;
  name: string;
  ctx: Ctx;
  /** What comes of saying yes or no: the status of the approval, or the reason of the refusal, or its code. */
  approve(approval: Json, comment?: string): Promise<string>;
  reject(approval: Json, reason?: string): Promise<string>;
  /** The same, as the rule answers or throws it. */
  vote(approval: Json, comment?: string): Promise<Approval>;
  /** Changes columns of the row. */
  set(columns: string): Promise<void>;
}

interface VoterFacts {
  name?: string;
  /** Of any amount in USD by default; null: none. */
  authority?: MemberAuthority | null;
  tenantId?: string;
  /** Who was shown the link by which the member came, now. */
  linkShownTo?: Voter;
}

const anyAmount: MemberAuthority = { maxAmount: null, currency: 'USD' };
let made = 0;

/** Makes a member of a tenant. */
export async function newVoter(harness: Harness, facts: VoterFacts = {}): Promise<Voter> {
  const { clock } = harness;
  made += 1;
  const { name = `Member ${made}`, authority = anyAmount, tenantId = harness.tenantId, linkShownTo } = facts;
  const platform = tenantId === harness.tenantId ? harness.platform : harness.elsewhere;
  const at = clock.now();
  const id = newId(at);
  const email = `member-${made}@example.com`;
  const run = (text: string, ...values: unknown[]) => platform.database.unscoped.$executeRawUnsafe(text, ...values);
  await run(
    `INSERT INTO member (tenant_id, id, name, email, email_key, role, authority_max, authority_currency, created_at, updated_at,
       link_shown_to_id, link_used_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $4, 'finance', $5::bigint, $6, $7::timestamptz, $7::timestamptz, $8::uuid, $9::timestamptz)`,
    ...[tenantId, id, name, email, authority?.maxAmount ?? null, authority?.currency ?? null, at],
    ...[linkShownTo?.id ?? null, linkShownTo === undefined ? null : at],
  );
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) throw new Error('the tenant has no sandbox');
  const member = { id, name, role: 'finance', authority, methods: ['password'], signedInAt: at } as const;
  // The guard of a posting asks for the member: no browser session is made.
  const actor = { type: 'member', id, name, scopes: ['*'], credential: { kind: 'login', id }, member } as const;
  const ctx = (): Ctx =>
    createCtx(
      platform,
      { actor, workspace },
      { requestId: `req_${newId(at)}`, ip: '127.0.0.1', act: { action: 'approveApproval', resourceType: 'approval' } },
    );
  const bare = (approval: Json) => approval.id.slice('apr_'.length);
  const comes = async (said: Promise<Approval>) => {
    try {
      return (await said).status;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return String(error.details?.['reason'] ?? error.code);
    }
  };
  const vote = (approval: Json, comment?: string) => approveApproval(ctx(), bare(approval), comment ?? null);
  return {
    id,
    name,
    get ctx() {
      return ctx();
    },
    vote,
    approve: (approval, comment) => comes(vote(approval, comment)),
    reject: (approval, reason) => comes(rejectApproval(ctx(), bare(approval), reason ?? null)),
    set: async (columns) => {
      await run(`UPDATE member SET ${columns} WHERE tenant_id = $1::uuid AND id = $2::uuid`, tenantId, id);
    },
  };
}

/** Several members. */
export async function newVoters(harness: Harness, count: number, facts: VoterFacts = {}): Promise<Voter[]> {
  const voters: Voter[] = [];
  for (let n = 0; n < count; n += 1) voters.push(await newVoter(harness, facts));
  return voters;
}

/** The id of a member as it is printed. */
export const printed = ({ id }: Voter): string => `mem_${id}`;
