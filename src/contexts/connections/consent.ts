// What a person answers to a program that wants to be connected: which agent it acts as, with which budget, until when (CONTRACT.md 22). An
// authorization is answered once, in the browser that began it, by a person of the workspace.
import type pg from 'pg';
import type { Account, Agent, Connection } from '../../generated/prisma/client.js';
import { type AgentScope, actScope, withRead } from '../../platform/agent-scope.js';
import { homeCell } from '../../platform/cell/cells.js';
import { addSeconds } from '../../platform/clock.js';
import type { ActingMember, Ctx } from '../../platform/ctx.js';
import { NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { parseMinor } from '../../platform/money.js';
import { inTransaction, type Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { requireStepUp } from '../../platform/step-up.js';
import { visibleAccounts } from '../accounts/account.js';
import { agentRevoked, visibleAgents } from '../agents/agent.js';
import { insertAgent } from '../agents/enrolment.js';
import { insertBudget, lockBudgets } from '../spending/budget/budget.js';
import { dropRulebook } from '../spending/pipeline/rules-tag.js';
import { accountOf, artifactHash, newArtifact, openArtifact, type Payload } from './artifact.js';
import { consumeArtifact, keepClient, writeArtifact } from './artifact.sql.js';
import { authorizationServer } from './authorization-server.js';
import { isOfBrowser } from './connect-cookie.js';
import { eventData, mostOfAgent } from './connection.js';
import type { GrantConnectionInput } from './consent.input.js';
import { AgentFullyConnected, AlreadyAnswered, PersonRequired } from './errors.js';
import { emit } from './events.js';
import { tellOwners } from './notice.js';
import { placeOf } from './registration.js';

/** Seconds until a connection ends by itself, where nobody says when. */
const defaultSeconds = 2_592_000;

/** Agents and accounts that are offered. */
export const mostOffered = 200;

/** An authorization that waits for its answer. */
export interface ConnectRequest {
  uid: string;
  clientId: string;
  clientName: string;
  redirectHost: string;
  isLoopback: boolean;
  scopes: AgentScope[];
  /** The address of /mcp that it is for. */
  resource: string;
  expiresAt: Date;
}

interface Waiting extends ConnectRequest {
  payload: Payload;
  returnTo: string;
}

/** Whoever answers: a person. 403 for a key or a program. */
function personOf({ actor }: Ctx): ActingMember {
  if (actor.member === undefined) throw new PersonRequired();
  return actor.member;
}

/** What a program asks for. 404 in another browser than the one that began it, and once it was answered or its time is over. */
export async function connectRequest(ctx: Ctx, uid: string): Promise<ConnectRequest> {
  const request = await waiting(ctx, uid);
  personOf(ctx);
  return request;
}

async function waiting(ctx: Ctx, uid: string): Promise<Waiting> {
  const { platform, workspace } = ctx;
  if (!isOfBrowser(ctx, uid)) throw new NotFound();
  const found = await openArtifact(platform, workspace.environment, { kind: 'Interaction', id: uid });
  if (found === null || found.row.consumedAt !== null) throw new NotFound();
  const { params, returnTo } = found.payload as { params: Record<string, string>; returnTo: string };
  const { client_id: clientId = '', redirect_uri: redirectUri = '', scope = '', resource = '' } = params;
  const client = await openArtifact(platform, workspace.environment, { kind: 'Client', id: clientId });
  if (client === null) throw new NotFound();
  return {
    uid,
    clientId,
    clientName: String(client.payload['client_name'] ?? ''),
    ...placeOf(redirectUri),
    scopes: withRead(scope.split(' ')),
    resource: String(resource),
    expiresAt: found.row.expiresAt,
    payload: found.payload,
    returnTo,
  };
}

/** The agents that a program may be connected to, the newest. */
export function offeredAgents(ctx: Ctx): Promise<Agent[]> {
  const where = { AND: [{ status: 'active' as const }, visibleAgents.where(ctx)] };
  return ctx.db.agent.findMany({ where, orderBy: { id: 'desc' }, take: mostOffered });
}

/** The accounts that a new agent may act for, the newest. */
export function offeredAccounts(ctx: Ctx): Promise<Account[]> {
  const where = { AND: [{ status: 'active' as const }, visibleAccounts.where(ctx)] };
  return ctx.db.account.findMany({ where, orderBy: { id: 'desc' }, take: mostOffered });
}

/** A connection that was allowed, and where its browser goes on. */
export interface Granted {
  connection: Connection;
  redirectTo: string;
}

/**
 * Allows a program what it asks for, or less: makes its connection with its budget, and the grant that its code and tokens stand on. 403
 * `step_up_required` in live for who has not just signed in, 404 in another browser, 409 for an agent that is not active or has as many
 * connections as it may.
 */
export async function grantConnection(ctx: Ctx, uid: string, input: GrantConnectionInput): Promise<Granted> {
  const request = await waiting(ctx, uid);
  const member = personOf(ctx);
  if (ctx.workspace.environment === 'live') requireStepUp(ctx);
  const scopes = checkInput(request, input);
  const server = await authorizationServer(ctx.platform, ctx.workspace.environment, issuerOf(request.resource));
  const at = ctx.platform.clock.now();
  const answer = answerer(request);
  const seconds = input.expiresIn ?? defaultSeconds;
  const connection = await transact(
    ctx,
    async (tx) => {
      await lockBudgets(ctx, tx);
      const agent = await agentFor(ctx, tx, input);
      const made = await insertConnection(ctx, tx, { request, member, agent, scopes, input, expiresAt: addSeconds(at, seconds) });
      const { clientId, resource } = request;
      const accountId = accountOf({ workspaceId: ctx.workspace.id, connectionId: made.id });
      const grant = new server.Grant({ accountId, clientId, exp: Math.floor(at.getTime() / 1000) + seconds });
      grant.addOIDCScope(scopes.join(' '));
      grant.addResourceScope(resource, scopes.join(' '));
      grant.jti = grant.generateTokenId();
      const { payload } = await grant.getValueAndPayload();
      const written = newArtifact(ctx.platform, ctx.workspace.environment, { kind: 'Grant', id: grant.jti, payload, seconds });
      await emit(ctx, tx, 'connection.created', eventData(made), { objectId: made.id });
      await tellOwners(ctx, tx, made, { member, agent, budget: input.budget });
      const result = { login: { accountId, remember: false }, consent: { grantId: grant.jti } };
      await answer(ctx, tx, result, async (directory) => {
        await writeArtifact(directory, written);
        await keepClient(directory, artifactHash('Client', clientId), at, addSeconds(at, seconds));
      });
      return made;
    },
    ({ id }) => `${id} ${uid}`,
  );
  dropRulebook(ctx);
  return { connection, redirectTo: request.returnTo };
}

/** What a connection was allowed as, and where its browser goes on, for a request that is sent again. */
export async function grantedConnection(ctx: Ctx, reference: string): Promise<Granted> {
  const [id = '', uid = ''] = reference.split(' ');
  const connection = await ctx.db.connection.findFirst({ where: { id } });
  if (connection === null) throw new NotFound();
  return { connection, redirectTo: `${issuerOf(connection.resource)}/oauth/authorize/${uid}` };
}

/** Tells a program that a person has said no; where the browser goes on. */
export async function denyConnection(ctx: Ctx, uid: string): Promise<{ redirectTo: string }> {
  const request = await waiting(ctx, uid);
  personOf(ctx);
  const answer = answerer(request);
  await transact(
    ctx,
    (tx) => answer(ctx, tx, { error: 'access_denied', error_description: 'the person said no' }),
    () => uid,
  );
  return { redirectTo: request.returnTo };
}

type Answer = (ctx: Ctx, tx: Tx, result: Payload, more?: (directory: Tx | pg.ClientBase) => Promise<void>) => Promise<void>;

/**
 * What writes the answer of an authorization, which its browser then takes to the program, and what goes with it. It is the last thing to be
 * written: where the directory is another database, what it says comes to nothing until the cell has the connection. A transaction that begins
 * again answers again. 409 for the second answer.
 */
function answerer({ uid, payload, expiresAt }: Waiting): Answer {
  let isOurs = false;
  return async ({ platform, workspace }, tx, result, more) => {
    const at = platform.clock.now();
    const seconds = Math.floor((expiresAt.getTime() - at.getTime()) / 1000);
    const answered = newArtifact(platform, workspace.environment, {
      kind: 'Interaction',
      id: uid,
      payload: { ...payload, result },
      seconds,
    });
    const write = async (directory: Tx | pg.ClientBase) => {
      if (!isOurs && !(await consumeArtifact(directory, answered.hash, at))) throw new AlreadyAnswered();
      await more?.(directory);
      await writeArtifact(directory, answered);
    };
    if (platform.cell === homeCell) return write(tx);
    await inTransaction(platform.cells.directory.database.pool, write);
    isOurs = true;
  };
}

const issuerOf = (resource: string): string => resource.replace(/\/mcp$/, '');

/** 400 for what contradicts itself, is beyond what was asked for, or spends without a budget. */
function checkInput(request: ConnectRequest, { agentId, agent, scopes, budget }: GrantConnectionInput): AgentScope[] {
  const refuse = (path: string[], message: string, rule: string) => new ValidationFailed([{ path, message, rule }]);
  if ((agentId == null) === (agent == null)) throw refuse(['agentId'], 'is given, or agent: one of them', 'one_of');
  const beyond = scopes.findIndex((scope) => !request.scopes.includes(scope as AgentScope));
  if (beyond >= 0) throw refuse(['scopes', String(beyond)], 'is more than the program asks for', 'scope');
  const given = withRead(scopes);
  if (given.includes(actScope) && budget == null) throw refuse(['budget'], 'is required with agent:act', 'required');
  if (budget != null && parseMinor(budget.amount, budget.currency, ['budget', 'amount']) <= 0n) {
    throw refuse(['budget', 'amount'], 'must be more than zero', 'min');
  }
  return given;
}

async function agentFor(ctx: Ctx, tx: Tx, { agentId, agent }: GrantConnectionInput): Promise<Agent> {
  if (agent != null) {
    const { name, parentAccountId, currency } = agent;
    return insertAgent(ctx, tx, { name, parentAccountId, wallet: { currency } }, ['agent', 'parentAccountId']);
  }
  const found = await lockRow(tx.agent, agentId ?? '', { field: 'agentId' });
  if (found.status === 'revoked') throw agentRevoked(found);
  if (found.status !== 'active') {
    const path = `/v1/agents/${printId('agent', found.id)}/${found.status === 'frozen' ? 'unfreeze' : 'activate'}`;
    throw new StateConflict(`The agent is ${found.status}: no program is connected to it.`, found.status, ['active'], {
      next_actions: [{ rel: 'activate', actor: 'any', method: 'POST', path }],
    });
  }
  const active = await tx.connection.count({
    where: { agentId: found.id, status: 'active', expiresAt: { gt: ctx.platform.clock.now() } },
  });
  if (active >= mostOfAgent) throw new AgentFullyConnected(found.id, mostOfAgent);
  return found;
}

interface NewConnection {
  request: Waiting;
  member: ActingMember;
  agent: Agent;
  scopes: AgentScope[];
  input: GrantConnectionInput;
  expiresAt: Date;
}

async function insertConnection(ctx: Ctx, tx: Tx, facts: NewConnection): Promise<Connection> {
  const { request, member, agent, scopes, input, expiresAt } = facts;
  const { clientId, clientName, redirectHost, isLoopback, resource } = request;
  const at = ctx.platform.clock.now();
  const id = newId(at);
  const { budget } = input;
  const purse =
    budget == null
      ? null
      : await insertBudget(ctx, tx, {
          name: `Connection of ${clientName}`.slice(0, 200),
          scopeType: 'connection',
          scopeId: id,
          amount: parseMinor(budget.amount, budget.currency, ['budget', 'amount']),
          currency: budget.currency,
          period: budget.period,
        });
  return tx.connection.create({
    data: {
      id,
      agentId: agent.id,
      memberId: member.id,
      budgetId: purse?.id ?? null,
      clientId,
      clientName,
      redirectHost,
      isLoopback,
      resource,
      scopes,
      createdAt: at,
      expiresAt,
    },
  });
}
