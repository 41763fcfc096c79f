// Printed by `npm run schema`: what the operations of operation.ts take and answer. Not to be edited.

export interface Variables {
  SignIn: { input: { apiKey: string } };
  SignOut: Record<string, never>;
  Shell: Record<string, never>;
  Overview: { start: string };
  Recent: Record<string, never>;
  Recorded: Record<string, never>;
  Agents: { status?: ('active' | 'frozen' | 'suspended' | 'revoked') | null; after?: string | null };
  AgentLimits: { id: string };
  FreezeAgent: { id: string; input: { reason?: string | null } };
  UnfreezeAgent: { id: string; input: { reason?: string | null } };
  Wallets: { status?: ('active' | 'frozen' | 'closed') | null; after?: string | null };
  Names: Record<string, never>;
  Approvals: { status?: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled') | null; after?: string | null };
  Approve: { id: string; input: { comment?: string | null } };
  Reject: { id: string; input: { reason?: string | null } };
  Budgets: { after?: string | null };
  Webhooks: { after?: string | null };
  WebhookStats: { id: string };
  DeadLetters: { webhookId?: string | null; after?: string | null };
  ReplayDelivery: { id: string };
}

export interface Answers {
  SignIn: {
    createAuthSession: { token: string; expiresIn: number; environment: ('test' | 'live'); };
  };
  SignOut: {
    endAuthSession: { endedAt: string; };
  };
  Shell: {
    me: {
      environment: string;
      tenantId: string;
      pendingApprovals: number;
      actor: { name: string; };
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
      category: ('transfer' | 'mandate_execution' | 'checkout' | 'stream_action' | 'payout' | 'refund' | 'task_payment' | 'x402_payment' | 'mpp_payment' | 'card_instruction');
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
        category: ('transfer' | 'mandate_execution' | 'checkout' | 'stream_action' | 'payout' | 'refund' | 'task_payment' | 'x402_payment' | 'mpp_payment' | 'card_instruction');
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
  Agents: {
    agents: {
      nodes: readonly ({
        id: string;
        name: string;
        status: ('active' | 'frozen' | 'suspended' | 'revoked');
        statusReason: string | null;
        kyaTier: number;
        connected: boolean;
        parentAccount: { name: string; } | null;
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
      budgets: readonly ({ budgetId: string; name: string; scopeType: ('tenant' | 'account' | 'agent' | 'mandate' | 'trace'); period: ('once' | 'day' | 'week' | 'month'); currency: string; amount: string | null; spent: string | null; remaining: string; resetsAt: string | null; })[];
      policies: readonly ({ policyId: string; name: string; ruleId: string; kind: string; per: string; currency: string | null; max: string | null; used: string | null; remaining: string; })[];
    };
  };
  FreezeAgent: {
    freezeAgent: {
      id: string;
      name: string;
      status: ('active' | 'frozen' | 'suspended' | 'revoked');
      statusReason: string | null;
      kyaTier: number;
      connected: boolean;
      parentAccount: { name: string; } | null;
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
      parentAccount: { name: string; } | null;
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
  Names: {
    agents: {
      nodes: readonly ({ id: string; name: string; })[];
    };
    accounts: {
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
        merchant: { name: string; } | null;
        context: { spentToday: string; remainingToday: string | null; firstTimeCounterparty: boolean; similarApproved30d: number; };
        requestedBy: { type: ('api_key' | 'user' | 'agent' | 'system'); id: string; };
        requestedAt: string;
        expiresAt: string;
        decidedAt: string | null;
        comment: string | null;
        resultError: { code: string; error: string; } | null;
      })[];
      pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null; };
    };
  };
  Approve: {
    approveApproval: {
      approval: {
        id: string;
        status: ('pending' | 'approved' | 'rejected' | 'expired' | 'cancelled');
        resultError: { code: string; error: string; } | null;
      };
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
        scope: { type: ('tenant' | 'account' | 'agent' | 'mandate' | 'trace'); id: string | null; };
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
  ReplayDelivery: {
    replayDelivery: { id: string; status: ('pending' | 'processing' | 'delivered' | 'failed' | 'dlq'); };
  };
}
