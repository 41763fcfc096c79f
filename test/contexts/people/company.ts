// People who sign in at the provider of their company, as tests of it need them.
import { expect } from 'vitest';
import type { Answer, Client, Harness } from '../../harness.js';
import { Browser, inviteByPlatform, tokenOf } from './browser.js';
import { comeBack, type FakeProvider } from './provider.js';

/** Begins a round at the address of a tenant. */
export const begin = (browser: Browser, slug = 'acme', query = ''): Promise<Answer> => browser.get(`/v1/login/oidc/${slug}${query}`);

/** Who is signed in in a browser; undefined where nobody is. */
export const who = async (browser: Browser) => (await browser.get('/v1/me')).body.data?.member;

/** What tests of a harness do again and again. */
export function companyOf(harness: Harness) {
  let people = 0;
  const fresh = (client: Client = harness.test) => new Browser(client);

  /** The token of a new invitation. */
  const invite = async (role: 'viewer' | 'owner' = 'viewer', tenantId = harness.tenantId) => {
    people += 1;
    return tokenOf(await inviteByPlatform(harness, `invited-${people}@example.com`, role, tenantId));
  };

  /** Somebody who has joined as a subject of a provider. */
  const joinAs = async (at: FakeProvider, subject: string, token: string): Promise<Browser> => {
    const browser = fresh();
    at.subject = subject;
    const back = await comeBack(browser, await browser.post('/v1/login/oidc', { purpose: 'join', token, name: subject }));
    expect([back.status, back.headers.get('location')]).toEqual([303, `${browser.origin}/console`]);
    return browser;
  };
  return { fresh, invite, joinAs };
}
