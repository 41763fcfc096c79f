// By whose authority something was paid: the agent, the mandate and its version, the approval, and what was signed (CONTRACT.md 25).
import type { Part } from '../../../platform/audit-leaf.js';
import { canonicalJson } from '../../../platform/canonical-json.js';
import { sha256 } from '../../../platform/crypto.js';
import { printId } from '../../../platform/schema/id.js';
import type { DecisionInput } from '../pipeline/decision-record.js';
import { printVotes } from './counted-vote.js';
import { isHeld, type PostingFacts, textIn } from './posting-fact.js';

/** The part, with what there is of it; none where an operator's credential alone stands behind the posting. */
export function authorityPart(facts: PostingFacts): Part[] {
  const { transfer, payment } = facts;
  const agentId = transfer && textIn(transfer.row, 'agent_id');
  const approval = approvalOf(facts);
  const mandate = mandateOf(facts);
  const signature = payment && textIn(payment, 'payment_signature');
  const value = {
    ...(agentId !== null && { agent_id: printId('agent', agentId) }),
    ...(approval !== null && { approval }),
    ...(mandate !== null && { mandate }),
    ...(signature !== null && { signature: { over_sha256: sha256(signature).toString('hex'), profile: 'x402' } }),
  };
  return Object.keys(value).length === 0 ? [] : [{ name: 'authority', value: canonicalJson(value) }];
}

/** The approval that the money waits for, or was let go by, with the votes for it. */
function approvalOf({ decision, approval }: PostingFacts): Record<string, unknown> | null {
  if (approval !== null) return { id: printId('approval', textIn(approval.approval, 'id') ?? ''), votes: printVotes(approval) };
  const id = decision && textIn(decision, 'approval_id');
  return id === null ? null : { id: printId('approval', id) };
}

/** The mandate, with the version and the JWT that were presented where the rules were asked. */
function mandateOf({ decision, transfer }: PostingFacts): Record<string, unknown> | null {
  const presented = decision === null ? undefined : (decision['input'] as DecisionInput).mandate;
  if (presented !== undefined) {
    const [id, version, jwtSha256] = presented;
    return { id: printId('mandate', id), ...(jwtSha256 !== undefined && { jwt_sha256: jwtSha256 }), version };
  }
  const id = transfer !== null && !isHeld(transfer.status) ? textIn(transfer.row, 'mandate_id') : null;
  return id === null ? null : { id: printId('mandate', id) };
}
