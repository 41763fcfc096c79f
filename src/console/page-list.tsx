// The pages of the console: what each is called, what it shows, and which scope opens it.
import type { ComponentChildren } from 'preact';
import { Account, Accounts } from './pages/accounts.js';
import { Agent } from './pages/agent.js';
import { Agents } from './pages/agents.js';
import { ApiKeys } from './pages/api-keys.js';
import { ApprovalPage, Approvals } from './pages/approvals.js';
import { AuditLog } from './pages/audit.js';
import { Budgets } from './pages/budgets.js';
import { Connections } from './pages/connections.js';
import { EvidenceLog } from './pages/evidence.js';
import { Mandate, Mandates } from './pages/mandates.js';
import { MemberPage } from './pages/member.js';
import { Members } from './pages/members.js';
import { Merchant, Merchants } from './pages/merchants.js';
import { MySignIn } from './pages/my-sign-in.js';
import { Overview } from './pages/overview.js';
import { Payment } from './pages/payment.js';
import { Payments } from './pages/payments.js';
import { Rail } from './pages/rail.js';
import { Rails } from './pages/rails.js';
import { Receipt } from './pages/receipt.js';
import { Reconciliation } from './pages/reconciliation.js';
import { Search } from './pages/search.js';
import { SignInSettings } from './pages/sign-in-settings.js';
import { Task, Tasks } from './pages/tasks.js';
import { Trace } from './pages/trace.js';
import { Wallet } from './pages/wallet.js';
import { Wallets } from './pages/wallets.js';
import { Webhook } from './pages/webhook.js';
import { Webhooks } from './pages/webhooks.js';

export interface PageSpec {
  title: string;
  /** Without this scope the page is not in the list of pages. */
  scope?: string;
  show?: () => ComponentChildren;
  /** The page of one of them. */
  one?: { title: string; show: (id: string) => ComponentChildren };
  /** It is not in the list of pages. */
  isUnlisted?: true;
}

/** The pages by their first part of the address, in the order in which they are listed. */
export const pages: Readonly<Record<string, PageSpec>> = {
  '': { title: 'Overview', show: () => <Overview /> },
  payments: {
    title: 'Payments',
    scope: 'transfers:read',
    show: () => <Payments />,
    one: { title: 'Payment', show: (id) => <Payment id={id} /> },
  },
  approvals: {
    title: 'Approvals',
    scope: 'approvals:read',
    show: () => <Approvals />,
    one: { title: 'Approval', show: (id) => <ApprovalPage id={id} /> },
  },
  agents: { title: 'Agents', scope: 'agents:read', show: () => <Agents />, one: { title: 'Agent', show: (id) => <Agent id={id} /> } },
  accounts: {
    title: 'Accounts',
    scope: 'accounts:read',
    show: () => <Accounts />,
    one: { title: 'Account', show: (id) => <Account id={id} /> },
  },
  merchants: {
    title: 'Merchants',
    scope: 'accounts:read',
    show: () => <Merchants />,
    one: { title: 'Merchant', show: (id) => <Merchant id={id} /> },
  },
  wallets: { title: 'Wallets', scope: 'wallets:read', show: () => <Wallets />, one: { title: 'Wallet', show: (id) => <Wallet id={id} /> } },
  budgets: { title: 'Budgets', scope: 'policies:read', show: () => <Budgets /> },
  mandates: {
    title: 'Mandates',
    scope: 'mandates:read',
    show: () => <Mandates />,
    one: { title: 'Mandate', show: (id) => <Mandate id={id} /> },
  },
  tasks: { title: 'Tasks', scope: 'tasks:read', show: () => <Tasks />, one: { title: 'Task', show: (id) => <Task id={id} /> } },
  reconciliation: { title: 'Reconciliation', scope: 'settlement:read', show: () => <Reconciliation /> },
  rails: { title: 'Rails', scope: 'rails:read', show: () => <Rails />, one: { title: 'Rail', show: (id) => <Rail id={id} /> } },
  webhooks: {
    title: 'Webhooks',
    scope: 'webhooks:read',
    show: () => <Webhooks />,
    one: { title: 'Webhook', show: (id) => <Webhook id={id} /> },
  },
  audit: { title: 'Audit log', scope: 'audit:read', show: () => <AuditLog /> },
  evidence: { title: 'Evidence', scope: 'evidence:read', show: () => <EvidenceLog /> },
  members: {
    title: 'Members',
    scope: 'members:read',
    show: () => <Members />,
    one: { title: 'Member', show: (id) => <MemberPage id={id} /> },
  },
  // Owners alone say it.
  'sign-in': { title: 'Sign-in', scope: '*', show: () => <SignInSettings /> },
  connections: { title: 'Connections', scope: 'connections:read', show: () => <Connections /> },
  'api-keys': { title: 'API keys', scope: 'keys:read', show: () => <ApiKeys /> },
  'my-sign-in': { title: 'My sign-in', show: () => <MySignIn />, isUnlisted: true },
  search: { title: 'Search', show: () => <Search />, isUnlisted: true },
  receipts: { title: 'Receipt', one: { title: 'Receipt', show: (id) => <Receipt id={id} /> }, isUnlisted: true },
  traces: { title: 'Trace', one: { title: 'Trace', show: (id) => <Trace id={id} /> }, isUnlisted: true },
};
