// What the console asks about those who spend: agents, their limits, budgets, mandates, tasks and approvals.
import { approval, decision, paging, payment } from './operation-part.js';

const agent = `
  id
  name
  status
  statusReason
  kyaTier
  connected
  parentAccount { id name }
  wallets(limit: 3) { nodes { id currency balance { available } } pagination { total } }
`;

export const agentOperations = {
  Agents: `query Agents($status: AgentStatus, $parentAccountId: AccountId, $after: Cursor) {
    agents(limit: 25, status: $status, parentAccountId: $parentAccountId, after: $after) { nodes { ${agent} } ${paging} }
  }`,

  AgentLimits: `query AgentLimits($id: AgentId!) {
    agentLimits(id: $id) {
      kyaTier
      kya { per currency max used remaining resetsAt }
      budgets { budgetId name scopeType period currency amount spent remaining resetsAt }
      policies { policyId name ruleId kind per currency max used remaining }
    }
  }`,

  Agent: `query Agent($id: AgentId!, $uuid: AgentUuid!) {
    agent(id: $id) { ${agent} description createdAt defaultWalletId }
    agentKeys(id: $id) { id algorithm status createdAt revokedAt lastUsedAt }
    agentTokens(id: $id) { id status createdAt expiresAt lastUsedAt }
    agentSessions(id: $id) { id createdAt expiresAt lastUsedAt ip connected }
    mandates(limit: 10, agentId: $uuid) {
      nodes { id status expiresAt scope { currency maxPerTx maxPerDay maxPerMonth } usage { today month remainingDaily } }
    }
  }`,

  AgentDecisions: `query AgentDecisions($agentId: AgentUuid!, $outcome: DecisionOutcome, $after: Cursor) {
    decisions(limit: 10, agentId: $agentId, outcome: $outcome, after: $after) {
      nodes { ${decision} input { amount currency protocol } }
      ${paging}
    }
  }`,

  AgentDays: `query AgentDays($agentId: AgentUuid!, $since: DateTime!) {
    transferDays(agentId: $agentId, since: $since) { day currency count amount }
  }`,

  FreezeAgent: `mutation FreezeAgent($id: AgentId!, $input: AgentStepInput!) {
    freezeAgent(id: $id, input: $input) { ${agent} }
  }`,

  UnfreezeAgent: `mutation UnfreezeAgent($id: AgentId!, $input: AgentStepInput!) {
    unfreezeAgent(id: $id, input: $input) { ${agent} }
  }`,

  Names: `query Names {
    agents(limit: 100) { nodes { id name } }
    accounts(limit: 100) { nodes { id name } }
    wallets(limit: 100) { nodes { id name ownerId } }
    budgets(limit: 100) { nodes { id name } }
  }`,

  Approvals: `query Approvals($status: ApprovalStatus, $after: Cursor) {
    approvals(limit: 25, status: $status, after: $after) { nodes { ${approval} } ${paging} }
  }`,

  Approval: `query Approval($id: ApprovalId!) {
    approval(id: $id) { ${approval} }
  }`,

  ApprovalPayment: `query ApprovalPayment($id: TransferId!) {
    transfer(id: $id) { ${payment} decisionId }
  }`,

  PaidBefore: `query PaidBefore($from: AccountId, $to: AccountId!) {
    transfers(limit: 3, status: completed, fromAccountId: $from, toAccountId: $to) {
      nodes { id amount currency createdAt description }
    }
  }`,

  ApprovalChanges: `subscription ApprovalChanges {
    approvals { id kind }
  }`,

  Approve: `mutation Approve($id: ApprovalId!, $input: ApproveApprovalInput!) {
    approveApproval(id: $id, input: $input) { approval { id status resultError { code error } } missing }
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

  Mandates: `query Mandates($status: MandateStatus, $agentId: AgentUuid, $accountId: AccountId, $after: Cursor) {
    mandates(limit: 25, status: $status, agentId: $agentId, accountId: $accountId, after: $after) {
      nodes {
        id
        status
        expiresAt
        scope { currency maxPerTx maxPerDay maxPerMonth }
        usage { today month remainingDaily remainingMonthly executions }
        account { id name }
        agent { id name }
      }
      ${paging}
    }
  }`,

  Mandate: `query Mandate($id: MandateId!) {
    mandate(id: $id) {
      id
      status
      version
      expiresAt
      revokedAt
      revokedReason
      createdAt
      scope { currency maxPerTx maxPerDay maxPerMonth allowedMerchantCategories allowedMerchants blockedMerchants }
      usage { today month remainingDaily remainingMonthly executions }
      account { id name }
      agent { id name }
    }
  }`,

  MandateExecutions: `query MandateExecutions($id: MandateId!, $after: Cursor) {
    mandateExecutions(id: $id, limit: 25, after: $after) {
      nodes { id amount currency status transferId description createdAt executedAt }
      ${paging}
    }
  }`,

  RevokeMandate: `mutation RevokeMandate($id: MandateId!, $input: RevokeMandateInput) {
    revokeMandate(id: $id, input: $input) { id status }
  }`,

  Tasks: `query Tasks($status: TaskStatus, $agentId: AgentUuid, $after: Cursor) {
    tasks(limit: 25, status: $status, agentId: $agentId, after: $after) {
      nodes {
        id
        skillId
        status
        open
        deadline
        createdAt
        fromAgent { id name }
        toAgent { id name }
        payment { amount currency status transferId }
      }
      ${paging}
    }
  }`,

  Task: `query Task($id: TaskId!) {
    task(id: $id) {
      id
      skillId
      status
      statusReason
      open
      payload
      deliverable
      deadline
      claimedAt
      startedAt
      completedAt
      reviewDeadline
      rating
      feedback
      createdAt
      disputeId
      fromAgent { id name }
      toAgent { id name }
      payment { amount currency status released transferId }
      progress { message percent at }
      messages { id author parts createdAt }
    }
  }`,
} as const;
