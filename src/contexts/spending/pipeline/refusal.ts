// What a refused posting means to its caller: the ledger reports numbers, this words them. One function orders the faults by the
// layers of the pipeline, so that every door answers with the same code (CONTRACT.md 0 "Spend pipeline", "Errors").
import type { Fault } from '../../../ledger/fault.js';
import { InvalidAgentToken, InvalidApiKey, InvalidConnectionToken, LoginExpired, signedOut } from '../../../platform/credential.js';
import type { Ctx } from '../../../platform/ctx.js';
import { AlreadyExists, ApiError, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { IdempotencyInFlight } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { printId } from '../../../platform/schema/id.js';
import { WalletFrozen } from '../../accounts/errors.js';
import { AgentFrozen, AgentSuspended, KeyRevoked, SessionRevoked } from '../../agents/errors.js';
import {
  ChallengeUsed,
  InsufficientBalance,
  InvalidMandateJwt,
  MandateExpired,
  MandateRevoked,
  NonceUsed,
  QuoteUsed,
  RowChanged,
  ruleErrors,
  WorkspaceFrozen,
} from '../errors.js';
import { type Layer, layers } from './layer.js';
import { limitFigures, type RuleUse } from './limit.js';
import type { Authority } from './pipeline.js';
import { duplicateReference } from './reference.js';
import { limitError, ruleError } from './rule-refusal.js';
import { countsOthers } from './shared-limit.js';

/** Every error that a posting can answer with besides those of credentials, for the faces to list. */
export const postingErrors = [
  InsufficientBalance,
  WalletFrozen,
  WorkspaceFrozen,
  ...ruleErrors,
  AgentFrozen,
  AgentSuspended,
  AlreadyExists,
] as const;

/** What refuses a spend, and the layer of the pipeline that it belongs to. */
export interface Refusal {
  layer: Layer;
  error: ApiError;
  /** The rule that refuses, where a rule does. */
  ruleId?: string;
}

const inOrder = (refusals: Refusal[]) => refusals.sort((a, b) => layers.indexOf(a.layer) - layers.indexOf(b.layer));

/** What refuses a posting, in the order of the pipeline: the faults that the ledger found and the results of the rules. */
export function refusalsOf(faults: readonly Fault[], ctx: Ctx, authority?: Authority): Refusal[] {
  const ofRules = (authority?.ruleResults.results ?? [])
    .filter(({ outcome }) => outcome === 'fail')
    .map((result) => ({ layer: result.layer, ruleId: result.ruleId, error: ruleError(result, authority as Authority) }));
  return inOrder([...ofRules, ...faults.map((fault) => refusalBehind(fault, ctx, authority))]);
}

/** The error that a refused posting answers with: that of the first layer that refuses. */
export function refusalOf(faults: readonly Fault[], ctx: Ctx, authority?: Authority): ApiError {
  const [first] = refusalsOf(faults, ctx, authority);
  return first?.error ?? new ApiError(500, 'internal_error', 'the ledger refused without a fault');
}

/** The use of a limit that a fault is about. */
export function useBehind({ detail }: Fault, { ruleResults }: Authority): RuleUse | undefined {
  return ruleResults.uses.find(({ counter, window }) => counter === detail['counter'] && window === detail['window']);
}

function refusalBehind(fault: Fault, ctx: Ctx, authority: Authority | undefined): Refusal {
  switch (fault.kind) {
    case 'account':
      return accountRefusal(fault, ctx);
    case 'guard':
      return guardRefusal(fault, authority);
    case 'limit':
      return limitRefusal(fault, ctx, authority);
    case 'claim':
      return { layer: 'claim', error: claimRefusal(fault) };
  }
}

function limitRefusal(fault: Fault, { actor }: Ctx, authority: Authority | undefined): Refusal {
  const use = authority === undefined ? undefined : useBehind(fault, authority);
  if (use === undefined || authority === undefined) throw new Error(`no rule uses the limit ${fault.subject}`);
  const { used = '0', requested = '0' } = fault.detail;
  const figures = { ...limitFigures(use, BigInt(used)), requested: BigInt(requested) };
  const shared = actor.agent !== undefined && countsOthers(use.ruleId, authority.rules);
  return { layer: use.layer, ruleId: use.ruleId, error: limitError(use, figures, authority, shared) };
}

function accountRefusal({ refusal, detail }: Fault, ctx: Ctx): Refusal {
  const walletId = detail['owner_id'] ?? '';
  switch (refusal) {
    case 'not_found':
      return { layer: 'party', error: new NotFound() };
    case 'wallet_frozen':
      return { layer: 'wallet', error: new WalletFrozen(walletId) };
    case 'wallet_closed':
      return { layer: 'wallet', error: new WalletFrozen(walletId, 'closed') };
    case 'insufficient_balance':
      return { layer: 'balance', error: insufficientBalance(detail, ctx) };
    case 'balance_too_large': {
      const issue = { path: ['amount'], message: 'would make a balance larger than a wallet can hold', rule: 'max' };
      return { layer: 'capacity', error: new ValidationFailed([issue]) };
    }
    default:
      throw new Error(`the ledger refused an account with ${refusal}`);
  }
}

function guardRefusal({ refusal, detail }: Fault, authority: Authority | undefined): Refusal {
  const agentPath = `/v1/agents/${printId('agent', detail['id'] ?? '')}`;
  const wayOut = (rel: string, method: string, step: string) => ({
    details: { next_actions: [{ rel, actor: 'api_key' as const, method, path: agentPath + step }] },
  });
  switch (refusal) {
    // Before all others: what was planned is about a row that is another by now.
    case 'changed':
      return { layer: 'credential', error: new RowChanged() };
    case 'invalid_api_key':
      return { layer: 'credential', error: new InvalidApiKey() };
    case 'invalid_jwt':
      return { layer: 'credential', error: signedOut() };
    case 'login_expired':
      return { layer: 'credential', error: new LoginExpired() };
    case 'session_revoked':
      return { layer: 'credential', error: new SessionRevoked('This session has ended. Sign a new challenge to get another.') };
    case 'invalid_agent_token':
      return { layer: 'credential', error: new InvalidAgentToken('This agent token has ended: it was rotated or revoked.') };
    case 'connection_ended':
      return { layer: 'credential', error: new InvalidConnectionToken() };
    case 'key_revoked':
      return {
        layer: 'credential',
        error: new KeyRevoked('The key of this agent was revoked. A new one has to be provisioned by an API key.'),
      };
    case 'workspace_frozen':
      return { layer: 'workspace', error: workspaceFrozen() };
    case 'wallet_frozen':
      return { layer: 'wallet', error: new WalletFrozen(detail['id'] ?? '') };
    case 'wallet_closed':
      return { layer: 'wallet', error: new WalletFrozen(detail['id'] ?? '', 'closed') };
    // The mandate itself: what is wrong with it is said before any layer is asked (CONTRACT.md 7).
    case 'mandate_revoked':
      return { layer: 'party', error: new MandateRevoked() };
    case 'mandate_expired':
      return { layer: 'party', error: new MandateExpired() };
    case 'invalid_mandate_jwt':
      return { layer: 'party', error: new InvalidMandateJwt(authority?.rules.mandate?.id) };
    case 'agent_frozen':
      return {
        layer: 'agent',
        error: new AgentFrozen('This agent is frozen: it can read but not spend.', wayOut('unfreeze', 'POST', '/unfreeze')),
      };
    case 'agent_suspended':
      return { layer: 'agent', error: new AgentSuspended('This agent is suspended or revoked.', wayOut('read', 'GET', '')) };
    default:
      throw new Error(`a guard refused with ${refusal}`);
  }
}

/** 403: the kill switch of the whole workspace is on. */
function workspaceFrozen(): WorkspaceFrozen {
  return new WorkspaceFrozen('Spending is frozen in this whole workspace.', {
    details: {
      next_actions: [
        { rel: 'state', actor: 'any', method: 'GET', path: '/v1/spending' },
        { rel: 'unfreeze', actor: 'api_key', method: 'POST', path: '/v1/spending/unfreeze' },
      ],
    },
  });
}

function claimRefusal({ detail }: Fault): ApiError {
  switch (detail['kind']) {
    case 'reference':
      return duplicateReference(detail['key'] ?? '');
    case 'x402_nonce':
      return new NonceUsed();
    case 'mpp_challenge':
      return new ChallengeUsed();
    case 'quote':
      return new QuoteUsed(detail['key'] ?? '');
    default:
      // The caller of a keyed request then looks up what the first one made.
      return new IdempotencyInFlight();
  }
}

function insufficientBalance(detail: Fault['detail'], { workspace }: Ctx): InsufficientBalance {
  const { owner_id: walletId = '', currency = '', available = '0', requested = '0' } = detail;
  const print = (minor: bigint | string) => formatMinor(BigInt(minor), currency);
  const missing = print(BigInt(requested) - BigInt(available));
  const fund = { rel: 'fund', actor: 'api_key', method: 'POST', path: `/v1/wallets/${walletId}/fund`, body: { amount: missing } } as const;
  const look = { rel: 'balance', actor: 'any', method: 'GET', path: `/v1/wallets/${walletId}/balance` } as const;
  return new InsufficientBalance(`The wallet has ${print(available)} ${currency} available; this needs ${print(requested)}.`, {
    details: {
      wallet_id: walletId,
      currency,
      available: print(available),
      requested: print(requested),
      missing,
      next_actions: [workspace.environment === 'test' ? fund : look],
    },
  });
}
