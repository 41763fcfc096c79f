// What the console asks about money: payments, accounts and wallets, and what is held against the statements of rails.
import { decision, paging, payment } from './operation-part.js';

/** The variables and the arguments that choose payments: the list, its totals and its file take the same. */
const filters = `$status: TransferStatus, $protocol: Protocol, $type: TransferType, $accountId: AccountId, $walletId: WalletId,
    $agentId: AgentUuid, $mandateId: MandateId, $currency: Currency, $minAmount: Amount, $maxAmount: Amount, $reference: String,
    $since: DateTime, $until: DateTime`;
const chosen = `status: $status, protocol: $protocol, type: $type, accountId: $accountId, walletId: $walletId, agentId: $agentId,
      mandateId: $mandateId, currency: $currency, minAmount: $minAmount, maxAmount: $maxAmount, reference: $reference, since: $since,
      until: $until`;

export const moneyOperations = {
  Payments: `query Payments(${filters}, $after: Cursor) {
    transfers(limit: 50, ${chosen}, after: $after) { nodes { ${payment} } ${paging} }
  }`,

  PaymentTotals: `query PaymentTotals(${filters}) {
    transferTotals(${chosen}) { count complete sums { currency status count amount fees refunded } }
  }`,

  PaymentCsv: `query PaymentCsv(${filters}, $after: Cursor) {
    transferCsv(${chosen}, after: $after) { csv rows nextCursor }
  }`,

  Payment: `query Payment($id: TransferId!, $objectId: String!) {
    transfer(id: $id) {
      ${payment}
      destinationAmount
      destinationCurrency
      fee { amount }
      capture
      captureBy
      hold { amount capturedAmount expiresAt }
      scheduledFor
      initiatedBy { type id }
      decisionId
      approvalId
      mandateId
      batchId
      traceId
      failure { code message }
      updatedAt
      completedAt
    }
    transferEntries(id: $id) { id transactionId walletId account bucket direction amount currency balanceAfter createdAt }
    refunds(limit: 20, originalTransferId: $id) {
      nodes { id amount currency reason status createdAt completedAt refundTransferId }
    }
    disputes(limit: 20, transferId: $id) {
      nodes { id status reason description amountDisputed currency createdAt resolvedAt resolution respondBy }
    }
    events(limit: 20, objectId: $objectId) {
      nodes { id type timestamp deliveries { total pending delivered failed dlq } }
    }
  }`,

  Decision: `query Decision($id: DecisionId!) {
    decision(id: $id) { ${decision} }
  }`,

  Payout: `query Payout($id: PayoutId!) {
    payout(id: $id) {
      id
      status
      rail
      railReference
      errorCode
      createdAt
      expectedAt
      confirmedAt
      completedAt
      return { code reason }
    }
  }`,

  EventDeliveries: `query EventDeliveries($eventId: EventId!) {
    deliveries(limit: 20, eventId: $eventId) {
      nodes { id webhookId status attemptCount lastResponseCode lastError createdAt deliveredAt }
    }
  }`,

  Capture: `mutation Capture($id: TransferId!, $input: CaptureTransferInput!) {
    captureTransfer(id: $id, input: $input) { id status }
  }`,

  Cancel: `mutation Cancel($id: TransferId!, $input: CancelTransferInput!) {
    cancelTransfer(id: $id, input: $input) { id status }
  }`,

  Refund: `mutation Refund($input: CreateRefundInput!) {
    createRefund(input: $input) { id status amount currency }
  }`,

  Dispute: `mutation Dispute($input: CreateDisputeInput!) {
    createDispute(input: $input) { id status }
  }`,

  Trace: `query Trace($traceId: TraceId!) {
    usageTrace(traceId: $traceId) {
      traceId
      hasMore
      totals { currency amount }
      operations { id time category operation protocol success amount currency subjectId agentId description counterparty { name } }
    }
  }`,

  Wallets: `query Wallets($status: WalletStatus, $currency: Currency, $after: Cursor) {
    wallets(limit: 50, status: $status, currency: $currency, after: $after) {
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

  Wallet: `query Wallet($id: WalletId!) {
    wallet(id: $id) {
      id
      name
      ownerType
      ownerId
      currency
      status
      frozenReason
      createdAt
      account { id name }
      balance { available held wrapped pendingIn total }
    }
  }`,

  Statement: `query Statement($id: WalletId!, $since: DateTime, $until: DateTime, $after: Cursor) {
    walletEntries(id: $id, limit: 50, since: $since, until: $until, after: $after) {
      nodes { id transferId bucket direction amount currency balanceAfter createdAt }
      ${paging}
    }
  }`,

  FreezeWallet: `mutation FreezeWallet($id: WalletId!, $input: FreezeWalletInput!) {
    freezeWallet(id: $id, input: $input) { id status }
  }`,

  UnfreezeWallet: `mutation UnfreezeWallet($id: WalletId!, $input: FreezeWalletInput!) {
    unfreezeWallet(id: $id, input: $input) { id status }
  }`,

  Accounts: `query Accounts($status: AccountStatus, $type: AccountType, $after: Cursor) {
    accounts(limit: 25, status: $status, type: $type, after: $after) {
      nodes { id type name email country status customerReference createdAt balances { currency available total } }
      ${paging}
    }
  }`,

  Account: `query Account($id: AccountId!) {
    account(id: $id) {
      id
      type
      name
      email
      country
      status
      kycTier
      customerReference
      createdAt
      balances { currency available held wrapped pendingIn total }
      wallets(limit: 50) { nodes { id name ownerType currency status balance { available total } } pagination { total } }
      agents(limit: 50) { nodes { id name status } pagination { total } }
    }
  }`,

  Reports: `query Reports($status: ReconciliationStatus, $after: Cursor) {
    reconciliationReports(limit: 25, status: $status, after: $after) {
      nodes {
        id
        rail
        status
        period { from to }
        totals { ledgerEntries railEntries matched unmatchedLedger unmatchedRail discrepancies }
        createdAt
        completedAt
      }
      ${paging}
    }
  }`,

  Discrepancies: `query Discrepancies($reportId: ReportId, $status: DiscrepancyStatus, $after: Cursor) {
    discrepancies(limit: 25, reportId: $reportId, status: $status, after: $after) {
      nodes {
        id
        rail
        type
        status
        reference
        payoutId
        direction
        expectedAmount
        actualAmount
        currency
        resolution
        note
        detectedAt
        resolvedAt
      }
      ${paging}
    }
  }`,

  StartReconciliation: `mutation StartReconciliation($input: ReconciliationRunInput!) {
    startReconciliation(input: $input) { id status }
  }`,

  ResolveDiscrepancy: `mutation ResolveDiscrepancy($id: DiscrepancyId!, $input: ResolveDiscrepancyInput!) {
    resolveDiscrepancy(id: $id, input: $input) { id status resolution }
  }`,
} as const;
