// Policies, budgets, decisions and approvals, as tests of every operation need them.
import type { Example, World } from '../../example.js';
import { storedApproval, trip } from '../../factories/approval.js';
import { newBudget, unusedTrace } from '../../factories/budget.js';
import { refusedSpend } from '../../factories/decision.js';
import { transferBody } from '../../factories/payment.js';
import { openWallet } from '../../harness.js';
import type { Seeds } from '../../operation.js';
import { enrol } from '../agents/identity.js';

/** What binds nothing that other operations spend. */
async function controls({ client, agent, account }: World): Promise<Seeds> {
  const budget = await newBudget(client, { scope: unusedTrace });
  const target = { type: 'account', id: (await openWallet(client)).account.id };
  const rules = [{ kind: 'velocity', count: 1_000_000, seconds: 1 }];
  const policy = await client.make('/v1/policies', { name: 'Seed', target, rules });
  return { budget: budget.id, parent: budget.id, scope: agent.uuid, target: account.id, policy: policy.id };
}

export const example: Example = {
  stored: async (world) => ({
    ...(await controls(world)),
    decision: (await refusedSpend(world.harness, world.client)).id,
    approval: (await storedApproval(world.harness, world.client)).id,
  }),
  made: async (world) => {
    const { harness, client, account, wallet, payee } = world;
    const { uuid } = await enrol(client, { parent_account_id: account.id });
    await trip(harness, uuid);
    // Asked for by a key that the client's has made, which may then decide.
    const asker = await client.make('/v1/api-keys', { name: 'Asker' });
    const spend = transferBody(wallet, payee.wallet, '10.00', { agent_id: uuid });
    const { approval, data: waiting } = (await client.post('/v1/transfers', spend, { as: asker.key })).body;
    return { ...(await controls(world)), decision: waiting.decision_id, approval: approval.id };
  },
  bodies: {
    createBudget: () => ({ scope: unusedTrace }),
    setBreakers: () => ({ detectors: [{ kind: 'rate', action: 'notify', factor: 2 }] }),
  },
  before: { unfreezeSpending: ({ client }) => client.make('/v1/spending/freeze', {}) },
};
