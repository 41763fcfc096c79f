// What the console asks of the public GraphQL API. scripts/console-answers.ts prints the types of variables and answers from here and
// from the schema into answers.ts; a document that the schema does not allow stops it.

const recorded = `
  id
  time
  category
  operation
  protocol
  success
  amount
  currency
  description
  counterparty { name }
`;

const agent = `
  id
  name
  status
  statusReason
  kyaTier
  connected
  parentAccount { name }
  wallets(limit: 3) { nodes { id currency balance { available } } pagination { total } }
`;

const delivery = `
  id
  webhookId
  eventType
  status
  attemptCount
  lastResponseCode
  lastError
  dlqAt
  dlqReason
`;

const paging = 'pagination { total totalIsMinimum hasMore nextCursor }';

export const operations = {
  SignIn: `mutation SignIn($input: CreateAuthSessionInput!) {
    createAuthSession(input: $input) { token expiresIn environment }
  }`,

  SignOut: `mutation SignOut {
    endAuthSession { endedAt }
  }`,

  Shell: `query Shell {
    me { environment tenantId pendingApprovals actor { name } }
    spending { frozen reason since }
    insight { asOf }
  }`,

  Overview: `query Overview($start: Moment!) {
    insight(start: $start) {
      asOf
      period { start end }
      summary { totalOperations totalExternalCostUsd successRate }
      volume: activity(metric: volume) { bucket data { timestamp total byProtocol } }
      count: activity(metric: count) { bucket data { timestamp total byProtocol } }
      distribution(metric: volume) { total }
      stats { data { protocol totalVolumeUsd transactionCount averageAmountUsd successRate } }
      demand {
        data {
          sessionsOpened
          sessionsCompleted
          completionRate
          averageTimeToCompleteSeconds
          medianTimeToCompleteSeconds
          dropOff { stage count share }
        }
      }
    }
  }`,

  Recent: `query Recent {
    recentActivity(limit: 50) { ${recorded} }
  }`,

  Recorded: `subscription Recorded {
    operationRecorded { id operation { ${recorded} } }
  }`,

  Agents: `query Agents($status: AgentStatus, $after: Cursor) {
    agents(limit: 25, status: $status, after: $after) { nodes { ${agent} } ${paging} }
  }`,

  AgentLimits: `query AgentLimits($id: AgentId!) {
    agentLimits(id: $id) {
      kyaTier
      kya { per currency max used remaining resetsAt }
      budgets { budgetId name scopeType period currency amount spent remaining resetsAt }
      policies { policyId name ruleId kind per currency max used remaining }
    }
  }`,

  FreezeAgent: `mutation FreezeAgent($id: AgentId!, $input: AgentStepInput!) {
    freezeAgent(id: $id, input: $input) { ${agent} }
  }`,

  UnfreezeAgent: `mutation UnfreezeAgent($id: AgentId!, $input: AgentStepInput!) {
    unfreezeAgent(id: $id, input: $input) { ${agent} }
  }`,

  Wallets: `query Wallets($status: WalletStatus, $after: Cursor) {
    wallets(limit: 50, status: $status, after: $after) {
      nodes {
        id
        name
        ownerType
        ownerId
        currency
        status
        frozenReason
        lowBalanceThreshold
        account { name }
        balance { available held wrapped pendingIn total }
      }
      ${paging}
    }
  }`,

  Names: `query Names {
    agents(limit: 100) { nodes { id name } }
    accounts(limit: 100) { nodes { id name } }
  }`,

  Approvals: `query Approvals($status: ApprovalStatus, $after: Cursor) {
    approvals(limit: 25, status: $status, after: $after) {
      nodes {
        id
        status
        subject { type id }
        amount
        currency
        description
        agent { id name }
        merchant { name }
        context { spentToday remainingToday firstTimeCounterparty similarApproved30d }
        requestedBy { type id }
        requestedAt
        expiresAt
        decidedAt
        comment
        resultError { code error }
      }
      ${paging}
    }
  }`,

  Approve: `mutation Approve($id: ApprovalId!, $input: ApproveApprovalInput!) {
    approveApproval(id: $id, input: $input) { approval { id status resultError { code error } } }
  }`,

  Reject: `mutation Reject($id: ApprovalId!, $input: RejectApprovalInput!) {
    rejectApproval(id: $id, input: $input) { id status }
  }`,

  Budgets: `query Budgets($after: Cursor) {
    budgets(limit: 50, after: $after) {
      nodes {
        id
        name
        scope { type id }
        amount
        currency
        period
        expiresAt
        alertsAt
        spent
        reserved
        remaining
        resetsAt
      }
      ${paging}
    }
  }`,

  Webhooks: `query Webhooks($after: Cursor) {
    webhooks(limit: 10, after: $after) {
      nodes { id url events description status failingSince disabledReason createdAt }
      ${paging}
    }
  }`,

  WebhookStats: `query WebhookStats($id: WebhookId!) {
    webhookStats(id: $id) { pending delivered failed dlq p50Ms p95Ms }
  }`,

  DeadLetters: `query DeadLetters($webhookId: WebhookId, $after: Cursor) {
    deliveries(status: dlq, limit: 25, webhookId: $webhookId, after: $after) { nodes { ${delivery} } ${paging} }
  }`,

  ReplayDelivery: `mutation ReplayDelivery($id: DeliveryId!) {
    replayDelivery(id: $id) { id status }
  }`,
} as const;
