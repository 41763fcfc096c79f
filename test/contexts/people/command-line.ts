// The first owner of a tenant of a process, by a link of the command line.
import type { Client } from '../../harness.js';
import { runCli } from '../../process.js';
import { Browser, type Person, password } from './browser.js';

/** Invites somebody as an owner of the tenant of a client, and joins. */
export async function joinByCommandLine(client: Client, env: Readonly<Record<string, string>>): Promise<Person> {
  const { tenant_id: tenant } = (await client.get('/v1/me')).body.data;
  const email = 'ada@example.com';
  const { stdout } = await runCli(['member', 'invite', '--tenant', tenant, '--email', email, '--role', 'owner'], env);
  const browser = new Browser(client);
  const { status, body } = await browser.post('/v1/login/join', { token: /#(\S+)/.exec(stdout)?.[1], name: 'Ada', password });
  if (status !== 201) throw new Error(`join ${status} ${JSON.stringify(body)}`);
  return { browser, email, id: body.data.member.id };
}
