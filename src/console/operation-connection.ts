// What the console asks about programs that people connect to agents.
import { paging } from './operation-part.js';

export const connectionOperations = {
  ConnectRequest: `query ConnectRequest($uid: String!) {
    me { scopes environment member { name } }
    connectRequest(uid: $uid) {
      client { name kind host }
      redirectHost
      isLoopback
      scopes
      agents { id name }
      accounts { id name }
      expiresAt
    }
  }`,

  GrantConnection: `mutation GrantConnection($uid: String!, $input: GrantConnectionInput!) {
    grantConnection(uid: $uid, input: $input) { redirectTo }
  }`,

  DenyConnection: `mutation DenyConnection($uid: String!) {
    denyConnection(uid: $uid) { redirectTo }
  }`,

  Connections: `query Connections($status: ConnectionStatus, $agentId: AgentId, $after: Cursor) {
    connections(limit: 25, status: $status, agentId: $agentId, after: $after) {
      nodes {
        id
        client { name }
        redirectHost
        agentId
        agent { id name }
        member { id }
        scopes
        budget { amount currency period spent }
        status
        createdAt
        lastUsedAt
        lastIp
        expiresAt
      }
      ${paging}
    }
  }`,

  RevokeConnection: `mutation RevokeConnection($id: ConnectionId!) {
    revokeConnection(id: $id) { id status }
  }`,
} as const;
