// Errors that are the settlement rules' own.
import { declareError } from '../../platform/errors.js';

/** 409: a workspace has as many rules as it may have. */
export class TooManySettlementRules extends declareError(409, 'state_conflict') {
  constructor(maximum: number, used: number) {
    super(`A workspace has at most ${maximum} settlement rules. Delete one first.`, {
      details: {
        limit: { name: 'settlement_rules', maximum, used },
        next_actions: [{ rel: 'settlement_rules', actor: 'any', method: 'GET', path: '/v1/settlement-rules' }],
      },
    });
  }
}

/** 409: a rule that is disabled does not run. */
export class RuleDisabled extends declareError(409, 'state_conflict') {
  constructor(id: string) {
    const path = `/v1/settlement-rules/${id}`;
    super('The rule is disabled. Enable it to run it.', {
      details: {
        current_status: 'disabled',
        allowed_from: ['enabled'],
        next_actions: [{ rel: 'enable', actor: 'any', method: 'PATCH', path, body: { enabled: true } }],
      },
    });
  }
}

/** 409: nothing says what settling the wallet by hand would do. */
export class NoManualRule extends declareError(409, 'state_conflict') {
  constructor(walletId: string) {
    super('The wallet has no enabled rule with the trigger manual. Create one, or run another rule by its id.', {
      details: {
        wallet_id: walletId,
        next_actions: [{ rel: 'settlement_rules', actor: 'any', method: 'GET', path: `/v1/settlement-rules?wallet_id=${walletId}` }],
      },
    });
  }
}
