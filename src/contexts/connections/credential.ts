// The tokens of connections: opaque, good for 15 minutes and for /mcp alone. Looked up once by their hash, then kept until any process
// changes the connection or its agent: warm, a check costs no query.
import type { Agent } from '../../generated/prisma/client.js';
import { withRead } from '../../platform/agent-scope.js';
import {
  type CredentialResolver,
  EnvironmentMismatch,
  type Identity,
  InvalidConnectionToken,
  MalformedCredential,
} from '../../platform/credential.js';
import type { Ctx, Platform, Workspace } from '../../platform/ctx.js';
import { actingOf, admitAgent } from '../agents/agent.js';
import { noteUse, type Used } from '../identity/last-use.js';
import { workspaceById } from '../identity/tenant.js';
import { artifactHash } from './artifact.js';
import { ownerOfToken } from './artifact.sql.js';

export const tokenPrefix = 'cnxt_';
const pattern = /^cnxt_[A-Za-z0-9_-]{43}$/;

interface KnownToken extends Used {
  identity: Identity;
  agent: Agent;
  /** The earlier of the token's end and the connection's. */
  expiresAt: Date;
  isActive: boolean;
}

/** A token of a connection. It stands for the agent. */
export const connectionCredential: CredentialResolver = {
  prefix: tokenPrefix,
  only: 'mcp',
  trace: (credential) => ({ hash: artifactHash('AccessToken', credential) }),
  async ownerOf({ cells }, credential) {
    const owner = await ownerOfToken(cells.directory.database.pool, artifactHash('AccessToken', credential));
    return owner && { workspaceId: owner.workspaceId, kind: 'connection', id: owner.connectionId };
  },
  async resolve(platform, credential, environment, ip) {
    if (!pattern.test(credential)) throw new MalformedCredential();
    const known = await knownToken(platform, credential);
    if (known === null) throw new InvalidConnectionToken();
    const own = known.identity.workspace.environment;
    if (own !== environment) throw new EnvironmentMismatch(own);
    if (!known.isActive || known.expiresAt <= platform.clock.now()) throw new InvalidConnectionToken();
    admitAgent(known.agent);
    noteUse(platform, 'connection', known, ip);
    return known.identity;
  },
};

function knownToken(platform: Platform, token: string): Promise<KnownToken | null> {
  const hash = artifactHash('AccessToken', token);
  return platform.cache.get<KnownToken | null>(`connection_token:${hash.toString('base64')}`, async () => {
    const owner = await ownerOfToken(platform.cells.directory.database.pool, hash);
    const workspace = owner === null ? null : await workspaceById(platform, owner.workspaceId);
    if (owner === null || workspace === null) return { value: null, tags: [] };
    const found = await readConnection(platform, workspace, owner.connectionId);
    if (found === null) return { value: null, tags: [] };
    const { value: connection, tags } = found;
    const expiresAt = new Date(Math.min(owner.expiresAt.getTime(), connection.expiresAt.getTime()));
    return { value: { ...connection, expiresAt }, tags };
  });
}

/** Who a connection stands for now, whatever has become of the token that it was shown by. 401 once it has ended. */
export async function holdConnection({ platform, workspace }: Pick<Ctx, 'platform' | 'workspace'>, id: string): Promise<Identity> {
  const known = await platform.cache.get<KnownToken | null>(
    `connection_held:${id}`,
    async () => (await readConnection(platform, workspace, id)) ?? { value: null, tags: [] },
  );
  if (known === null || !known.isActive || known.expiresAt <= platform.clock.now()) throw new InvalidConnectionToken();
  admitAgent(known.agent);
  return known.identity;
}

/** A connection as its tokens know it, which may last as long as it does. */
async function readConnection(
  platform: Platform,
  workspace: Workspace,
  connectionId: string,
): Promise<{ value: KnownToken; tags: string[] } | null> {
  const db = platform.database.forWorkspace(workspace.id, workspace.tenantId);
  const row = await db.connection.findFirst({ where: { id: connectionId }, include: { agent: true } });
  if (row === null) return null;
  const member = await db.member.findFirst({ where: { id: row.memberId }, select: { status: true } });
  const { id, agent, budgetId, expiresAt, lastUsedAt, status } = row;
  const identity: Identity = {
    workspace,
    actor: {
      type: 'agent',
      id: agent.id,
      name: agent.name,
      scopes: [],
      credential: { kind: 'connection', id },
      agent: actingOf(agent),
      connection: { id, scopes: withRead(row.scopes), memberId: row.memberId, budgetId, expiresAt },
    },
  };
  const isActive = status === 'active' && member?.status === 'active';
  const value = { id, workspaceId: workspace.id, identity, agent, expiresAt, isActive, lastUsedAt };
  return { value, tags: [`connection:${id}`, `agent:${agent.id}`, `member:${row.memberId}`, `workspace:${workspace.id}`] };
}
