// Documents that GraphiQL opens with, each in a tab of its own: they run as they stand.

/** The tabs, the first one in front. */
export const examples: readonly string[] = [
  `# Put your API key into the field at the top: it serves all tabs.
query Welcome {
  me {
    actor { type id name }
    environment
    serverTime
  }
  wallets(limit: 5) {
    nodes { id currency balance { available total } }
    pagination { total }
  }
}
`,
  `# A dashboard in one request: the last 30 days, unless start and end say otherwise.
query Dashboard($start: Moment, $end: Moment) {
  insight(start: $start, end: $end) {
    period { start end }
    summary { totalOperations successRate byProtocol byCategory }
    costs { totalUsd byProvider }
    distribution { total data { protocol value share } }
    activity { bucket data { timestamp total byProtocol } }
    stats { data { protocol totalVolumeUsd transactionCount averageAmountUsd successRate } }
    demand {
      data {
        sessionsOpened sessionsCompleted completionRate medianTimeToCompleteSeconds
        dropOff { stage count share }
        topCancelReasons { reason count }
      }
    }
    operations(limit: 10) {
      nodes { time operation description amount currency success }
      pagination { total nextCursor }
    }
  }
}
`,
  `# Operations as they become final: run it, then pay something.
subscription LiveOperations {
  operationRecorded {
    id
    operation { time description amount currency protocol success actorId }
  }
}
`,
  `# Agents with what they may spend, and the approvals that wait for you.
query AgentsAndApprovals {
  agents(limit: 10) {
    nodes { id name status kyaTier }
    pagination { total }
  }
  approvals(status: pending, limit: 10) {
    nodes { id status expiresAt }
    pagination { total }
  }
}
`,
];
