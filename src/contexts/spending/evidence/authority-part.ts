// By whose authority something was paid: the agent, the mandate and its version, the approval, and what was signed (CONTRACT.md 25).
import type { Part } from '../../../platform/audit-leaf.js';
import { canonicalJson } from '../../../platform/canonical-json.js';
import { sha256 } from '../../../platform/crypto.js';
import { printId } from '../../../platform/schema/id.js';
import type { DecisionInput } from '../pipeline/decision-record.js';
import { type PostingFacts, textIn } from './posting-fact.js';

/** The part, with what there is of it; none where an operator's credential alone stands behind the posting. */
export function authorityPart({ transfer, decision, payment }: PostingFacts): Part[] {
  const agentId = transfer && textIn(transfer.row, 'agent_id');
  const approvalId = decision && textIn(decision, 'approval_id');
  const mandate = decision === null ? undefined : (decision['input'] as DecisionInput).mandate;
  const signature = payment && textIn(payment, 'payment_signature');
  const value = {
    ...(agentId !== null && { agent_id: printId('agent', agentId) }),
    ...(approvalId !== null && { approval: { id: printId('approval', approvalId) } }),
    ...(mandate !== undefined && { mandate: { id: printId('mandate', mandate[0]), version: mandate[1] } }),
    ...(signature !== null && { signature: { over_sha256: sha256(signature).toString('hex'), profile: 'x402' } }),
  };
  return Object.keys(value).length === 0 ? [] : [{ name: 'authority', value: canonicalJson(value) }];
}
