// Agents and their credentials, as tests of every operation need them.
import type { Example } from '../../example.js';
import { enrol, signIn } from './identity.js';

export const example: Example = {
  stored: async ({ client, account, agent }) => {
    const token = await signIn(client, agent);
    const { data: sessions } = (await client.get(`/v1/agents/${agent.id}/sessions`, { as: token })).body;
    const { data: tokens } = (await client.get(`/v1/agents/${agent.id}/tokens`)).body;
    return {
      agent: agent.uuid,
      actor: agent.uuid,
      // Another agent of the account, where one would do business with itself.
      colleague: (await enrol(client, { parent_account_id: account.id })).uuid,
      session: sessions[0].id,
      token: tokens[0].id,
    };
  },
  before: {
    unfreezeAgent: ({ client }, { agent }) => client.make(`/v1/agents/${agent}/freeze`, {}),
    activateAgent: ({ client }, { agent }) => client.make(`/v1/agents/${agent}/suspend`, {}),
    provisionAuthKey: ({ client }, { agent }) => client.delete(`/v1/agents/${agent}/auth-keys`),
  },
};
