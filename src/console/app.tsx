// What is around every page: who is signed in and where, the pages, the theme, and the end of a session.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Agents } from './agents.js';
import { ask } from './api.js';
import { Approvals } from './approvals.js';
import { Budgets } from './budgets.js';
import { now, workspaceClock } from './clock.js';
import { count, moment } from './format.js';
import { Notices } from './notice.js';
import { Overview } from './overview.js';
import { Empty, Failure, Loading } from './panel.js';
import { useQuery } from './query.js';
import { PageLink, usePage } from './route.js';
import { type Session, session } from './session.js';
import { SignIn } from './sign-in.js';
import { chooseTheme, useTheme } from './theme.js';
import { Wallets } from './wallets.js';
import { Webhooks } from './webhooks.js';

const pages: Readonly<Record<string, { title: string; show: () => ComponentChildren }>> = {
  '': { title: 'Overview', show: () => <Overview /> },
  agents: { title: 'Agents', show: () => <Agents /> },
  wallets: { title: 'Wallets', show: () => <Wallets /> },
  approvals: { title: 'Approvals', show: () => <Approvals /> },
  budgets: { title: 'Budgets', show: () => <Budgets /> },
  webhooks: { title: 'Webhooks', show: () => <Webhooks /> },
};

/** The sign-in, or the console. */
export function App() {
  const [current, setCurrent] = useState(session.current);
  useEffect(() => session.listen(() => setCurrent(session.current)), []);
  return (
    <>
      {current === undefined ? <SignIn /> : <SignedIn key={current.token} current={current} />}
      <Notices />
    </>
  );
}

const warnBeforeMs = 5 * 60_000;

/** True in the last minutes of a session, which ends by itself. */
function useEnding({ token, expiresAt }: Session): boolean {
  const [isEnding, setEnding] = useState(false);
  useEffect(() => {
    const look = () => {
      const left = expiresAt - now();
      setEnding(left < warnBeforeMs);
      if (left <= 0) session.end('Your session has ended after an hour. Sign in again to go on.', token);
    };
    look();
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [token, expiresAt]);
  return isEnding;
}

/** Ends the session here at once, and at the server. A server that is not reached takes it until its hour is over. */
function signOut(): void {
  void ask('SignOut', {}).catch(() => {});
  session.end('You have signed out.');
}

function ThemeButton() {
  const theme = useTheme();
  return (
    <button type="button" aria-pressed={theme === 'dark'} onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}>
      Dark theme
    </button>
  );
}

function Navigation({ page, pending }: { page: string; pending: number | undefined }) {
  return (
    <nav aria-label="Pages">
      <ul>
        {Object.entries(pages).map(([name, { title }]) => (
          <li key={name}>
            <PageLink page={name} isCurrent={name === page}>
              {title}
              {name === 'approvals' && pending !== undefined && pending > 0 && (
                <span class="bubble">
                  {count(pending)}
                  <span class="hidden"> waiting</span>
                </span>
              )}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SignedIn({ current }: { current: Session }) {
  const page = usePage();
  const shell = useQuery('Shell', {}, { every: 20 });
  const isEnding = useEnding(current);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = pages[page];
  const title = shown?.title ?? 'Not found';
  if (shell.data !== undefined) workspaceClock.set(shell.data.insight.asOf);

  // Whoever follows a link hears where it led; the first page is not announced over the document itself.
  const before = useRef(page);
  useEffect(() => {
    document.title = `${title} · Agent Payments`;
    if (before.current !== page) heading.current?.focus();
    before.current = page;
  }, [page, title]);

  const isTest = current.environment === 'test';
  const spending = shell.data?.spending;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <span class="brand">Agent Payments</span>
        <span class={isTest ? 'environment test' : 'environment live'}>{isTest ? 'Test · sandbox' : 'Live · production'}</span>
        <span class="who">{shell.data?.me.actor.name}</span>
        <ThemeButton />
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <Navigation page={page} pending={shell.data?.me.pendingApprovals} />
      <main id="main" tabIndex={-1}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isEnding && (
          <p class="banner" role="status">
            Your session ends at {moment(current.expiresAt)}. Sign out and in again to go on without a break.
          </p>
        )}
        {spending?.frozen === true && (
          <p class="banner bad" role="status">
            All spending of this workspace is frozen{spending.since === null ? '' : ` since ${moment(spending.since)}`}.{' '}
            {spending.reason === null ? '' : `Reason: ${spending.reason}.`}
          </p>
        )}
        {shell.data !== undefined ? (
          (shown?.show() ?? <NoPage />)
        ) : shell.error === undefined ? (
          <Loading what="the console" />
        ) : (
          <Failure asked={shell} />
        )}
      </main>
    </div>
  );
}

function NoPage() {
  return (
    <Empty title="There is no such page.">
      Go to the <PageLink page="">overview</PageLink>.
    </Empty>
  );
}
