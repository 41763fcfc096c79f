// The sign-in of a company: the browser goes to its identity provider, and comes back to the page that it left.
import type { Variables } from './answers.js';
import { ask } from './api.js';
import { rememberWay } from './session.js';

/** What the server takes as a page to come back to. */
const plainPath = /^\/console(?:\/[\w-]+)*\/?$/;

/** Leaves for the identity provider. The page is gone then. */
export async function goToCompany(about: Omit<Variables['BeginOidc']['input'], 'returnTo'>, back = location.pathname): Promise<void> {
  const input = { ...about, ...(plainPath.test(back) && { returnTo: back }) };
  const { beginOidc } = await ask('BeginOidc', { input });
  // The session that it comes back with is that of a person.
  rememberWay('person');
  location.assign(beginOidc.redirectTo);
  await new Promise(() => {});
}
