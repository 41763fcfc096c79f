// The codes that are spending's own (CONTRACT.md 0 "Errors").
import { declareError, Overloaded } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

export class InsufficientBalance extends declareError(422, 'insufficient_balance') {}
export class WorkspaceFrozen extends declareError(403, 'workspace_frozen') {}
export class KyaLimitExceeded extends declareError(403, 'kya_limit_exceeded') {}
export class PolicyViolation extends declareError(403, 'policy_violation') {}
export class MerchantBlocked extends declareError(403, 'merchant_blocked') {}
export class BudgetExceeded extends declareError(403, 'budget_exceeded') {}
export class MandateLimitExceeded extends declareError(403, 'mandate_limit_exceeded') {}

/** 422: a mandate is for money of one currency. */
export class MandateCurrency extends declareError(422, 'currency_mismatch') {
  constructor(mandateCurrency: string, spendCurrency: string) {
    super(`The mandate is for ${mandateCurrency}, not ${spendCurrency}.`, {
      details: {
        mandate_currency: mandateCurrency,
        currency: spendCurrency,
        next_actions: [{ rel: 'mandates', actor: 'any', method: 'GET', path: '/v1/ap2/mandates' }],
      },
    });
  }
}

/** 409: the mandate was revoked, which is final. */
export class MandateRevoked extends declareError(409, 'mandate_revoked') {
  constructor() {
    super('The mandate was revoked, which is final.', { details: { terminal: true } });
  }
}

/** 409: the time of the mandate is over, which is final. */
export class MandateExpired extends declareError(409, 'mandate_expired') {
  constructor() {
    super('The mandate has expired: a new one has to be issued.', { details: { terminal: true } });
  }
}

/** 422: the JWT is not the one that the mandate has now. */
export class InvalidMandateJwt extends declareError(422, 'invalid_mandate_jwt') {
  constructor(id?: string) {
    super('The mandate_jwt is not the one that this mandate has now.', {
      details:
        id === undefined
          ? { terminal: true }
          : { next_actions: [{ rel: 'mandate', actor: 'any', method: 'GET', path: `/v1/ap2/mandates/${printId('mandate', id)}` }] },
    });
  }
}

/** What is wrong with a mandate itself: said before the pipeline. */
export const mandateErrors = [MandateRevoked, MandateExpired, InvalidMandateJwt] as const;

/** 503: a row that the posting changes is another than was read. Whoever posts reads it again, so a caller hears of it only under siege. */
export class RowChanged extends Overloaded {}

/** 409: a quote is for one transfer. */
export class QuoteUsed extends declareError(409, 'quote_used') {
  /** `body`: what asks for a new one. Unknown where a posting finds that another one was quicker. */
  constructor(id: string, body?: Record<string, unknown>) {
    super('The quote was used by another transfer: a quote is for one. Ask for a new one.', {
      details: {
        quote_id: printId('quote', id),
        next_actions: [
          ...(body ? [{ rel: 'new_quote', actor: 'any', method: 'POST', path: '/v1/quotes', body } as const] : []),
          { rel: 'quote', actor: 'any', method: 'GET', path: `/v1/quotes/${printId('quote', id)}` },
        ],
      },
    });
  }
}

/** 422: an authorization pays once, whatever it is presented for. */
export class NonceUsed extends declareError(422, 'payment_invalid') {
  constructor() {
    super('This nonce, or payment request, has paid before: take a new one.', {
      details: { reason: 'nonce_used', next_actions: [{ rel: 'payments', actor: 'any', method: 'GET', path: '/v1/x402/payments' }] },
    });
  }
}

/** 422: a challenge of MPP is answered once, whoever answers it. */
export class ChallengeUsed extends declareError(422, 'payment_invalid') {
  constructor() {
    super('This challenge has been paid before: ask the service for another one.', {
      details: { reason: 'challenge_used', retry: { safe: true, same_key: false } },
    });
  }
}

/** Every code that a layer of rules refuses with. */
export const ruleErrors = [KyaLimitExceeded, PolicyViolation, MerchantBlocked, BudgetExceeded, MandateLimitExceeded] as const;

/** 409: a workspace has as many budgets as it may have. */
export class TooManyBudgets extends declareError(409, 'state_conflict') {
  constructor(maximum: number, used: number) {
    super(`A workspace has at most ${maximum} budgets. Delete one first.`, {
      details: {
        limit: { name: 'budgets', maximum, used },
        next_actions: [{ rel: 'budgets', actor: 'api_key', method: 'GET', path: '/v1/budgets' }],
      },
    });
  }
}

/** 409: a program that is connected spends within this budget, and without it would spend without any. */
export class BudgetOfConnection extends declareError(409, 'state_conflict') {
  constructor(connectionId: string) {
    const path = `/v1/connections/${printId('connection', connectionId)}`;
    super('A connected program spends within this budget, which ends with its connection alone. Revoke the connection.', {
      details: { current_status: 'active', next_actions: [{ rel: 'revoke', actor: 'any', method: 'DELETE', path }] },
    });
  }
}

/** 409: budgets below this one are still there. */
export class BudgetInUse extends declareError(409, 'state_conflict') {
  constructor(childIds: readonly string[]) {
    const children = childIds.map((id) => printId('budget', id));
    super('The budget has children, which count within it. Delete them first.', {
      details: {
        open: children.map((id) => ({ type: 'budget', id })),
        next_actions: children.map((id) => ({ rel: 'delete_child', actor: 'api_key', method: 'DELETE', path: `/v1/budgets/${id}` })),
      },
    });
  }
}
