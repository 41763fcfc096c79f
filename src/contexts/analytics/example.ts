// Documents that GraphiQL offers: the first one it opens with, the others stand in its list "Explore". Each runs as it stands.

/** A document, and what it answers. */
export interface Example {
  title: string;
  document: string;
}

const welcome = `# Put your API key into the field at the top: it serves all tabs. "Explore" beside it has more to ask.
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
`;

const dashboard = `# A dashboard in one request: the last 30 days, unless start and end say otherwise.
query Dashboard($start: Moment, $end: Moment) {
  insight(start: $start, end: $end) {
    period { start end }
    volumeUsd
    refusals { policy budget mandate balance frozen }
    summary { totalOperations successRate byProtocol byCategory }
    costs { totalUsd byProvider }
    distribution { total data { protocol value share } }
    activity { bucket data { timestamp total byProtocol } }
    stats { data { protocol totalVolumeUsd transactionCount averageAmountUsd successRate } }
    operations(limit: 10) {
      nodes { time operation description amount currency success }
      pagination { total nextCursor }
    }
  }
}
`;

const payments = `# The newest payments with who paid, who was paid, by which agent and for which merchant: one request, no further ones.
query Payments {
  transfers(limit: 50) {
    nodes {
      id status amount currency createdAt
      fromAccount { name }
      toAccount { name }
      agent { name }
      merchant { name }
    }
    pagination { hasMore nextCursor }
  }
}
`;

const largest = `# Completed payments of 100 or more, the newest first, and who was paid.
query LargePayments {
  transfers(status: completed, currency: "USD", minAmount: "100.00", limit: 50) {
    nodes { amount currency toAccount { id name } fromAccount { name } description completedAt }
  }
}
`;

const stuck = `# What has not ended: payments that wait or hold money, payouts on their way, deliveries of webhooks.
query Stuck {
  pending: transfers(status: pending, limit: 20) {
    nodes { id amount currency createdAt scheduledFor hold { amount expiresAt } agent { name } approvalId }
  }
  processing: transfers(status: processing, limit: 20) {
    nodes { id amount currency createdAt destination { type } }
  }
  payouts(status: pending, limit: 20) {
    nodes { id amount currency createdAt wallet { name currency } }
  }
}
`;

const refused = `# What rules have refused, with the figures of the rule that refused it.
query Refused {
  decisions(outcome: deny, limit: 20) {
    nodes {
      evaluatedAt code message
      agent { name }
      input { amount currency merchant { name } }
      leadingChecks { layer outcome limit used remaining message }
    }
  }
}
`;

const reasons = `# How many spends were refused in the last 30 days, and by what.
query Refusals {
  insight {
    period { start end }
    refusals { policy budget mandate balance frozen }
    summary { totalOperations successRate }
  }
}
`;

const runway = `# How long the money lasts at the pace of the last weeks, and what is owed.
query Runway {
  treasuryRunway { runwayDays burnRateCentsPerDay depletionDate }
  treasuryExposure { currency activeMandates scheduled streams holds disputes reserve }
}
`;

const traces = `# What each request has spent: operations with the trace behind them. usageTrace(traceId) has all of one.
query SpendByTrace {
  usageOperations(success: true, limit: 20) {
    nodes { time traceId operation amountUsd agent { name } account { name } counterparty { name } }
  }
}
`;

const agents = `# Agents with what they may spend, and the approvals that wait for you.
query AgentsAndApprovals {
  agents(limit: 10) {
    nodes { id name status kyaTier parentAccount { name } }
    pagination { total }
  }
  approvals(status: pending, limit: 10) {
    nodes { id amount currency expiresAt agent { name } merchant { name } }
    pagination { total }
  }
}
`;

const budgets = `# Budgets, and what is left of each.
query Budgets {
  budgets(limit: 20) {
    nodes { name scope { type id } amount currency period spent reserved remaining resetsAt }
  }
}
`;

const mandates = `# Mandates in force: who may spend how much for whom, and until when.
query Mandates {
  mandates(status: active, limit: 20) {
    nodes {
      id expiresAt
      agent { name }
      account { name }
      scope { maxPerTx maxPerDay maxPerMonth currency }
      usage { today month remainingDaily remainingMonthly }
    }
  }
}
`;

const wallets = `# Wallets with whose they are, what they hold, and their newest entries.
query Wallets {
  wallets(limit: 10) {
    nodes {
      id currency status
      account { name }
      balance { available held total }
      entries(limit: 5) { nodes { direction amount balanceAfter createdAt transfer { description } } }
    }
  }
}
`;

const demand = `# What became of the checkouts that were opened, and which merchants sell.
query Demand {
  insight {
    demand {
      data {
        sessionsOpened sessionsCompleted completionRate medianTimeToCompleteSeconds
        dropOff { stage count share }
        topCancelReasons { reason count }
        byMerchant { name sessionsOpened sessionsCompleted completionRate }
      }
    }
  }
}
`;

const changes = `# Who changed what, newest first.
query Changes {
  auditLog(limit: 20) {
    nodes { at action actor { type id } resourceType resourceId changes }
  }
}
`;

const live = `# Transfers as they change: run it, then pay something.
subscription LiveTransfers {
  transferUpdated {
    at
    transfer { id status amount currency fromAccount { name } toAccount { name } agent { name } }
  }
}
`;

/** The first one is open at the start. */
export const examples: readonly Example[] = [
  { title: 'Welcome', document: welcome },
  { title: 'A dashboard in one request', document: dashboard },
  { title: 'Payments with names', document: payments },
  { title: 'Who was paid 100 or more', document: largest },
  { title: 'What is stuck', document: stuck },
  { title: 'What rules have refused', document: refused },
  { title: 'Why spends are refused', document: reasons },
  { title: 'Runway and exposure', document: runway },
  { title: 'Spend by trace', document: traces },
  { title: 'Agents, and approvals that wait', document: agents },
  { title: 'What is left of budgets', document: budgets },
  { title: 'Mandates in force', document: mandates },
  { title: 'Wallets and their entries', document: wallets },
  { title: 'What became of checkouts', document: demand },
  { title: 'Who changed what', document: changes },
  { title: 'Transfers, live', document: live },
];
