// The tools of an operator, who comes with an API key or as a user: agents, budgets, approvals, balances and the kill switch.
import { adds, commits, reads, steps, type Tool } from './tool.js';

const page = ['limit', 'starting_after'] as const;

/** What everybody is offered. */
export const sharedTools: readonly Tool[] = [
  {
    name: 'whoami',
    title: 'Who am I, and what may I spend',
    description:
      'Read who you are: your wallets with their balances, what is left of every limit, policy and budget, the protocols by which you could spend now (`spendable_by`), and how many of your requests wait for an approval.',
    operation: 'getMe',
    audience: 'everyone',
    effect: reads,
    takes: [],
  },
  {
    name: 'get_transfer',
    title: 'Read a transfer',
    description: 'Read a payment or a hold: its status, what was captured and refunded, and why it failed.',
    operation: 'getTransfer',
    audience: 'everyone',
    effect: reads,
    takes: ['id'],
  },
  {
    name: 'list_transfers',
    title: 'List transfers',
    description: 'List payments and holds, newest first.',
    operation: 'listTransfers',
    audience: 'everyone',
    effect: reads,
    takes: ['status', 'wallet_id', 'agent_id', 'reference', 'since', 'until', ...page],
  },
  {
    name: 'list_approvals',
    title: 'List approvals',
    description: 'List what waits for a person, or was decided: an agent sees what it asked for itself.',
    operation: 'listApprovals',
    audience: 'everyone',
    effect: reads,
    takes: ['status', 'agent_id', ...page],
  },
  {
    name: 'read_events',
    title: 'Read events',
    description:
      'Read what has happened, newest first, for 30 days. To go on from where you were, give the time of the last event that you have seen as `since` and leave out the ids that you know; `starting_after` leads to older ones.',
    operation: 'listEvents',
    audience: 'everyone',
    effect: reads,
    takes: ['type', 'object_id', 'since', 'until', ...page],
  },
];

const agents: readonly Tool[] = [
  {
    name: 'list_accounts',
    title: 'List accounts',
    description: 'List the accounts that own wallets and agents.',
    operation: 'listAccounts',
    audience: 'operator',
    effect: reads,
    takes: ['status', ...page],
  },
  {
    name: 'get_balances',
    title: 'Read balances',
    description: 'Read what an account and its agents have, a line for each currency.',
    operation: 'getAccountBalances',
    audience: 'operator',
    effect: reads,
    takes: ['id', 'at'],
  },
  {
    name: 'list_wallets',
    title: 'List wallets',
    description: 'List wallets with their balances: all, or those of an account or an agent.',
    operation: 'listWallets',
    audience: 'operator',
    effect: reads,
    takes: ['owner_type', 'owner_id', 'currency', 'status', ...page],
  },
  {
    name: 'list_agents',
    title: 'List agents',
    description: 'List agents with their status.',
    operation: 'listAgents',
    audience: 'operator',
    effect: reads,
    takes: ['status', 'parent_account_id', 'kya_tier', 'connected', ...page],
  },
  {
    name: 'get_agent_limits',
    title: 'Read what an agent may spend',
    description: 'Read the caps, policies and budgets that bind an agent, with what is left of each.',
    operation: 'getAgentLimits',
    audience: 'operator',
    effect: reads,
    takes: ['id'],
  },
  {
    name: 'create_agent',
    title: 'Create an agent',
    description:
      'Create an agent of an account. Its token is in this answer, and in no other: hand it over at once, and repeat it nowhere. A repeated call leaves it out. A token that was lost is replaced by POST /v1/agents/{id}/token/rotate.',
    operation: 'createAgent',
    audience: 'operator',
    effect: adds,
    takes: ['parent_account_id', 'name', 'description', 'kya_tier', 'wallet', 'metadata'],
  },
  {
    name: 'freeze_agent',
    title: 'Freeze an agent',
    description: 'Stop the spending of an agent at once. It still reads.',
    operation: 'freezeAgent',
    audience: 'operator',
    effect: { ...steps, destructive: true },
    takes: ['id', 'reason'],
  },
  {
    name: 'unfreeze_agent',
    title: 'Unfreeze an agent',
    description: 'Let a frozen agent spend again.',
    operation: 'unfreezeAgent',
    audience: 'operator',
    effect: steps,
    takes: ['id', 'reason'],
  },
  {
    name: 'freeze_spending',
    title: 'Stop all spending',
    description: 'The kill switch: nobody in the workspace spends until unfreeze_spending. Money still comes in.',
    operation: 'freezeSpending',
    audience: 'operator',
    effect: { ...steps, destructive: true },
    takes: ['reason'],
  },
  {
    name: 'unfreeze_spending',
    title: 'Allow spending again',
    description: 'Turn the kill switch off.',
    operation: 'unfreezeSpending',
    audience: 'operator',
    effect: steps,
    takes: ['reason'],
  },
];

const limits: readonly Tool[] = [
  {
    name: 'create_budget',
    title: 'Create a budget',
    description: 'Set what may be spent in a scope (tenant, account, agent, mandate or trace) and a period. It binds at once.',
    operation: 'createBudget',
    audience: 'operator',
    effect: adds,
    takes: ['name', 'scope', 'parent_id', 'amount', 'currency', 'period', 'timezone', 'expires_at', 'alerts_at'],
  },
  {
    name: 'update_budget',
    title: 'Change a budget',
    description: 'Change the name, the amount, the end or the alerts of a budget. What was used stays used.',
    operation: 'updateBudget',
    audience: 'operator',
    effect: { ...steps, destructive: true },
    takes: ['id', 'name', 'amount', 'expires_at', 'alerts_at'],
  },
  {
    name: 'list_budgets',
    title: 'List budgets',
    description: 'List budgets, each with what was spent and what is left.',
    operation: 'listBudgets',
    audience: 'operator',
    effect: reads,
    takes: ['scope_type', 'scope_id', ...page],
  },
  {
    name: 'get_approval',
    title: 'Read an approval',
    description: 'Read what an agent asks for, with what it has spent today and whether it has paid this payee before.',
    operation: 'getApproval',
    audience: 'operator',
    effect: reads,
    takes: ['id'],
  },
  {
    name: 'approve_request',
    title: 'Approve a spend',
    description: 'Say yes to an approval: the spend is checked again and carried out now. Ask the person whose money it is first.',
    operation: 'approveApproval',
    audience: 'operator',
    effect: commits,
    takes: ['id', 'comment'],
  },
  {
    name: 'reject_request',
    title: 'Reject a spend',
    description: 'Say no to an approval: nothing is paid, and what was held goes back.',
    operation: 'rejectApproval',
    audience: 'operator',
    effect: commits,
    takes: ['id', 'reason'],
  },
];

/** What an operator is offered. */
export const operatorTools: readonly Tool[] = [...agents, ...limits];
