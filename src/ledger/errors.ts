// The ledger's refusals as errors of the contract. Each says what the limit was, what was left, and what would help.
import { AlreadyExists, ApiError, declareError, NotFound, ValidationFailed } from '../platform/errors.js';
import { IdempotencyInFlight } from '../platform/idempotency.js';
import { formatMinor } from '../platform/money.js';
import type { Posting } from './posting.js';
import type { Fault } from './posting-set.js';

export class InsufficientBalance extends declareError(422, 'insufficient_balance') {}
export class WalletFrozen extends declareError(403, 'wallet_frozen') {}
export class KyaLimitExceeded extends declareError(403, 'kya_limit_exceeded') {}
export class AgentFrozen extends declareError(403, 'agent_frozen') {}
export class AgentSuspended extends declareError(403, 'agent_suspended') {}
export class SessionRevoked extends declareError(401, 'session_revoked') {}
export class KeyRevoked extends declareError(401, 'key_revoked') {}
export class InvalidApiKey extends declareError(401, 'invalid_api_key') {}
/** No balance goes beyond what a wallet can hold. Gap G-11. */

/** Every error that a posting can answer with, for the faces to list. */
export const postingErrors = [InsufficientBalance, WalletFrozen, KyaLimitExceeded, AgentFrozen, AgentSuspended, AlreadyExists] as const;

/** The key was used before: the caller looks the first result up and replays it. */
export class IdempotencyDone extends Error {}

function insufficient(detail: Record<string, string>, { environment }: Posting): InsufficientBalance {
  const { owner_id = '', currency = '', available = '0', requested = '0' } = detail;
  const short = BigInt(requested) - BigInt(available);
  return new InsufficientBalance(
    `The wallet has ${formatMinor(BigInt(available), currency)} ${currency} available; this needs ${formatMinor(BigInt(requested), currency)}.`,
    {
      details: {
        wallet_id: owner_id,
        currency,
        available: formatMinor(BigInt(available), currency),
        requested: formatMinor(BigInt(requested), currency),
        missing: formatMinor(short, currency),
        next_actions: [
          environment === 'test'
            ? {
                rel: 'fund',
                actor: 'api_key',
                method: 'POST',
                path: `/v1/wallets/${owner_id}/fund`,
                body: { amount: formatMinor(short, currency) },
              }
            : { rel: 'balance', actor: 'any', method: 'GET', path: `/v1/wallets/${owner_id}/balance` },
        ],
      },
    },
  );
}

/** Scope of a limit, from its window: `2026-11-21` is a day, `2026-11` a month. */
function periodOf(window: string): string {
  return window.length === 10 ? 'day' : window.length === 7 ? 'month' : window;
}

function limitExceeded(detail: Record<string, string>, posting: Posting): KyaLimitExceeded {
  const { counter = '', window = '', maximum = '0', used = '0', requested = '0' } = detail;
  const currency = counter.slice(counter.lastIndexOf(':') + 1);
  const remaining = BigInt(maximum) - BigInt(used);
  const print = (minor: bigint | string) => formatMinor(BigInt(minor), currency);
  return new KyaLimitExceeded(
    `This agent may spend ${print(maximum)} ${currency} per ${periodOf(window)}; ${print(remaining < 0n ? 0n : remaining)} is left.`,
    {
      details: {
        limit: {
          kind: 'kya',
          per: periodOf(window),
          window,
          currency,
          max: print(maximum),
          used: print(used),
          requested: print(requested),
          remaining: print(remaining < 0n ? 0n : remaining),
        },
        agent_id: posting.spender.agentId ?? null,
        next_actions: [{ rel: 'raise_limit', actor: 'api_key', method: 'PUT', path: '/v1/kya-limits' }],
      },
    },
  );
}

/** 409: a reference names one transfer of its workspace. */
export function referenceTaken(reference: string | null): AlreadyExists {
  return new AlreadyExists('Another transfer has this reference.', { details: { reference } });
}

/** The error for a fault that stands in the way of `posting`. */
export function refusalError({ refusal, detail }: Fault, posting: Posting): Error {
  const wallet = detail?.['owner_id'] ?? '';
  switch (refusal) {
    case 'insufficient_balance':
      return insufficient(detail ?? {}, posting);
    case 'limit_exceeded':
      return limitExceeded(detail ?? {}, posting);
    case 'not_found':
      return new NotFound();
    case 'wallet_frozen':
    case 'wallet_closed':
      return new WalletFrozen(
        `The wallet ${wallet} is ${refusal === 'wallet_frozen' ? 'frozen: it takes money but does not spend' : 'closed'}.`,
        {
          details: {
            wallet_id: wallet,
            ...(refusal === 'wallet_frozen' && {
              next_actions: [{ rel: 'unfreeze', actor: 'api_key', method: 'POST', path: `/v1/wallets/${wallet}/unfreeze` }],
            }),
          },
        },
      );
    case 'balance_too_large':
      return new ValidationFailed([{ path: ['amount'], message: 'would make a balance larger than the ledger can hold', rule: 'max' }]);
    // Gap G-43
    case 'reference_taken':
      return referenceTaken(posting.transfer?.reference ?? null);
    case 'agent_frozen':
      return new AgentFrozen('This agent is frozen: it can read but not spend.');
    case 'agent_suspended':
      return new AgentSuspended('This agent is suspended or revoked.');
    case 'session_revoked':
      return new SessionRevoked('This session has ended. Sign a new challenge to get another.');
    case 'key_revoked':
      return new KeyRevoked('The key of this agent was revoked. A new one has to be provisioned by an API key.');
    case 'invalid_api_key':
      return new InvalidApiKey('This API key was revoked or has expired.');
    case 'idempotency_in_flight':
      return new IdempotencyInFlight();
    case 'idempotency_done':
      return new IdempotencyDone();
    default:
      return new ApiError(500, 'internal_error', `the ledger refused with ${refusal}`);
  }
}
