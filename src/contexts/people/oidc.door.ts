// Where browsers go to sign in at the identity provider of a company, and where they come back: navigations, which are answered by others.
import type { Ctx } from '../../platform/ctx.js';
import type { DoorAnswer, GuardedDoor, Visit } from '../../platform/door.js';
import { ApiError } from '../../platform/errors.js';
import { requireBrowser } from './login.js';
import { beginOidc, finishOidc } from './oidc.js';

const tag = { name: 'people' };
const anybody = { audience: 'public', scope: 'self' } as const;

const redirect = (place: string): DoorAnswer => ({ status: 303, body: {}, headers: { Location: place } });

// Gap G-513: A browser whose sign-in at its company fails is led to `/console?sign_in=failed`; who asks for no HTML gets the 401.
/** The answer to a browser that shows pages is the console, which says what happened; any other is told the error. */
async function shown(ctx: Ctx, { header }: Visit, work: () => Promise<string>): Promise<DoorAnswer> {
  ctx.effect.isMutation = true;
  const { origin } = requireBrowser(ctx);
  try {
    return redirect(await work());
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || !header('Accept').includes('text/html')) throw error;
    return redirect(`${origin}/console?sign_in=failed`);
  }
}

// Gap G-514: A page of another origin leads to `/console?company={slug}`, where the person goes on: nobody is signed in by a link alone.
/** The console says what comes next, and asks before it goes on: where a page of somebody else has led here. */
const asked = ({ origin }: { origin: string }, slug: string) => `${origin}/console?company=${encodeURIComponent(slug)}`;

const begin: GuardedDoor = {
  ...anybody,
  id: 'signInAtCompany',
  method: 'GET',
  path: '/v1/login/oidc/{slug}',
  rateClass: 'login',
  tag,
  summary: 'Sign in at the identity provider of a company',
  description:
    'Leads a browser to the identity provider of the tenant with this slug. From a page of another origin it leads to the console, which asks first. A tenant without a provider is 401 `sign_in_failed`, a page of the console for browsers.',
  query: [{ name: 'return_to', description: 'The page that the browser comes back to, by its path below `/console`.' }],
  answers: { 303: { description: 'The browser goes to the provider.' } },
  failures: [],
  take: (ctx, visit) =>
    shown(ctx, visit, async () => {
      const { params, query } = visit;
      const browser = requireBrowser(ctx);
      const slug = params['slug'] ?? '';
      const returnTo = query['return_to'] === undefined ? null : String(query['return_to']);
      if (browser.isLed) return asked(browser, slug);
      return (await beginOidc(ctx, { purpose: 'sign_in', slug, returnTo })).redirectTo;
    }),
};

const callback: GuardedDoor = {
  ...anybody,
  id: 'comeBackFromCompany',
  method: 'GET',
  path: '/v1/login/oidc/{slug}/callback',
  rateClass: 'login',
  tag,
  summary: 'Come back from the identity provider of a company',
  description:
    'Where the provider sends browsers back to: the redirect URI to register there, one for each of the two addresses of the platform. Signs the person in whom the ID token names by `iss` and `sub`, and leads to the page that the round was begun from. Whatever is wrong with the answer is 401 `sign_in_failed`, a page of the console for browsers, and ends this round alone.',
  query: [
    { name: 'state', description: 'Names the round.' },
    { name: 'code', description: 'What the provider gives for an ID token.' },
    { name: 'iss', description: 'The provider, where it says who it is.' },
    { name: 'error', description: 'Why the provider signs nobody in.' },
  ],
  answers: { 303: { description: 'The person is signed in, and the browser goes on to a page of the console.' } },
  failures: [409],
  take: (ctx, visit) =>
    shown(ctx, visit, async () => {
      const { params, message } = visit;
      const query = message.url?.split('?').slice(1).join('?') ?? '';
      const { returnTo } = await finishOidc(ctx, params['slug'] ?? '', query);
      return `${requireBrowser(ctx).origin}${returnTo}`;
    }),
};

export const doors = [begin, callback];
