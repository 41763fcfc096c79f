// What agents give to the process.
import { context } from '../../manifest/context.js';
import { showLine, sweepAgentEvents } from './channel-event.js';
import { endStreams } from './connection.js';
import { agentTokenCredential, sessionCredential } from './credential.js';
import { agent, agentToken, authKey, session } from './noun.js';
import { sweepLogins } from './session.js';

export const agents = context({
  nouns: [agent, authKey, agentToken, session],
  credentials: [sessionCredential, agentTokenCredential],
  channelViews: [showLine],
  sweeps: [sweepLogins, sweepAgentEvents],
  streamEnds: [endStreams],
});
