// The refusals that are the connections' own (CONTRACT.md 22).
import { declareError } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

/** 403: a program asks for what a person has to say. */
export class PersonRequired extends declareError(403, 'forbidden') {
  constructor() {
    super('Only a person who has signed in can connect a program. Open the page in a browser, and sign in there.', {
      details: { reason: 'person_required', terminal: true },
    });
  }
}

/** 409: the agent has as many connections as it may. */
export class AgentFullyConnected extends declareError(409, 'state_conflict') {
  constructor(agentId: string, max: number) {
    const path = `/v1/connections?agent_id=${printId('agent', agentId)}&status=active`;
    super(`The agent has ${max} active connections, which is the most. Revoke one first.`, {
      details: {
        current_status: 'active',
        limit: { name: 'connections', max, used: max },
        next_actions: [{ rel: 'connections', actor: 'any', method: 'GET', path }],
      },
    });
  }
}

/** 409: the authorization was answered before. */
export class AlreadyAnswered extends declareError(409, 'state_conflict') {
  constructor() {
    super('This request was answered already. Begin again in the program that wants to be connected.', {
      details: { current_status: 'answered', allowed_from: ['waiting'], terminal: true },
    });
  }
}
