// What is around every page: who is signed in and where, the search, the pages, the theme, and the end of a session.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, follow, takeUpSession } from './api.js';
import { now, workspaceClock } from './clock.js';
import { count, moment } from './format.js';
import { type Me, MeContext, opens } from './me.js';
import { Notices } from './notice.js';
import { pages } from './page-list.js';
import { Connect } from './pages/connect.js';
import { Join } from './pages/join.js';
import { SearchField } from './pages/search.js';
import { Empty, Failure, Loading } from './panel.js';
import { useQuery } from './query.js';
import { PageLink, usePlace } from './route.js';
import { lastWay, type Session, session } from './session.js';
import { SignIn } from './sign-in.js';
import { StepUpDialog } from './step-up-dialog.js';
import { chooseTheme, useTheme } from './theme.js';

/** The session of a person outlives the page: true while it is looked for, when the page is loaded. */
function useLooking(): boolean {
  const [isLooking, setLooking] = useState(session.current === undefined && lastWay() === 'person');
  useEffect(() => {
    if (isLooking)
      void takeUpSession()
        .catch(() => {})
        .then(() => setLooking(false));
  }, [isLooking]);
  return isLooking;
}

/** The sign-in, or the console. */
export function App() {
  const { page, id } = usePlace();
  const [current, setCurrent] = useState(session.current);
  useEffect(() => session.listen(() => setCurrent(session.current)), []);
  const isLooking = useLooking();
  return (
    <>
      {page === 'join' ? (
        <Join />
      ) : current !== undefined && page === 'connect' && id !== undefined ? (
        <Connect key={current.startedAt} uid={id} />
      ) : current !== undefined ? (
        <SignedIn key={current.startedAt} current={current} />
      ) : isLooking ? (
        <Loading what="the console" />
      ) : (
        <SignIn />
      )}
      <StepUpDialog />
      <Notices />
    </>
  );
}

const renewBeforeMs = 5 * 60_000;
const retryMs = 30_000;

/** Another hour of the session of an API key. */
async function renew(of: Session): Promise<void> {
  const { renewAuthSession } = await ask('RenewSession', {});
  session.renew(of, { token: renewAuthSession.token, expiresAt: now() + renewAuthSession.expiresIn * 1000 });
}

/** Renews the session of a key in its last minutes. True while that has failed, and in the last minutes of a person's: it ends by itself then. */
function useEnding(current: Session): boolean {
  const [isEnding, setEnding] = useState(false);
  useEffect(() => {
    let askAgainAt = 0;
    setEnding(false);
    const look = () => {
      const left = current.expiresAt - now();
      if (left <= 0) session.end('Your session has ended. Sign in again to go on.', current);
      else if (left < renewBeforeMs && now() >= askAgainAt) {
        askAgainAt = now() + retryMs;
        if (current.token === undefined) setEnding(true);
        else renew(current).catch(() => setEnding(true));
      }
    };
    look();
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [current]);
  return isEnding;
}

/** Ends the session here at once, and at the server. A server that is not reached takes it until its time is over. */
function signOut({ token }: Session): void {
  void (token === undefined ? ask('EndBrowserSession', { id: 'current' }) : ask('SignOut', {})).catch(() => {});
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

function Navigation({ page, me }: { page: string; me: Me | undefined }) {
  const pending = me?.pendingApprovals;
  const nav = useRef<HTMLElement>(null);
  // Where the pages stand in one row, the current one is in sight.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), [page]);
  return (
    <nav ref={nav} aria-label="Pages">
      <ul>
        {Object.entries(pages).map(
          ([name, { title, isUnlisted, scope }]) =>
            isUnlisted !== true &&
            (me === undefined || scope === undefined || opens(me.scopes, scope)) && (
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
            ),
        )}
      </ul>
    </nav>
  );
}

/** What the head shows, read again at once when an approval is asked for or decided. */
function useShell() {
  const shell = useQuery('Shell', {}, { every: 20 });
  const { refresh } = shell;
  useEffect(() => follow('ApprovalChanges', {}, { next: refresh, connection: () => {} }), [refresh]);
  return shell;
}

function usePageTitle(title: string, place: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Whoever follows a link hears where it led; the first page is not announced over the document itself.
  const before = useRef(place);
  useEffect(() => {
    document.title = `${title} · Agent Payments`;
    if (before.current !== place) heading.current?.focus();
    before.current = place;
  }, [place, title]);
  return heading;
}

function SignedIn({ current }: { current: Session }) {
  const { page, id } = usePlace();
  const shell = useShell();
  const isEnding = useEnding(current);
  const spec = pages[page];
  const one = id === undefined ? undefined : spec?.one;
  const shown = id === undefined ? spec?.show : one && (() => one.show(id));
  const title = (shown && (one ?? spec)?.title) ?? 'Not found';
  const heading = usePageTitle(title, `${page}/${id ?? ''}`);
  if (shell.data !== undefined) workspaceClock.set(shell.data.insight.asOf);

  const isTest = current.environment === 'test';
  const spending = shell.data?.spending;
  const me = shell.data?.me;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <span class="brand">Agent Payments</span>
        <span class={isTest ? 'environment test' : 'environment live'}>{isTest ? 'Test · sandbox' : 'Live · production'}</span>
        <SearchField />
        <span class={me?.member == null ? 'who' : undefined}>
          {me?.member == null ? me?.actor.name : <PageLink page="my-sign-in">{me.member.name}</PageLink>}
        </span>
        <ThemeButton />
        <button type="button" onClick={() => signOut(current)}>
          Sign out
        </button>
      </header>
      <Navigation page={page} me={me} />
      <main id="main" tabIndex={-1}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isEnding && (
          <p class="banner" role="status">
            Your session ends at {moment(current.expiresAt)}. Sign out and in again to go on.
          </p>
        )}
        {spending?.frozen === true && (
          <p class="banner bad" role="status">
            All spending of this workspace is frozen{spending.since === null ? '' : ` since ${moment(spending.since)}`}.{' '}
            {spending.reason === null ? '' : `Reason: ${spending.reason}.`}
          </p>
        )}
        {shell.data !== undefined ? (
          <MeContext.Provider value={me}>{shown?.() ?? <NoPage />}</MeContext.Provider>
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
