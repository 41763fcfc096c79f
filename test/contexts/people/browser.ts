// A browser of a person, as far as the platform meets it: cookies of one listener, the token of the session, and the origin of the page.

import { platformOfTenant, tenantWorkspace } from '../../../src/contexts/identity/tenant.js';
import { createInvitation, inviteFirstOwner } from '../../../src/contexts/people/invitation.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { newId, printId } from '../../../src/platform/schema/id.js';
import type { Role } from '../../../src/platform/scope.js';
import type { Answer, CallOptions, Client, Harness, Json } from '../../harness.js';

export const password = 'lamp olive quartz tide';

/** A browser that keeps what it is given. */
export class Browser {
  readonly #client: Client;
  readonly jar = new Map<string, string>();
  csrf = '';
  origin: string;

  constructor(client: Client) {
    this.#client = client;
    this.origin = client.url.replace('127.0.0.1', 'localhost');
  }

  /** The address of the listener. */
  get url(): string {
    return this.#client.url;
  }

  /** The cookie of the session. */
  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async call(method: string, path: string, { headers = {}, ...options }: CallOptions = {}): Promise<Answer> {
    const answer = await this.#client.call(method, path, {
      as: null,
      ...options,
      headers: {
        Host: new URL(this.origin).host,
        ...(this.jar.size > 0 && { Cookie: this.cookie }),
        ...(method !== 'GET' && { Origin: this.origin, ...(this.csrf !== '' && { 'X-CSRF-Token': this.csrf }) }),
        ...headers,
      },
    });
    for (const given of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = given.split('; ');
      const at = pair.indexOf('=');
      if (attributes.includes('Max-Age=0')) this.jar.delete(pair.slice(0, at));
      else this.jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const token = answer.body?.data?.csrf_token;
    if (typeof token === 'string') this.csrf = token;
    return answer;
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }
  post(path: string, body: unknown = {}, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }
  delete(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('DELETE', path, options);
  }

  /** Runs a GraphQL operation. */
  graphql(query: string, variables: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.post('/graphql', { query, variables }, options);
  }

  /** The answer's `data`, of a GraphQL operation that must succeed. */
  async ask(query: string, variables: object = {}): Promise<Json> {
    const { body } = await this.graphql(query, variables);
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
    return body.data;
  }

  signIn(email: string, word = password): Promise<Answer> {
    return this.post('/v1/login/sign-in', { email, password: word });
  }
}

/** A link to join the tenant of the harness, made by the command line. */
export async function inviteByPlatform(harness: Harness, email: string, role: Role, tenantId = harness.tenantId): Promise<string> {
  const platform = await platformOfTenant(harness.platform, tenantId);
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) throw new Error('no such tenant');
  const { link } = await createInvitation(systemCtx(platform, workspace, { action: 'createInvitation' }), { email, role });
  return link ?? '';
}

/** The link of the first owner. */
export async function firstOwnerLink(harness: Harness, tenantId = harness.tenantId): Promise<string> {
  const platform = await platformOfTenant(harness.platform, tenantId);
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) throw new Error('no such tenant');
  return inviteFirstOwner(systemCtx(platform, workspace, { action: 'createInvitation' }));
}

/** What stands behind `#` in a link. */
export const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1);

let people = 0;

/** A member who has just joined, with the browser. */
export interface Person {
  browser: Browser;
  email: string;
  id: string;
}

/** Makes a member of the tenant, signed in at the sandbox or another listener. */
export async function join(harness: Harness, role: Role, { client = harness.test, tenantId = harness.tenantId } = {}): Promise<Person> {
  people += 1;
  const email = `${role}-${people}@example.com`;
  const token = tokenOf(await inviteByPlatform(harness, email, role, tenantId));
  const browser = new Browser(client);
  const { status, body } = await browser.post('/v1/login/join', { token, name: `Person ${people}`, password });
  if (status !== 201) throw new Error(`join ${status} ${JSON.stringify(body)}`);
  return { browser, email, id: body.data.member.id };
}

/** A member and an invitation of the tenant of a client. */
export async function storedPeople(harness: Harness, client: Client): Promise<Record<string, string>> {
  const tenantId: string = (await client.get('/v1/me')).body.data.tenant_id;
  const platform = await platformOfTenant(harness.platform, tenantId);
  const workspace = await tenantWorkspace(platform, tenantId, 'test');
  if (workspace === null) throw new Error('no such tenant');
  people += 1;
  const ctx = systemCtx(platform, workspace, { action: 'createInvitation' });
  const at = harness.clock.now();
  const role = { role: 'owner' as const, authorityMax: null, authorityCurrency: 'USD' };
  const email = `stored-${people}@example.com`;
  const row = { id: newId(at), name: 'Ada', email, emailKey: email, ...role, status: 'active' as const, createdAt: at, updatedAt: at };
  await ctx.db.member.createMany({ data: [row, { ...row, id: newId(at), email: `x${email}`, emailKey: `x${email}` }] });
  const { id } = await createInvitation(ctx, { email: `invited-${people}@example.com`, role: 'viewer' });
  const passkey = {
    id: newId(at),
    memberId: row.id,
    credentialId: email,
    publicKey: Buffer.alloc(1),
    counter: 0n,
    name: 'Laptop',
    createdAt: at,
  };
  await ctx.db.passkey.createMany({ data: [passkey] });
  return { member: printId('member', row.id), invitation: printId('invitation', id), passkey: printId('passkey', passkey.id) };
}
