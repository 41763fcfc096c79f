// Settlement rules, as tests of every operation need them.
import type { Example } from '../../example.js';
import { newRule, someRule } from '../../factories/settlement-rule.js';

/** The action whose destination the member names. */
const actionOf = (member: string) =>
  member.startsWith('destination_') ? member.replace(/^destination_(\w+)_id$/, 'settle_to_$1') : 'notify';

export const example: Example = {
  stored: async ({ client }) => ({ settlement_rule: (await someRule(client)).id }),
  made: async ({ client, payee }) => ({ settlement_rule: (await newRule(client, payee.wallet)).id }),
  bodies: {
    createSettlementRule: ({ to_wallet }, member) => ({
      wallet_id: to_wallet,
      trigger_type: 'manual',
      action_type: actionOf(member),
    }),
    requestSettlement: ({ to_wallet }) => ({ wallet_id: to_wallet }),
    updateSettlementRule: (_, member) => ({ action_type: actionOf(member) }),
  },
};
