// Printed by `npm run schema`: what the operations of operation.ts take and answer. Not to be edited.

export interface Variables {
  Payments: { status?: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled') | null; protocol?: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border') | null; type?: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel') | null; accountId?: string | null; walletId?: string | null; agentId?: string | null; mandateId?: string | null; currency?: string | null; minAmount?: string | null; maxAmount?: string | null; reference?: string | null; since?: string | null; until?: string | null; after?: string | null };
  PaymentTotals: { status?: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled') | null; protocol?: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border') | null; type?: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel') | null; accountId?: string | null; walletId?: string | null; agentId?: string | null; mandateId?: string | null; currency?: string | null; minAmount?: string | null; maxAmount?: string | null; reference?: string | null; since?: string | null; until?: string | null };
  PaymentCsv: { status?: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled') | null; protocol?: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border') | null; type?: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel') | null; accountId?: string | null; walletId?: string | null; agentId?: string | null; mandateId?: string | null; currency?: string | null; minAmount?: string | null; maxAmount?: string | null; reference?: string | null; since?: string | null; until?: string | null; after?: string | null };
  Payment: { id: string; objectId: string };
  Decision: { id: string };
  Payout: { id: string };
  EventDeliveries: { eventId: string };
  Capture: { id: string; input: { amount?: string | null } };
  Cancel: { id: string; input: { reason?: string | null } };
  Refund: { input: { originalTransferId: string; amount?: string | null; reason: ('duplicate_payment' | 'customer_request' | 'service_not_rendered' | 'amount_incorrect' | 'unauthorized' | 'order_cancelled' | 'other'); reasonDetails?: string | null } };
  Dispute: { input: { transferId: string; reason: ('service_not_received' | 'duplicate_charge' | 'unauthorized' | 'amount_incorrect' | 'quality_issue' | 'other'); description: string; amountDisputed?: string | null; evidence?: readonly ({ type: string; description?: string | null; url?: string | null; content?: string | null })[] | null; requestedResolution?: ('refund_full' | 'refund_partial' | 'rejected' | 'withdrawn') | null } };
  Trace: { traceId: string };
  Wallets: { status?: ('active' | 'frozen' | 'closed') | null; currency?: string | null; after?: string | null };
  Wallet: { id: string };
  Statement: { id: string; since?: string | null; until?: string | null; after?: string | null };
  FreezeWallet: { id: string; input: { reason?: string | null } };
  UnfreezeWallet: { id: string; input: { reason?: string | null } };
  Accounts: { status?: ('active' | 'suspended' | 'closed') | null; type?: ('person' | 'business') | null; after?: string | null };
  Account: { id: string };
  Reports: { status?: ('running' | 'completed' | 'failed') | null; after?: string | null };
  Discrepancies: { reportId?: string | null; status?: ('open' | 'chasing' | 'resolved' | 'cleared') | null; after?: string | null };
  StartReconciliation: { input: { rail: string; dateFrom: string; dateTo: string } };
  ResolveDiscrepancy: { id: string; input: { resolution: ('adjusted' | 'written_off' | 'chasing' | 'no_action'); note?: string | null; adjustmentTransferId?: string | null } };
  Agents: { status?: ('active' | 'frozen' | 'suspended' | 'revoked') | null; parentAccountId?: string | null; after?: string | null };
  AgentLimits: { id: string };
  Agent: { id: string; uuid: string };
  AgentDecisions: { agentId: string; outcome?: ('allow' | 'deny' | 'require_approval') | null; after?: string | null };
  AgentDays: { agentId: string; since: string };
  FreezeAgent: { id: string; input: { reason?: string | null } };
  UnfreezeAgent: { id: string; input: { reason?: string | null } };
  Names: Record<string, never>;
  Approvals: { status?: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled') | null; after?: string | null };
  Approval: { id: string };
  ApprovalPayment: { id: string };
  PaidBefore: { from?: string | null; to: string };
  ApprovalChanges: Record<string, never>;
  Approve: { id: string; input: { comment?: string | null } };
  Reject: { id: string; input: { reason?: string | null } };
  Budgets: { after?: string | null };
  Mandates: { status?: ('active' | 'suspended' | 'expired' | 'revoked') | null; agentId?: string | null; accountId?: string | null; after?: string | null };
  Mandate: { id: string };
  MandateExecutions: { id: string; after?: string | null };
  RevokeMandate: { id: string; input?: { reason?: string | null } | null };
  Tasks: { status?: ('pending' | 'accepted' | 'declined' | 'in_progress' | 'input_required' | 'completed' | 'failed' | 'disputed' | 'cancelled' | 'expired') | null; agentId?: string | null; after?: string | null };
  Task: { id: string };
  MySession: Record<string, never>;
  SignInPerson: { input: { email: string; password: string; tenant?: string | null } };
  Join: { input: { token: string; name?: string | null; email?: string | null; password: string } };
  RequestRecovery: { input: { email: string } };
  StepUp: { input: { password: string } };
  PasskeyOptions: { input: { purpose: ('sign_in' | 'join' | 'step_up' | 'add'); token?: string | null } };
  UsePasskey: { input: { purpose: ('sign_in' | 'join' | 'step_up' | 'add'); response: Record<string, unknown>; token?: string | null; name?: string | null; email?: string | null } };
  MyPasskeys: Record<string, never>;
  DeletePasskey: { id: string };
  BeginOidc: { input: { purpose: ('sign_in' | 'join' | 'step_up' | 'add'); slug?: string | null; token?: string | null; name?: string | null; email?: string | null; returnTo?: string | null } };
  SignInSettings: Record<string, never>;
  SetSignInSettings: { input: { slug?: string | null; methods: readonly (('password' | 'passkey' | 'oidc' | 'api_key'))[]; idleSeconds?: number | null; absoluteSeconds?: number | null; oidc?: { issuer: string; clientId: string; clientSecret?: string | null } | null } };
  SwitchTenant: { input: { tenantId: string } };
  EndBrowserSession: { id: string };
  SetPassword: { input: { password: string } };
  MySessions: Record<string, never>;
  Members: { role?: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer') | null; status?: ('active' | 'suspended' | 'removed') | null; after?: string | null };
  Member: { id: string };
  UpdateMember: { id: string; input: { role?: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer') | null; authority?: { maxAmount?: string | null; currency: string } | null; status?: ('active' | 'suspended') | null } };
  RemoveMember: { id: string };
  SignOutMember: { id: string };
  RecoverMember: { id: string };
  Invitations: { after?: string | null };
  CreateInvitation: { input: { email: string; role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer'); authority?: { maxAmount?: string | null; currency: string } | null; expiresIn?: number | null } };
  RevokeInvitation: { id: string };
  ConnectRequest: { uid: string };
  GrantConnection: { uid: string; input: { agentId?: string | null; agent?: { name: string; parentAccountId: string; currency: string } | null; scopes: readonly string[]; budget?: { amount: string; currency: string; period: ('once' | 'day' | 'week' | 'month') } | null; expiresIn?: number | null } };
  DenyConnection: { uid: string };
  Connections: { status?: ('active' | 'revoked' | 'expired') | null; agentId?: string | null; after?: string | null };
  RevokeConnection: { id: string };
  Merchants: { status?: ('active' | 'inactive') | null; category?: string | null; after?: string | null };
  Merchant: { id: string };
  UpdateMerchant: { id: string; input: { name?: string | null; category?: string | null; settlementWalletId?: string | null; url?: string | null; status?: ('active' | 'inactive') | null; metadata?: Record<string, unknown> | null; acceptsBuyerPrices?: boolean | null; shopHosts?: readonly string[] | null } };
  TransferPack: { id: string };
  EvidenceLog: Record<string, never>;
  EvidenceHead: { treeSize: number };
  UpdateEvidenceLog: { input: { publish?: ('off' | 'heads' | 'tiles') | null; headEventSeconds?: number | null } };
  EvidenceLinks: { after?: string | null };
  CreateEvidenceLink: { input: { transferId: string; parts?: readonly (('act' | 'said' | 'outcome' | 'money' | 'offer' | 'private' | 'authority' | 'decision' | 'figures' | 'delivery'))[] | null; expiresIn?: number | null } };
  RevokeEvidenceLink: { id: string };
  Rails: Record<string, never>;
  Rail: { rail: string };
  RailProof: { rail: string };
  SwitchRail: { rail: string; input: { to: ('on' | 'draining' | 'off'); reason: string } };
  SignIn: { input: { apiKey: string } };
  SignOut: Record<string, never>;
  RenewSession: Record<string, never>;
  Shell: Record<string, never>;
  Overview: { start: string };
  Recent: Record<string, never>;
  Recorded: Record<string, never>;
  Webhooks: { after?: string | null };
  WebhookStats: { id: string };
  DeadLetters: { webhookId?: string | null; after?: string | null };
  Webhook: { id: string };
  Deliveries: { webhookId: string; status?: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq') | null; after?: string | null };
  Delivery: { id: string };
  Event: { id: string };
  SetWebhookStatus: { id: string; input: { url?: string | null; events?: readonly string[] | null; description?: string | null; status?: ('active' | 'paused') | null } };
  Search: { text: string };
  ApiKeys: { after?: string | null };
  Scopes: Record<string, never>;
  CreateApiKey: { input: { name: string; environment?: ('test' | 'live') | null; scopes?: readonly string[] | null; allowedIps?: readonly string[] | null; expiresAt?: string | null } };
  RollApiKey: { id: string; input: { overlapSeconds?: number | null } };
  RevokeApiKey: { id: string };
  AuditLog: { action?: string | null; resourceId?: string | null; actor?: string | null; since?: string | null; until?: string | null; after?: string | null };
  VerifyAuditLog: { after?: string | null };
  ReplayDelivery: { id: string };
}

export interface Answers {
  Payments: {
    transfers: {
      nodes: readonly ({
        id: string;
        type: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel');
        status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled');
        amount: string;
        currency: string;
        fromAccountId: string | null;
        toAccountId: string | null;
        fromAccount: { name: string; } | null;
        toAccount: { name: string; } | null;
        fromWalletId: string | null;
        toWalletId: string | null;
        destination: { type: ('bank' | 'wallet' | 'address' | 'pix' | 'spei'); ref: string; name: string | null; } | null;
        protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
        description: string | null;
        reference: string | null;
        refundedAmount: string;
        agentId: string | null;
        agent: { name: string; } | null;
        subject: { type: string; id: string; } | null;
        createdAt: string;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  PaymentTotals: {
    transferTotals: {
      count: number;
      complete: boolean;
      sums: readonly ({ currency: string; status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled'); count: number; amount: string; fees: string; refunded: string; })[];
    };
  };
  PaymentCsv: {
    transferCsv: { csv: string; rows: number; nextCursor: string | null; };
  };
  Payment: {
    transfer: {
      id: string;
      type: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel');
      status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled');
      amount: string;
      currency: string;
      fromAccountId: string | null;
      toAccountId: string | null;
      fromAccount: { name: string; } | null;
      toAccount: { name: string; } | null;
      fromWalletId: string | null;
      toWalletId: string | null;
      destination: { type: ('bank' | 'wallet' | 'address' | 'pix' | 'spei'); ref: string; name: string | null; } | null;
      protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
      description: string | null;
      reference: string | null;
      refundedAmount: string;
      agentId: string | null;
      agent: { name: string; } | null;
      subject: { type: string; id: string; } | null;
      createdAt: string;
      destinationAmount: string | null;
      destinationCurrency: string | null;
      fee: { amount: string; };
      capture: ('automatic' | 'manual');
      captureBy: ('payer' | 'payee') | null;
      hold: { amount: string; capturedAmount: string; expiresAt: string | null; } | null;
      scheduledFor: string | null;
      initiatedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string | null; };
      decisionId: string | null;
      approvalId: string | null;
      mandateId: string | null;
      batchId: string | null;
      traceId: string | null;
      failure: { code: string; message: string; } | null;
      updatedAt: string;
      completedAt: string | null;
    };
    transferEntries: readonly ({ id: string; transactionId: string; walletId: string | null; account: string; bucket: string | null; direction: ('debit' | 'credit'); amount: string; currency: string; balanceAfter: string; createdAt: string; })[];
    refunds: {
      nodes: readonly ({ id: string; amount: string; currency: string; reason: ('duplicate_payment' | 'customer_request' | 'service_not_rendered' | 'amount_incorrect' | 'unauthorized' | 'order_cancelled' | 'other'); status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled'); createdAt: string; completedAt: string | null; refundTransferId: string | null; })[];
    };
    disputes: {
      nodes: readonly ({ id: string; status: ('open' | 'under_review' | 'escalated' | 'resolved'); reason: ('service_not_received' | 'duplicate_charge' | 'unauthorized' | 'amount_incorrect' | 'quality_issue' | 'other'); description: string; amountDisputed: string; currency: string; createdAt: string; resolvedAt: string | null; resolution: ('refund_full' | 'refund_partial' | 'rejected' | 'withdrawn') | null; respondBy: string; })[];
    };
    events: {
      nodes: readonly ({
        id: string;
        type: string;
        timestamp: string;
        deliveries: { total: number; pending: number; delivered: number; failed: number; dlq: number; } | null;
      })[];
    };
  };
  Decision: {
    decision: {
      id: string | null;
      outcome: ('allow' | 'deny' | 'require_approval');
      code: string | null;
      message: string | null;
      evaluatedAt: string;
      agentId: string | null;
      subject: { type: string; id: string; } | null;
      leadingChecks: readonly ({ layer: string; ruleId: string | null; outcome: string; limit: Record<string, unknown> | null; used: string | null; remaining: string | null; message: string | null; })[];
    };
  };
  Payout: {
    payout: {
      id: string;
      status: ('pending' | 'confirmed' | 'complete' | 'failed' | 'returned');
      rail: string;
      railReference: string | null;
      errorCode: string | null;
      createdAt: string;
      expectedAt: string | null;
      confirmedAt: string | null;
      completedAt: string | null;
      return: { code: string; reason: string; } | null;
    };
  };
  EventDeliveries: {
    deliveries: {
      nodes: readonly ({ id: string; webhookId: string; status: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq'); attemptCount: number; lastResponseCode: number | null; lastError: string | null; createdAt: string; deliveredAt: string | null; })[];
    };
  };
  Capture: {
    captureTransfer: { id: string; status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled'); };
  };
  Cancel: {
    cancelTransfer: { id: string; status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled'); };
  };
  Refund: {
    createRefund: { id: string; status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled'); amount: string; currency: string; };
  };
  Dispute: {
    createDispute: { id: string; status: ('open' | 'under_review' | 'escalated' | 'resolved'); };
  };
  Trace: {
    usageTrace: {
      traceId: string;
      hasMore: boolean;
      totals: readonly ({ currency: string; amount: string; })[];
      operations: readonly ({
        id: string;
        time: string;
        category: ('transfer' | 'funding' | 'mandate_execution' | 'checkout' | 'stream_action' | 'payout' | 'refund' | 'task_payment' | 'x402_payment' | 'mpp_payment' | 'card_instruction');
        operation: string;
        protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
        success: boolean;
        amount: string;
        currency: string;
        subjectId: string;
        agentId: string | null;
        description: string;
        counterparty: { name: string; } | null;
      })[];
    };
  };
  Wallets: {
    wallets: {
      nodes: readonly ({
        id: string;
        name: string | null;
        ownerType: ('account' | 'agent');
        ownerId: string;
        currency: string;
        status: ('active' | 'frozen' | 'closed');
        frozenReason: string | null;
        lowBalanceThreshold: string | null;
        account: { name: string; } | null;
        balance: { available: string; held: string; wrapped: string; pendingIn: string; total: string; };
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Wallet: {
    wallet: {
      id: string;
      name: string | null;
      ownerType: ('account' | 'agent');
      ownerId: string;
      currency: string;
      status: ('active' | 'frozen' | 'closed');
      frozenReason: string | null;
      createdAt: string;
      account: { id: string; name: string; } | null;
      balance: { available: string; held: string; wrapped: string; pendingIn: string; total: string; };
    };
  };
  Statement: {
    walletEntries: {
      nodes: readonly ({ id: string; transferId: string | null; bucket: string | null; direction: ('debit' | 'credit'); amount: string; currency: string; balanceAfter: string; createdAt: string; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  FreezeWallet: {
    freezeWallet: { id: string; status: ('active' | 'frozen' | 'closed'); };
  };
  UnfreezeWallet: {
    unfreezeWallet: { id: string; status: ('active' | 'frozen' | 'closed'); };
  };
  Accounts: {
    accounts: {
      nodes: readonly ({
        id: string;
        type: ('person' | 'business');
        name: string;
        email: string | null;
        country: string | null;
        status: ('active' | 'suspended' | 'closed');
        customerReference: string | null;
        createdAt: string;
        balances: readonly ({ currency: string; available: string; total: string; })[];
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Account: {
    account: {
      id: string;
      type: ('person' | 'business');
      name: string;
      email: string | null;
      country: string | null;
      status: ('active' | 'suspended' | 'closed');
      kycTier: number;
      customerReference: string | null;
      createdAt: string;
      balances: readonly ({ currency: string; available: string; held: string; wrapped: string; pendingIn: string; total: string; })[];
      wallets: {
        nodes: readonly ({
          id: string;
          name: string | null;
          ownerType: ('account' | 'agent');
          currency: string;
          status: ('active' | 'frozen' | 'closed');
          balance: { available: string; total: string; };
        })[];
        pagination: { total: number; };
      };
      agents: {
        nodes: readonly ({ id: string; name: string; status: ('active' | 'frozen' | 'suspended' | 'revoked'); })[];
        pagination: { total: number; };
      };
    };
  };
  Reports: {
    reconciliationReports: {
      nodes: readonly ({
        id: string;
        rail: string;
        status: ('running' | 'completed' | 'failed');
        period: { from: string; to: string; };
        totals: { ledgerEntries: number; railEntries: number; matched: number; unmatchedLedger: number; unmatchedRail: number; discrepancies: number; };
        createdAt: string;
        completedAt: string | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Discrepancies: {
    discrepancies: {
      nodes: readonly ({ id: string; rail: string; type: ('ledger_only' | 'rail_only' | 'amount_mismatch' | 'timing_mismatch' | 'duplicate'); status: ('open' | 'chasing' | 'resolved' | 'cleared'); reference: string | null; payoutId: string | null; direction: ('credit' | 'debit'); expectedAmount: string | null; actualAmount: string | null; currency: string; resolution: ('adjusted' | 'written_off' | 'chasing' | 'no_action') | null; note: string | null; detectedAt: string; resolvedAt: string | null; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  StartReconciliation: {
    startReconciliation: { id: string; status: ('running' | 'completed' | 'failed'); };
  };
  ResolveDiscrepancy: {
    resolveDiscrepancy: { id: string; status: ('open' | 'chasing' | 'resolved' | 'cleared'); resolution: ('adjusted' | 'written_off' | 'chasing' | 'no_action') | null; };
  };
  Agents: {
    agents: {
      nodes: readonly ({
        id: string;
        name: string;
        status: ('active' | 'frozen' | 'suspended' | 'revoked');
        statusReason: string | null;
        kyaTier: number;
        connected: boolean;
        parentAccount: { id: string; name: string; } | null;
        wallets: {
          nodes: readonly ({
            id: string;
            currency: string;
            balance: { available: string; };
          })[];
          pagination: { total: number; };
        };
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  AgentLimits: {
    agentLimits: {
      kyaTier: number;
      kya: readonly ({ per: string; currency: string; max: string; used: string; remaining: string; resetsAt: string | null; })[];
      budgets: readonly ({ budgetId: string; name: string; scopeType: ('tenant' | 'account' | 'agent' | 'mandate' | 'trace' | 'connection'); period: ('once' | 'day' | 'week' | 'month'); currency: string; amount: string | null; spent: string | null; remaining: string; resetsAt: string | null; })[];
      policies: readonly ({ policyId: string; name: string; ruleId: string; kind: string; per: string; currency: string | null; max: string | null; used: string | null; remaining: string; })[];
    };
  };
  Agent: {
    agent: {
      id: string;
      name: string;
      status: ('active' | 'frozen' | 'suspended' | 'revoked');
      statusReason: string | null;
      kyaTier: number;
      connected: boolean;
      parentAccount: { id: string; name: string; } | null;
      wallets: {
        nodes: readonly ({
          id: string;
          currency: string;
          balance: { available: string; };
        })[];
        pagination: { total: number; };
      };
      description: string | null;
      createdAt: string;
      defaultWalletId: string | null;
    };
    agentKeys: readonly ({ id: string; algorithm: ('ed25519'); status: ('active' | 'rotated' | 'revoked'); createdAt: string; revokedAt: string | null; lastUsedAt: string | null; })[];
    agentTokens: readonly ({ id: string; status: ('active' | 'rotated' | 'revoked'); createdAt: string; expiresAt: string | null; lastUsedAt: string | null; })[];
    agentSessions: readonly ({ id: string; createdAt: string; expiresAt: string; lastUsedAt: string | null; ip: string; connected: boolean; })[];
    mandates: {
      nodes: readonly ({
        id: string;
        status: ('active' | 'suspended' | 'expired' | 'revoked');
        expiresAt: string;
        scope: { currency: string; maxPerTx: string | null; maxPerDay: string | null; maxPerMonth: string | null; };
        usage: { today: string; month: string; remainingDaily: string | null; };
      })[];
    };
  };
  AgentDecisions: {
    decisions: {
      nodes: readonly ({
        id: string | null;
        outcome: ('allow' | 'deny' | 'require_approval');
        code: string | null;
        message: string | null;
        evaluatedAt: string;
        agentId: string | null;
        subject: { type: string; id: string; } | null;
        leadingChecks: readonly ({ layer: string; ruleId: string | null; outcome: string; limit: Record<string, unknown> | null; used: string | null; remaining: string | null; message: string | null; })[];
        input: { amount: string; currency: string; protocol: string; } | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  AgentDays: {
    transferDays: readonly ({ day: string; currency: string; count: number; amount: string; })[];
  };
  FreezeAgent: {
    freezeAgent: {
      id: string;
      name: string;
      status: ('active' | 'frozen' | 'suspended' | 'revoked');
      statusReason: string | null;
      kyaTier: number;
      connected: boolean;
      parentAccount: { id: string; name: string; } | null;
      wallets: {
        nodes: readonly ({
          id: string;
          currency: string;
          balance: { available: string; };
        })[];
        pagination: { total: number; };
      };
    };
  };
  UnfreezeAgent: {
    unfreezeAgent: {
      id: string;
      name: string;
      status: ('active' | 'frozen' | 'suspended' | 'revoked');
      statusReason: string | null;
      kyaTier: number;
      connected: boolean;
      parentAccount: { id: string; name: string; } | null;
      wallets: {
        nodes: readonly ({
          id: string;
          currency: string;
          balance: { available: string; };
        })[];
        pagination: { total: number; };
      };
    };
  };
  Names: {
    agents: {
      nodes: readonly ({ id: string; name: string; })[];
    };
    accounts: {
      nodes: readonly ({ id: string; name: string; })[];
    };
    wallets: {
      nodes: readonly ({ id: string; name: string | null; ownerId: string; })[];
    };
    budgets: {
      nodes: readonly ({ id: string; name: string; })[];
    };
  };
  Approvals: {
    approvals: {
      nodes: readonly ({
        id: string;
        status: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled');
        subject: { type: string; id: string; };
        amount: string;
        currency: string;
        description: string | null;
        agent: { id: string; name: string; } | null;
        merchant: { id: string; name: string; } | null;
        context: { spentToday: string | null; remainingToday: string | null; firstTimeCounterparty: boolean; similarApproved30d: number; };
        requestedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string; name: string | null; };
        requestedAt: string;
        expiresAt: string;
        required: readonly ({ policyId: string; count: number; memberIds: readonly string[] | null; })[];
        votes: readonly ({
          member: { id: string; name: string; } | null;
          vote: ('approve' | 'reject');
          comment: string | null;
          at: string;
          counts: boolean;
        })[];
        missing: number;
        decidedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string; name: string | null; } | null;
        decidedAt: string | null;
        comment: string | null;
        resultError: { code: string; error: string; } | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Approval: {
    approval: {
      id: string;
      status: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled');
      subject: { type: string; id: string; };
      amount: string;
      currency: string;
      description: string | null;
      agent: { id: string; name: string; } | null;
      merchant: { id: string; name: string; } | null;
      context: { spentToday: string | null; remainingToday: string | null; firstTimeCounterparty: boolean; similarApproved30d: number; };
      requestedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string; name: string | null; };
      requestedAt: string;
      expiresAt: string;
      required: readonly ({ policyId: string; count: number; memberIds: readonly string[] | null; })[];
      votes: readonly ({
        member: { id: string; name: string; } | null;
        vote: ('approve' | 'reject');
        comment: string | null;
        at: string;
        counts: boolean;
      })[];
      missing: number;
      decidedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string; name: string | null; } | null;
      decidedAt: string | null;
      comment: string | null;
      resultError: { code: string; error: string; } | null;
    };
  };
  ApprovalPayment: {
    transfer: {
      id: string;
      type: ('internal' | 'cross_border' | 'wrap' | 'unwrap' | 'stream_start' | 'stream_withdraw' | 'stream_cancel');
      status: ('pending' | 'processing' | 'completed' | 'failed' | 'cancelled');
      amount: string;
      currency: string;
      fromAccountId: string | null;
      toAccountId: string | null;
      fromAccount: { name: string; } | null;
      toAccount: { name: string; } | null;
      fromWalletId: string | null;
      toWalletId: string | null;
      destination: { type: ('bank' | 'wallet' | 'address' | 'pix' | 'spei'); ref: string; name: string | null; } | null;
      protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
      description: string | null;
      reference: string | null;
      refundedAmount: string;
      agentId: string | null;
      agent: { name: string; } | null;
      subject: { type: string; id: string; } | null;
      createdAt: string;
      decisionId: string | null;
    };
  };
  PaidBefore: {
    transfers: {
      nodes: readonly ({ id: string; amount: string; currency: string; createdAt: string; description: string | null; })[];
    };
  };
  ApprovalChanges: {
    approvals: { id: string; kind: ('approval_requested' | 'approval_voted' | 'approval_decided' | 'budget_alert' | 'breaker_tripped'); };
  };
  Approve: {
    approveApproval: {
      approval: {
        id: string;
        status: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled');
        resultError: { code: string; error: string; } | null;
      };
      missing: number | null;
    };
  };
  Reject: {
    rejectApproval: { id: string; status: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled'); };
  };
  Budgets: {
    budgets: {
      nodes: readonly ({
        id: string;
        name: string;
        scope: { type: ('tenant' | 'account' | 'agent' | 'mandate' | 'trace' | 'connection'); id: string | null; };
        amount: string;
        currency: string;
        period: ('once' | 'day' | 'week' | 'month');
        expiresAt: string | null;
        alertsAt: readonly number[];
        spent: string;
        reserved: string;
        remaining: string;
        resetsAt: string | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Mandates: {
    mandates: {
      nodes: readonly ({
        id: string;
        status: ('active' | 'suspended' | 'expired' | 'revoked');
        expiresAt: string;
        scope: { currency: string; maxPerTx: string | null; maxPerDay: string | null; maxPerMonth: string | null; };
        usage: { today: string; month: string; remainingDaily: string | null; remainingMonthly: string | null; executions: number; };
        account: { id: string; name: string; } | null;
        agent: { id: string; name: string; } | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Mandate: {
    mandate: {
      id: string;
      status: ('active' | 'suspended' | 'expired' | 'revoked');
      version: number;
      expiresAt: string;
      revokedAt: string | null;
      revokedReason: string | null;
      createdAt: string;
      scope: { currency: string; maxPerTx: string | null; maxPerDay: string | null; maxPerMonth: string | null; allowedMerchantCategories: readonly string[] | null; allowedMerchants: readonly string[] | null; blockedMerchants: readonly string[] | null; };
      usage: { today: string; month: string; remainingDaily: string | null; remainingMonthly: string | null; executions: number; };
      account: { id: string; name: string; } | null;
      agent: { id: string; name: string; } | null;
    };
  };
  MandateExecutions: {
    mandateExecutions: {
      nodes: readonly ({ id: string; amount: string; currency: string; status: ('pending' | 'completed' | 'failed' | 'cancelled'); transferId: string; description: string | null; createdAt: string; executedAt: string | null; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  RevokeMandate: {
    revokeMandate: { id: string; status: ('active' | 'suspended' | 'expired' | 'revoked'); };
  };
  Tasks: {
    tasks: {
      nodes: readonly ({
        id: string;
        skillId: string;
        status: ('pending' | 'accepted' | 'declined' | 'in_progress' | 'input_required' | 'completed' | 'failed' | 'disputed' | 'cancelled' | 'expired');
        open: boolean;
        deadline: string | null;
        createdAt: string;
        fromAgent: { id: string; name: string; } | null;
        toAgent: { id: string; name: string; } | null;
        payment: { amount: string; currency: string; status: ('awaiting_approval' | 'reserved' | 'released' | 'refunded' | 'disputed'); transferId: string; } | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Task: {
    task: {
      id: string;
      skillId: string;
      status: ('pending' | 'accepted' | 'declined' | 'in_progress' | 'input_required' | 'completed' | 'failed' | 'disputed' | 'cancelled' | 'expired');
      statusReason: string | null;
      open: boolean;
      payload: Record<string, unknown>;
      deliverable: Record<string, unknown> | null;
      deadline: string | null;
      claimedAt: string | null;
      startedAt: string | null;
      completedAt: string | null;
      reviewDeadline: string | null;
      rating: number | null;
      feedback: string | null;
      createdAt: string;
      disputeId: string | null;
      fromAgent: { id: string; name: string; } | null;
      toAgent: { id: string; name: string; } | null;
      payment: { amount: string; currency: string; status: ('awaiting_approval' | 'reserved' | 'released' | 'refunded' | 'disputed'); released: string; transferId: string; } | null;
      progress: { message: string | null; percent: number | null; at: string; } | null;
      messages: readonly ({ id: string; author: ('sender' | 'worker'); parts: unknown; createdAt: string; })[];
    };
  };
  MySession: {
    me: {
      environment: string;
      tenantId: string;
      serverTime: string;
      member: { id: string; } | null;
      session: { csrfToken: string | null; expiresAt: string; } | null;
    };
  };
  SignInPerson: {
    signIn: {
      tenantId: string;
      tenants: readonly ({ id: string; name: string; })[];
    };
  };
  Join: {
    join: { tenantId: string; };
  };
  RequestRecovery: {
    requestRecovery: { accepted: boolean; };
  };
  StepUp: {
    stepUp: { tenantId: string; };
  };
  PasskeyOptions: {
    passkeyOptions: { options: unknown; };
  };
  UsePasskey: {
    usePasskey: {
      tenants: readonly ({ id: string; name: string; })[];
    };
  };
  MyPasskeys: {
    passkeys: readonly ({ id: string; name: string; createdAt: string; lastUsedAt: string | null; })[];
  };
  DeletePasskey: {
    deletePasskey: { id: string; };
  };
  BeginOidc: {
    beginOidc: { redirectTo: string; };
  };
  SignInSettings: {
    signInSettings: {
      slug: string | null;
      methods: readonly (('password' | 'passkey' | 'oidc' | 'api_key'))[];
      idleSeconds: number;
      absoluteSeconds: number;
      oidc: { issuer: string; clientId: string; } | null;
    };
  };
  SetSignInSettings: {
    setSignInSettings: { slug: string | null; };
  };
  SwitchTenant: {
    switchTenant: { tenantId: string; };
  };
  EndBrowserSession: {
    endBrowserSession: { id: string; };
  };
  SetPassword: {
    setPassword: { changedAt: string; };
  };
  MySessions: {
    browserSessions: readonly ({ id: string; current: boolean; environment: ('test' | 'live'); method: ('password' | 'passkey' | 'oidc'); signedInAt: string; lastSeenAt: string; expiresAt: string; ip: string; userAgent: string | null; })[];
  };
  Members: {
    members: {
      nodes: readonly ({
        id: string;
        name: string;
        email: string;
        role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer');
        authority: { maxAmount: string | null; currency: string; } | null;
        status: ('active' | 'suspended' | 'removed');
        methods: readonly (('password' | 'passkey' | 'oidc'))[];
        lastSeenAt: string | null;
        createdAt: string;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Member: {
    member: {
      id: string;
      name: string;
      email: string;
      role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer');
      authority: { maxAmount: string | null; currency: string; } | null;
      status: ('active' | 'suspended' | 'removed');
      methods: readonly (('password' | 'passkey' | 'oidc'))[];
      lastSeenAt: string | null;
      createdAt: string;
    };
  };
  UpdateMember: {
    updateMember: { id: string; role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer'); status: ('active' | 'suspended' | 'removed'); };
  };
  RemoveMember: {
    removeMember: { id: string; };
  };
  SignOutMember: {
    signOutMember: { id: string; };
  };
  RecoverMember: {
    recoverMember: { link: string | null; expiresAt: string; };
  };
  Invitations: {
    invitations: {
      nodes: readonly ({
        id: string;
        email: string | null;
        role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer');
        authority: { maxAmount: string | null; currency: string; } | null;
        status: ('pending' | 'accepted' | 'expired' | 'revoked');
        memberId: string | null;
        createdAt: string;
        expiresAt: string;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  CreateInvitation: {
    createInvitation: { id: string; email: string | null; link: string | null; expiresAt: string; };
  };
  RevokeInvitation: {
    revokeInvitation: { id: string; };
  };
  ConnectRequest: {
    me: {
      scopes: readonly string[];
      environment: string;
      member: { name: string; } | null;
    };
    connectRequest: {
      client: { name: string; kind: string; host: string; };
      redirectHost: string;
      isLoopback: boolean;
      scopes: readonly string[];
      agents: readonly ({ id: string; name: string; })[];
      accounts: readonly ({ id: string; name: string; })[];
      expiresAt: string;
    };
  };
  GrantConnection: {
    grantConnection: { redirectTo: string; };
  };
  DenyConnection: {
    denyConnection: { redirectTo: string; };
  };
  Connections: {
    connections: {
      nodes: readonly ({
        id: string;
        client: { name: string; };
        redirectHost: string;
        agentId: string;
        agent: { id: string; name: string; } | null;
        member: { id: string; };
        scopes: readonly string[];
        budget: { amount: string; currency: string; period: ('once' | 'day' | 'week' | 'month'); spent: string; } | null;
        status: ('active' | 'revoked' | 'expired');
        createdAt: string;
        lastUsedAt: string | null;
        lastIp: string | null;
        expiresAt: string;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  RevokeConnection: {
    revokeConnection: { id: string; status: ('active' | 'revoked' | 'expired'); };
  };
  Merchants: {
    merchants: {
      nodes: readonly ({
        id: string;
        name: string;
        category: string;
        status: ('active' | 'inactive');
        url: string | null;
        shopHosts: readonly string[];
        account: { id: string; name: string; } | null;
        createdAt: string;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Merchant: {
    merchant: {
      id: string;
      name: string;
      category: string;
      status: ('active' | 'inactive');
      url: string | null;
      metadata: Record<string, unknown> | null;
      acceptsBuyerPrices: boolean;
      shopHosts: readonly string[];
      account: { id: string; name: string; } | null;
      settlementWallet: { id: string; name: string | null; } | null;
      warnings: readonly ({ code: string; message: string; })[] | null;
      createdAt: string;
    };
  };
  UpdateMerchant: {
    updateMerchant: { id: string; };
  };
  TransferPack: { transferEvidence: string; };
  EvidenceLog: {
    evidenceLog: {
      id: string;
      origin: string;
      prefix: string;
      vkeys: readonly ({ vkey: string; from: string; until: string | null; })[];
      state: ('open' | 'halted' | 'ended');
      reason: string | null;
      treeSize: number;
      rootHash: string | null;
      headAt: string | null;
      behind: number;
      continues: string | null;
      publish: ('off' | 'heads' | 'tiles');
      headEventSeconds: number;
    };
  };
  EvidenceHead: {
    evidenceHead: { treeSize: number; checkpoint: string; at: string; };
  };
  UpdateEvidenceLog: {
    updateEvidenceLog: { id: string; publish: ('off' | 'heads' | 'tiles'); headEventSeconds: number; };
  };
  EvidenceLinks: {
    evidenceLinks: {
      nodes: readonly ({ id: string; transferId: string; parts: readonly string[]; expiresAt: string; revokedAt: string | null; createdAt: string; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  CreateEvidenceLink: {
    createEvidenceLink: { id: string; url: string | null; };
  };
  RevokeEvidenceLink: {
    revokeEvidenceLink: { id: string; };
  };
  Rails: {
    rails: readonly ({
      rail: string;
      currency: string;
      kind: string | null;
      status: ('on' | 'draining' | 'off' | 'not_configured' | 'simulated');
      reason: string | null;
      fee: string | null;
      limits: { perOrder: string; perDay: string; perDayCount: number; } | null;
      health: {
        ok: boolean;
        since: string | null;
        problems: readonly ({ check: string; found: string; fix: string | null; stops: boolean; })[];
      } | null;
      usedToday: { amount: string; count: number; } | null;
      open: { count: number; amount: string; oldestAt: string | null; } | null;
    })[];
  };
  Rail: {
    rail: {
      rail: string;
      currency: string;
      kind: string | null;
      status: ('on' | 'draining' | 'off' | 'not_configured' | 'simulated');
      reason: string | null;
      fee: string | null;
      limits: { perOrder: string; perDay: string; perDayCount: number; } | null;
      health: {
        ok: boolean;
        since: string | null;
        problems: readonly ({ check: string; found: string; fix: string | null; stops: boolean; })[];
      } | null;
      usedToday: { amount: string; count: number; } | null;
      open: { count: number; amount: string; oldestAt: string | null; } | null;
      network: string | null;
      expectedSeconds: number | null;
      directions: readonly (('out' | 'in'))[];
      balances: readonly ({ where: string; amount: string; unit: string; })[] | null;
    };
  };
  RailProof: {
    railProof: {
      currency: string;
      at: { block: number; time: string; };
      outside: readonly ({ where: string; amount: string; })[];
      ledger: string;
      inFlight: string;
      difference: string;
      explained: readonly ({ reason: ('opening' | 'put_in' | 'taken_out' | 'below_minimum'); amount: string; count: number; newest: readonly string[]; })[];
    };
  };
  SwitchRail: {
    switchRail: { id: string; rail: string; to: ('on' | 'draining' | 'off'); inFlight: readonly string[] | null; };
  };
  SignIn: {
    createAuthSession: { token: string; expiresIn: number; environment: ('test' | 'live'); };
  };
  SignOut: {
    endAuthSession: { endedAt: string; };
  };
  RenewSession: {
    renewAuthSession: { token: string; expiresIn: number; environment: ('test' | 'live'); };
  };
  Shell: {
    me: {
      environment: string;
      tenantId: string;
      pendingApprovals: number;
      scopes: readonly string[];
      actor: { name: string; };
      member: {
        id: string;
        name: string;
        role: ('owner' | 'admin' | 'finance' | 'developer' | 'viewer');
        authority: { maxAmount: string | null; currency: string; } | null;
      } | null;
    };
    spending: { frozen: boolean; reason: string | null; since: string | null; };
    insight: { asOf: string; };
  };
  Overview: {
    insight: {
      asOf: string;
      period: { start: string; end: string; };
      summary: { totalOperations: number; totalExternalCostUsd: string; successRate: number; };
      volume: {
        bucket: ('hour' | 'day');
        data: readonly ({ timestamp: string; total: string | number; byProtocol: Record<string, string | number>; })[];
      };
      count: {
        bucket: ('hour' | 'day');
        data: readonly ({ timestamp: string; total: string | number; byProtocol: Record<string, string | number>; })[];
      };
      distribution: { total: string | number; };
      stats: {
        data: readonly ({ protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border'); totalVolumeUsd: string; transactionCount: number; averageAmountUsd: string; successRate: number; })[];
      };
      demand: {
        data: {
          sessionsOpened: number;
          sessionsCompleted: number;
          completionRate: number;
          averageTimeToCompleteSeconds: number | null;
          medianTimeToCompleteSeconds: number | null;
          dropOff: readonly ({ stage: ('created' | 'pending_payment' | 'failed' | 'expired' | 'cancelled'); count: number; share: number; })[];
        };
      };
    };
  };
  Recent: {
    recentActivity: readonly ({
      id: string;
      time: string;
      category: ('transfer' | 'funding' | 'mandate_execution' | 'checkout' | 'stream_action' | 'payout' | 'refund' | 'task_payment' | 'x402_payment' | 'mpp_payment' | 'card_instruction');
      operation: string;
      protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
      success: boolean;
      amount: string;
      currency: string;
      description: string;
      counterparty: { name: string; } | null;
    })[];
  };
  Recorded: {
    operationRecorded: {
      id: string;
      operation: {
        id: string;
        time: string;
        category: ('transfer' | 'funding' | 'mandate_execution' | 'checkout' | 'stream_action' | 'payout' | 'refund' | 'task_payment' | 'x402_payment' | 'mpp_payment' | 'card_instruction');
        operation: string;
        protocol: ('ucp' | 'acp' | 'ap2' | 'x402' | 'mpp' | 'internal' | 'cross_border');
        success: boolean;
        amount: string;
        currency: string;
        description: string;
        counterparty: { name: string; } | null;
      } | null;
    };
  };
  Webhooks: {
    webhooks: {
      nodes: readonly ({ id: string; url: string; events: readonly string[]; description: string | null; status: ('active' | 'paused' | 'disabled'); failingSince: string | null; disabledReason: string | null; createdAt: string; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  WebhookStats: {
    webhookStats: { pending: number; delivered: number; failed: number; dlq: number; p50Ms: number | null; p95Ms: number | null; };
  };
  DeadLetters: {
    deliveries: {
      nodes: readonly ({ id: string; webhookId: string; eventType: string; status: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq'); attemptCount: number; lastResponseCode: number | null; lastError: string | null; dlqAt: string | null; dlqReason: string | null; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Webhook: {
    webhook: { id: string; url: string; events: readonly string[]; description: string | null; status: ('active' | 'paused' | 'disabled'); failingSince: string | null; disabledReason: string | null; verification: ('pending' | 'verified'); createdAt: string; };
    webhookStats: { pending: number; delivered: number; failed: number; dlq: number; p50Ms: number | null; p95Ms: number | null; };
    webhookHours: readonly ({ hour: string; delivered: number; undelivered: number; })[];
  };
  Deliveries: {
    deliveries: {
      nodes: readonly ({ id: string; eventType: string; status: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq'); attemptCount: number; maxAttempts: number; lastResponseCode: number | null; lastError: string | null; createdAt: string; deliveredAt: string | null; nextRetryAt: string | null; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Delivery: {
    delivery: {
      id: string;
      eventId: string;
      lastResponseCode: number | null;
      lastResponseBody: string | null;
      attempts: readonly ({ deliveryId: string; startedAt: string; durationMs: number; responseCode: number | null; error: string | null; })[];
    };
  };
  Event: {
    event: { id: string; type: string; timestamp: string; data: Record<string, unknown>; };
  };
  SetWebhookStatus: {
    updateWebhook: { id: string; status: ('active' | 'paused' | 'disabled'); };
  };
  Search: {
    search: readonly ({ type: string; id: string; name: string | null; status: string | null; transferId: string | null; })[];
  };
  ApiKeys: {
    apiKeys: {
      nodes: readonly ({ id: string; name: string; prefix: string; environment: ('test' | 'live'); scopes: readonly string[]; allowedIps: readonly string[] | null; status: ('active' | 'expired' | 'revoked'); createdAt: string; createdBy: string | null; expiresAt: string | null; revokedAt: string | null; lastUsedAt: string | null; lastUsedIp: string | null; })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Scopes: {
    scopes: {
      scopes: readonly ({ scope: string; })[];
    };
  };
  CreateApiKey: {
    createApiKey: { id: string; key: string | null; };
  };
  RollApiKey: {
    rollApiKey: { id: string; key: string | null; };
  };
  RevokeApiKey: {
    revokeApiKey: { id: string; deleted: boolean; };
  };
  AuditLog: {
    auditLog: {
      nodes: readonly ({
        id: string;
        at: string;
        action: string;
        resourceType: string | null;
        resourceId: string | null;
        requestId: string | null;
        ip: string | null;
        changes: Record<string, unknown> | null;
        position: number;
        actor: { type: ('api_key' | 'user' | 'agent' | 'portal' | 'system' | 'anonymous'); id: string | null; };
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  VerifyAuditLog: {
    verifyAuditLog: {
      valid: boolean;
      checked: number;
      firstInvalidId: string | null;
      headHash: string | null;
      nextAfter: string | null;
      tree: { size: number; rootHash: string; } | null;
    };
  };
  ReplayDelivery: {
    replayDelivery: { id: string; status: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq'); };
  };
}
