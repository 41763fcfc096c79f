// What the console asks of the public GraphQL API: of the workspace here, of other things in the files operation-*.ts.
// scripts/console-answers.ts prints the types of variables and answers from here and from the schema into answers.ts; a document that the
// schema does not allow stops it.

import { agentOperations } from './operation-agent.js';
import { connectionOperations } from './operation-connection.js';
import { evidenceOperations } from './operation-evidence.js';
import { moneyOperations } from './operation-money.js';
import { paging } from './operation-part.js';
import { peopleOperations } from './operation-people.js';
import { railOperations } from './operation-rail.js';
import { shopOperations } from './operation-shop.js';

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

export const operations = {
  ...moneyOperations,
  ...agentOperations,
  ...peopleOperations,
  ...connectionOperations,
  ...shopOperations,
  ...evidenceOperations,
  ...railOperations,

  SignIn: `mutation SignIn($input: CreateAuthSessionInput!) {
    createAuthSession(input: $input) { token expiresIn environment }
  }`,

  SignOut: `mutation SignOut {
    endAuthSession { endedAt }
  }`,

  RenewSession: `mutation RenewSession {
    renewAuthSession { token expiresIn environment }
  }`,

  Shell: `query Shell {
    me {
      environment
      tenantId
      pendingApprovals
      scopes
      actor { name }
      member { id name role authority { maxAmount currency } }
    }
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

  Webhook: `query Webhook($id: WebhookId!) {
    webhook(id: $id) { id url events description status failingSince disabledReason verification createdAt }
    webhookStats(id: $id) { pending delivered failed dlq p50Ms p95Ms }
    webhookHours(id: $id) { hour delivered undelivered }
  }`,

  Deliveries: `query Deliveries($webhookId: WebhookId!, $status: DeliveryStatus, $after: Cursor) {
    deliveries(limit: 25, webhookId: $webhookId, status: $status, after: $after) {
      nodes { id eventType status attemptCount maxAttempts lastResponseCode lastError createdAt deliveredAt nextRetryAt }
      ${paging}
    }
  }`,

  Delivery: `query Delivery($id: DeliveryId!) {
    delivery(id: $id) {
      id
      eventId
      lastResponseCode
      lastResponseBody
      attempts { deliveryId startedAt durationMs responseCode error }
    }
  }`,

  Event: `query Event($id: EventId!) {
    event(id: $id) { id type timestamp data }
  }`,

  SetWebhookStatus: `mutation SetWebhookStatus($id: WebhookId!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) { id status }
  }`,

  Search: `query Search($text: String!) {
    search(text: $text) { type id name status transferId }
  }`,

  ApiKeys: `query ApiKeys($after: Cursor) {
    apiKeys(limit: 50, after: $after) {
      nodes { id name prefix environment scopes allowedIps status createdAt createdBy expiresAt revokedAt lastUsedAt lastUsedIp }
      ${paging}
    }
  }`,

  Scopes: `query Scopes {
    scopes { scopes { scope } }
  }`,

  CreateApiKey: `mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { id key }
  }`,

  RollApiKey: `mutation RollApiKey($id: ApiKeyId!, $input: RollApiKeyInput!) {
    rollApiKey(id: $id, input: $input) { id key }
  }`,

  RevokeApiKey: `mutation RevokeApiKey($id: ApiKeyId!) {
    revokeApiKey(id: $id) { id deleted }
  }`,

  AuditLog: `query AuditLog($action: String, $resourceId: String, $actor: String, $since: DateTime, $until: DateTime, $after: Cursor) {
    auditLog(limit: 50, action: $action, resourceId: $resourceId, actor: $actor, since: $since, until: $until, after: $after) {
      nodes { id at action resourceType resourceId requestId ip changes position actor { type id } }
      ${paging}
    }
  }`,

  VerifyAuditLog: `query VerifyAuditLog($after: AuditEntryId) {
    verifyAuditLog(after: $after) { valid checked firstInvalidId headHash nextAfter tree { size rootHash } }
  }`,

  ReplayDelivery: `mutation ReplayDelivery($id: DeliveryId!) {
    replayDelivery(id: $id) { id status }
  }`,
} as const;
