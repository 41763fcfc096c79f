// What a configuration is made of: each kind of setting with the operations that read and change it. An apply calls these operations, so a
// setting is checked as at its own endpoint, asks for its own scope, and leaves its own line in the audit log.
import type { Ctx } from '../../platform/ctx.js';
import type { Operations } from '../../platform/operation.js';

type Shown = Readonly<Record<string, unknown>>;

/** What every kind says. */
interface AnyKind {
  /** Where it stands in the document. */
  path: readonly string[];
  /** Members that its operations take and that are no settings. */
  without?: readonly string[];
}

/** What a workspace has once, such as its breakers. */
export interface SingleKind extends AnyKind {
  is: 'single';
  /** The operations that read it, and that set it. */
  show: string;
  set: string;
}

/** Things of which a workspace has several. */
export interface ListKind extends AnyKind {
  is: 'list';
  list: string;
  show: string;
  make: string;
  change: string;
  /** Absent where nothing is ever deleted. */
  remove?: string;
  /** True for a list that has no pages. */
  isWhole?: true;
  /** The settings, where the members of the operations are not what a thing has. */
  members?: readonly string[];
  /** The name of a thing that has none of its own. */
  nameOf?: (shown: Shown) => string;
  /** Found again by its name alone: a change gives it another id. */
  isByName?: true;
  /** Whether it is a setting of the workspace at all. */
  isSetting?: (shown: Shown) => boolean;
  /** Ids of things that are listed and that somebody else has set up. */
  foreign?: (ctx: Ctx) => Promise<ReadonlySet<string>>;
  /** The body of creation and change, where it is not the settings themselves. */
  bodyOf?: (settings: Shown) => Shown;
}

export type Kind = SingleKind | ListKind;

/** Budgets of what comes and goes by itself are no configuration. */
const lastingScopes: readonly unknown[] = ['tenant', 'account', 'agent'];

/** Where an endpoint is, without what may be secret in its address. */
function placeOf({ url }: Shown): string {
  const { host, pathname } = new URL(String(url));
  return `${host}${pathname}`.slice(0, 200);
}

/** Subscriptions that a protocol has made for a merchant. */
async function ofProtocols({ db }: Ctx): Promise<ReadonlySet<string>> {
  const rows = await db.webhook.findMany({ where: { deletedAt: null, sender: { not: null } }, select: { id: true } });
  return new Set(rows.map(({ id }) => id));
}

/** Every kind, in the order of the document: what others refer to comes first. */
export const kinds: readonly Kind[] = [
  {
    is: 'list',
    path: ['rates'],
    list: 'listRates',
    show: 'getRate',
    make: 'setRates',
    change: 'setRates',
    isWhole: true,
    members: ['from', 'to', 'rate'],
    nameOf: ({ from, to }) => `${from}/${to}`,
    isByName: true,
    isSetting: ({ source }) => source === 'workspace',
    bodyOf: (settings) => ({ rates: [settings] }),
  },
  { is: 'single', path: ['kya_limits'], show: 'getKyaLimits', set: 'setKyaLimits' },
  { is: 'single', path: ['breakers'], show: 'getBreakers', set: 'setBreakers' },
  {
    is: 'list',
    path: ['budgets'],
    list: 'listBudgets',
    show: 'getBudget',
    make: 'createBudget',
    change: 'updateBudget',
    remove: 'deleteBudget',
    isSetting: ({ scope }) => lastingScopes.includes((scope as Shown)['type']),
  },
  {
    is: 'list',
    path: ['policies'],
    list: 'listPolicies',
    show: 'getPolicy',
    make: 'createPolicy',
    change: 'updatePolicy',
    remove: 'deletePolicy',
  },
  { is: 'single', path: ['approval_notices'], show: 'getApprovalNotices', set: 'setApprovalNotices' },
  { is: 'single', path: ['settlement', 'config'], show: 'getSettlementConfig', set: 'updateSettlementConfig' },
  {
    is: 'list',
    path: ['settlement', 'windows'],
    list: 'listSettlementWindows',
    show: 'getSettlementWindow',
    make: 'createSettlementWindow',
    change: 'updateSettlementWindow',
    remove: 'deleteSettlementWindow',
  },
  {
    is: 'list',
    path: ['settlement', 'rules'],
    list: 'listSettlementRules',
    show: 'getSettlementRule',
    make: 'createSettlementRule',
    change: 'updateSettlementRule',
    remove: 'deleteSettlementRule',
    // Fires once, when the rule is made.
    without: ['fire_now'],
  },
  {
    is: 'list',
    path: ['webhooks'],
    list: 'listWebhooks',
    show: 'getWebhook',
    make: 'createWebhook',
    change: 'updateWebhook',
    remove: 'deleteWebhook',
    // Says how its endpoint does.
    without: ['status'],
    nameOf: placeOf,
    foreign: ofProtocols,
  },
  {
    is: 'list',
    path: ['x402_endpoints'],
    list: 'listX402Endpoints',
    show: 'getX402Endpoint',
    make: 'createX402Endpoint',
    change: 'updateX402Endpoint',
    remove: 'deleteX402Endpoint',
  },
];

/** What a change calls the kind: its place in the document. */
export function nameOfKind({ path }: Kind): string {
  return path.join('.');
}

/** The settings of a kind, in their order: what its operations take. The name of a thing is not among them. */
export function membersOf(operations: Operations<Ctx>, kind: Kind): readonly string[] {
  const taken = kind.is === 'single' ? operations.takes(kind.set) : listMembers(operations, kind);
  return taken.filter((member) => member !== 'name' && !kind.without?.includes(member));
}

function listMembers(operations: Operations<Ctx>, { members, make, change }: ListKind): readonly string[] {
  return members ?? [...new Set([...operations.takes(make), ...operations.takes(change)])];
}

/** Whether a thing has a name of its own at its endpoint. */
export function isNamed(operations: Operations<Ctx>, kind: ListKind): boolean {
  return operations.takes(kind.make).includes('name');
}
