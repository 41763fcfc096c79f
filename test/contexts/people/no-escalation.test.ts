// Security property "No escalation": people of every role, keys, sessions of keys and agents' tokens try at random to have more: keys made and
// rolled, tokens, roles, authorities, invitations, recoveries. Whatever is taken is held against what the giver has at that moment, and at
// the end nobody has more than somebody had at the beginning. The owner, who has everything, takes no part. SLOW=1 plays 10,000 steps.
import { beforeAll, expect, it, vi } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';
import { Browser, join, tokenOf } from './browser.js';
import { type Authority, beyond, type Environment, forbidsGiving, forbidsIssuing, nothing, opened, type Power, powerOf } from './power.js';

const steps = isSlow ? 10_000 : 400;
vi.setConfig({ testTimeout: isSlow ? 3_600_000 : 240_000, hookTimeout: 240_000 });
const harness = useHarness();

/** Numbers from 0 to 1, the same ones each time. */
let state = 24;
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
}
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** A member as the walk knows the row to be. */
interface Member {
  id: string;
  email: string;
  word: string;
  role: string;
  authority: Authority;
  isActive: boolean;
  browsers: Partial<Record<Environment, Browser>>;
}

/** A key, with what it was given. */
interface Key {
  id: string;
  key: string;
  environment: Environment;
  scopes: readonly string[];
  isActive: boolean;
}

/** Whoever does a step. */
interface Actor {
  name: string;
  environment: Environment;
  isMember: boolean;
  power: () => Power;
  ask: (query: string, variables: object) => Promise<Json>;
}

/** A link that was given and may be used later, with what it gives then. */
interface Link {
  token: string;
  by: Actor;
  gives: () => { role: string; authority: Authority };
  recovers?: Member;
}

const members: Member[] = [];
const keys: Key[] = [];
const links: Link[] = [];
/** Programs that have nothing to give: agents by their tokens. */
const agents: Actor[] = [];
const beginning: Power[] = [];
let agentId: Record<Environment, string>;

const powerOfMember = ({ isActive, role, authority }: Member): Power => (isActive ? powerOf(role, authority) : nothing);
const powerOfKey = ({ environment, scopes, isActive }: Key): Power => (isActive ? { ...nothing, [environment]: opened(scopes) } : nothing);

/** A member at one of the listeners, who signs in where no session is left. */
function actorOf(member: Member, environment: Environment): Actor {
  const ask = async (query: string, variables: object): Promise<Json> => {
    const known = member.browsers[environment];
    const body = known && (await known.graphql(query, variables)).body;
    if (body !== undefined && !['login_expired', 'missing_credential'].includes(body.errors?.[0].extensions.code)) return body;
    const browser = new Browser(harness[environment]);
    member.browsers[environment] = browser;
    await browser.signIn(member.email, member.word);
    return (await browser.graphql(query, variables)).body;
  };
  return { name: `${member.role} ${member.email}`, environment, isMember: true, power: () => powerOfMember(member), ask };
}

/** A key, or a session that was made of it. */
function actorOfKey(key: Key, credential = key.key): Actor {
  const ask = async (query: string, variables: object) =>
    (await harness[key.environment].graphql(query, variables, { as: credential })).body;
  return { name: key.id, environment: key.environment, isMember: false, power: () => powerOfKey(key), ask };
}

async function anyActor(): Promise<Actor> {
  const chance = random();
  if (chance < 0.6) return actorOf(pick(members), pick(['live', 'live', 'test']));
  if (chance < 0.65) return pick(agents);
  const key = pick(keys.slice(-30));
  if (chance < 0.95) return actorOfKey(key);
  const { status, body } = await harness[key.environment].post('/v1/auth/session', { api_key: key.key }, { as: null });
  return status === 201 ? actorOfKey(key, body.data?.token ?? body.token) : actorOfKey(key);
}

const roles = ['owner', 'admin', 'finance', 'developer', 'viewer'];
const authorities: Authority[] = [
  null,
  { maxAmount: null, currency: 'USD' },
  { maxAmount: '50.00', currency: 'USD' },
  { maxAmount: '500.00', currency: 'USD' },
  { maxAmount: '50.00', currency: 'EUR' },
];
const scopeLists = [['*'], ['*:read'], ['keys:write'], ['keys:write', 'members:write'], ['transfers:write'], ['approvals:decide']];
const mixtures = [
  ...scopeLists,
  ['keys:write', 'members:read', 'webhooks:write'],
  ['agents:write', 'keys:write'],
  ['policies:write', 'keys:write'],
];

/** What a step did: the name of what was taken, and what forbids it. Null where the platform refused. */
type Outcome = { taken: string; forbidden: string | undefined } | null;

const newKey = (made: Json, environment: Environment) => {
  keys.push({ id: made.id, key: made.key, environment, scopes: made.scopes, isActive: true });
};

const moves: ((actor: Actor) => Promise<Outcome>)[] = [
  async ({ ask, power, environment, isMember }) => {
    const input = { name: 'Walk', ...(random() < 0.7 && { scopes: pick(mixtures) }) };
    const held = power();
    const made = (await ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id key scopes } }', { input })).data
      ?.createApiKey;
    if (!made) return null;
    newKey(made, environment);
    return { taken: 'a key', forbidden: forbidsIssuing(held, environment, made.scopes, isMember) };
  },
  async ({ ask, power, environment, isMember }) => {
    const old = pick(keys.slice(-30));
    const held = power();
    const text = 'mutation ($id: ApiKeyId!) { rollApiKey(id: $id, input: { overlapSeconds: 0 }) { id key scopes } }';
    const made = (await ask(text, { id: old.id })).data?.rollApiKey;
    if (!made) return null;
    old.isActive = false;
    newKey(made, environment);
    const forbidden = old.environment === environment ? undefined : 'a key of the other environment';
    return { taken: 'a roll', forbidden: forbidden ?? forbidsIssuing(held, environment, made.scopes, isMember) };
  },
  async ({ ask, power, environment }) => {
    const held = power();
    const text = 'mutation ($id: AgentId!) { rotateAgentToken(id: $id, input: { overlapSeconds: 86400 }) { token } }';
    const { data } = await ask(text, { id: agentId[environment] });
    if (!data?.rotateAgentToken) return null;
    return { taken: 'a token', forbidden: held[environment].has('agents:write') ? undefined : 'agents:write' };
  },
  async ({ ask, power }) => {
    const member = pick(members);
    const input = pick<Json>([
      { role: pick(roles) },
      { authority: pick(authorities) },
      { role: pick(roles), authority: pick(authorities) },
      { status: pick(['active', 'active', 'suspended']) },
    ]);
    const held = power();
    const before = { ...member };
    const text =
      'mutation ($id: MemberId!, $input: UpdateMemberInput!) { updateMember(id: $id, input: $input) { role status authority { maxAmount currency } } }';
    const changed = (await ask(text, { id: member.id, input })).data?.updateMember;
    if (!changed) return null;
    Object.assign(member, { role: changed.role, authority: changed.authority, isActive: changed.status === 'active' });
    const forbidden = forbidsGiving(held, before.role, before.authority) ?? forbidsGiving(held, member.role, member.authority);
    return { taken: 'a change', forbidden };
  },
  async (actor) => {
    const role = pick(roles);
    const authority = pick(authorities);
    const input = { email: `walk-${links.length}-${members.length}-${Math.floor(random() * 1e9)}@example.com`, role, authority };
    const held = actor.power();
    const made = (await actor.ask('mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { link } }', { input })).data
      ?.createInvitation;
    if (!made) return null;
    links.push({ token: tokenOf(made.link), by: actor, gives: () => ({ role, authority }) });
    return { taken: 'an invitation', forbidden: forbidsGiving(held, role, authority) };
  },
  async (actor) => {
    const member = pick(members);
    const held = actor.power();
    const made = (await actor.ask('mutation ($id: MemberId!) { recoverMember(id: $id) { link } }', { id: member.id })).data?.recoverMember;
    if (!made) return null;
    links.push({ token: tokenOf(made.link), by: actor, gives: () => member, recovers: member });
    return { taken: 'a recovery', forbidden: forbidsGiving(held, member.role, member.authority) };
  },
  useLink,
];

/** Somebody takes up a link that was given some time before: its giver still has to have what it gives. */
async function useLink(): Promise<Outcome> {
  if (links.length === 0 || members.length > 40) return null;
  const [link] = links.splice(Math.floor(random() * links.length), 1) as [Link];
  const { role, authority } = link.gives();
  const held = link.by.power();
  const browser = new Browser(harness.test);
  const word = `lamp olive quartz ${Math.floor(random() * 1e9)}`;
  const { status, body } = await browser.post('/v1/login/join', { token: link.token, name: 'Walker', password: word });
  if (status !== 201) return null;
  const { id } = body.data.member;
  if (link.recovers === undefined)
    members.push({ id, email: body.data.member.email, word, role, authority, isActive: true, browsers: { test: browser } });
  else Object.assign(link.recovers, { word, browsers: { test: browser } });
  // A program's invitation stays when the program ends: what a key set up goes on.
  const forbidden = link.by.isMember ? forbidsGiving(held, role, authority) : undefined;
  return { taken: link.recovers === undefined ? 'a place' : 'somebody else', forbidden };
}

beforeAll(async () => {
  const owner = await join(harness, 'owner');
  const newcomers: [string, Authority][] = [
    ['finance', { maxAmount: '500.00', currency: 'USD' }],
    ['admin', { maxAmount: '50.00', currency: 'USD' }],
    ['admin', null],
    ['developer', { maxAmount: '50.00', currency: 'EUR' }],
    ['viewer', null],
  ];
  for (const [role, authority] of newcomers) {
    const { id, email, browser } = await join(harness, role as 'viewer');
    const text = 'mutation ($id: MemberId!, $authority: AuthorityInput) { updateMember(id: $id, input: { authority: $authority }) { id } }';
    await owner.browser.ask(text, { id, authority });
    members.push({ id, email, word: 'lamp olive quartz tide', role, authority, isActive: true, browsers: { test: browser } });
  }
  for (const environment of ['live', 'test'] as const)
    for (const scopes of [
      ['keys:write', 'members:write', '*:read', 'webhooks:write', 'freeze:write'],
      ['keys:write', 'transfers:write'],
    ])
      newKey((await harness[environment].post('/v1/api-keys', { name: 'First', scopes })).body.data, environment);
  const [live, test] = [await newAgent('live'), await newAgent('test')];
  agentId = { live, test };
  beginning.push(...members.map(powerOfMember), ...keys.map(powerOfKey));
});

/** An agent whose token takes part. */
async function newAgent(environment: Environment): Promise<string> {
  const { account } = await openWallet(harness[environment]);
  const { body } = await harness[environment].post('/v1/agents', { parent_account_id: account.id, name: 'Walker' });
  const ask = async (query: string, variables: object) =>
    (await harness[environment].graphql(query, variables, { as: body.credentials.token })).body;
  // An agent makes its own token anew, and nothing else.
  const own = new Set(['agents:write']);
  agents.push({ name: 'an agent', environment, isMember: false, power: () => ({ ...nothing, [environment]: own }), ask });
  return body.data.id;
}

it('No escalation', async () => {
  const takenBy = new Map<string, number>();
  for (let step = 0; step < steps; step += 1) {
    const actor = await anyActor();
    const outcome = await pick(moves)(actor);
    if (outcome === null) continue;
    takenBy.set(outcome.taken, (takenBy.get(outcome.taken) ?? 0) + 1);
    expect(outcome.forbidden, `step ${step}: ${actor.name} in ${actor.environment} got ${outcome.taken}`).toBeUndefined();
  }
  // What was refused changed nothing, and what was taken is what was said.
  const { pool } = harness.platform.database;
  const rows = await pool.query("SELECT 'mem_' || id AS id, role::text, status::text, authority_currency AS currency FROM member");
  for (const { id, role, authority, isActive } of members)
    expect(rows.rows.find((row) => row.id === id)).toEqual({
      id,
      role,
      status: isActive ? 'active' : 'suspended',
      currency: authority?.currency ?? null,
    });
  // A role is given by who has all of its scopes in production: what it opens in the sandbox comes with it.
  const inProduction = members.map((member) => [member.email, { ...powerOfMember(member), test: nothing.test }] as const);
  for (const [name, power] of [...inProduction, ...keys.map((key) => [key.id, powerOfKey(key)] as const)]) {
    const more = beginning.map((one) => beyond(one, power));
    expect(more.includes(undefined), `${name} has more than anybody had: ${more.join(', ')}`).toBe(true);
  }
  expect([...takenBy.keys()].sort()).toEqual(
    ['a change', 'a key', 'a place', 'a recovery', 'a roll', 'an invitation', 'somebody else', 'a token'].sort(),
  );
});
