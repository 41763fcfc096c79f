// Printed by `npm run schema`: what each scalar of schema.graphql is in TypeScript. Ids are texts, as amounts and points in time are.

/** Free-form JSON. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** For programs that have the types themselves, such as those with gql.tada. */
export interface Scalars {
  AccountId: string;
  AcpCheckoutId: string;
  AgentId: string;
  AgentTokenId: string;
  AgentUuid: string;
  Amount: string;
  Amounts: { [name: string]: string };
  ApiKeyId: string;
  ApprovalId: string;
  AttemptId: string;
  AuditEntryId: string;
  AuthKeyId: string;
  BankAccountId: string;
  BatchId: string;
  BreakerTripId: string;
  BudgetId: string;
  CardChargeId: string;
  CardInstructionId: string;
  CardNetworkRef: string;
  CartId: string;
  Cents: number;
  ConnectionId: string;
  Counts: { [name: string]: number };
  Currency: 'USD' | 'EUR' | 'BRL' | 'MXN' | 'JPY' | 'USDC' | 'EURC' | 'USDT';
  Cursor: string;
  Date: string;
  DateTime: string;
  DecisionId: string;
  DeliveryId: string;
  DiscrepancyId: string;
  DisputeId: string;
  ErasureId: string;
  EventId: string;
  EvidenceDeliveryId: string;
  EvidenceLinkId: string;
  EvidenceLogId: string;
  ExchangeRate: string;
  Figure: number | string;
  Figures: { [name: string]: number | string };
  FlowRate: string;
  Fraction: number;
  FundingTransactionId: string;
  InvitationId: string;
  JSON: Json;
  JSONObject: { [name: string]: Json };
  LedgerTransactionId: string;
  Limit: number;
  LoginId: string;
  MandateExecutionId: string;
  MandateId: string;
  MemberId: string;
  MerchantId: string;
  Moment: string;
  MppPaymentId: string;
  MppSessionId: string;
  MppVoucherId: string;
  Multiplier: number | string;
  OperationId: string;
  OwnerId: string;
  Page: number;
  PasskeyId: string;
  PayoutId: string;
  PolicyId: string;
  PortalTokenId: string;
  QuoteId: string;
  RailEntryId: string;
  RailFaultId: string;
  RailImportId: string;
  RailSwitchId: string;
  RateId: string;
  RefundId: string;
  ReportId: string;
  SessionId: string;
  SettlementExecutionId: string;
  SettlementRuleId: string;
  SettlementWindowId: string;
  SignedAmount: string;
  SnapshotId: string;
  StreamId: string;
  TaskId: string;
  TaskMessageId: string;
  TestClockId: string;
  TimeRange: '24h' | '7d' | '30d';
  TraceId: string;
  TransferId: string;
  UcpCheckoutId: string;
  VaultedCardId: string;
  WalletId: string;
  WebhookId: string;
  X402EndpointId: string;
  X402PaymentId: string;
  X402QuoteId: string;
}

/** For code generators, as text. */
export const scalars = {
  AccountId: "string",
  AcpCheckoutId: "string",
  AgentId: "string",
  AgentTokenId: "string",
  AgentUuid: "string",
  Amount: "string",
  Amounts: "{ [name: string]: string }",
  ApiKeyId: "string",
  ApprovalId: "string",
  AttemptId: "string",
  AuditEntryId: "string",
  AuthKeyId: "string",
  BankAccountId: "string",
  BatchId: "string",
  BreakerTripId: "string",
  BudgetId: "string",
  CardChargeId: "string",
  CardInstructionId: "string",
  CardNetworkRef: "string",
  CartId: "string",
  Cents: "number",
  ConnectionId: "string",
  Counts: "{ [name: string]: number }",
  Currency: "'USD' | 'EUR' | 'BRL' | 'MXN' | 'JPY' | 'USDC' | 'EURC' | 'USDT'",
  Cursor: "string",
  Date: "string",
  DateTime: "string",
  DecisionId: "string",
  DeliveryId: "string",
  DiscrepancyId: "string",
  DisputeId: "string",
  ErasureId: "string",
  EventId: "string",
  EvidenceDeliveryId: "string",
  EvidenceLinkId: "string",
  EvidenceLogId: "string",
  ExchangeRate: "string",
  Figure: "number | string",
  Figures: "{ [name: string]: number | string }",
  FlowRate: "string",
  Fraction: "number",
  FundingTransactionId: "string",
  InvitationId: "string",
  JSON: "import('./scalars.js').Json",
  JSONObject: "{ [name: string]: import('./scalars.js').Json }",
  LedgerTransactionId: "string",
  Limit: "number",
  LoginId: "string",
  MandateExecutionId: "string",
  MandateId: "string",
  MemberId: "string",
  MerchantId: "string",
  Moment: "string",
  MppPaymentId: "string",
  MppSessionId: "string",
  MppVoucherId: "string",
  Multiplier: "number | string",
  OperationId: "string",
  OwnerId: "string",
  Page: "number",
  PasskeyId: "string",
  PayoutId: "string",
  PolicyId: "string",
  PortalTokenId: "string",
  QuoteId: "string",
  RailEntryId: "string",
  RailFaultId: "string",
  RailImportId: "string",
  RailSwitchId: "string",
  RateId: "string",
  RefundId: "string",
  ReportId: "string",
  SessionId: "string",
  SettlementExecutionId: "string",
  SettlementRuleId: "string",
  SettlementWindowId: "string",
  SignedAmount: "string",
  SnapshotId: "string",
  StreamId: "string",
  TaskId: "string",
  TaskMessageId: "string",
  TestClockId: "string",
  TimeRange: "'24h' | '7d' | '30d'",
  TraceId: "string",
  TransferId: "string",
  UcpCheckoutId: "string",
  VaultedCardId: "string",
  WalletId: "string",
  WebhookId: "string",
  X402EndpointId: "string",
  X402PaymentId: "string",
  X402QuoteId: "string",
} as const;
