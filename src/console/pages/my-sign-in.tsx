// What a person sees of his own sign-in: the browsers, the password, and the tenants to go on in.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask, takeUpSession } from '../api.js';
import { Dialog } from '../dialog.js';
import { Facts } from '../fact.js';
import { FormError, FormField, SubmitButton, useSubmission } from '../form.js';
import { moment, words } from '../format.js';
import { type Me, useMe } from '../me.js';
import { say } from '../notice.js';
import { Badge, Empty, Panel, States } from '../panel.js';
import { changed, useQuery } from '../query.js';
import { authorityText } from '../role.js';
import { Table } from '../table.js';
import { knownTenants } from '../tenant.js';
import { Company } from './company.js';
import { Passkeys } from './passkeys.js';

type BrowserSession = Answers['MySessions']['browserSessions'][number];

const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const browserNames: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

/** What people call a browser, from what it calls itself: `Firefox on Linux`. */
function browserName(userAgent: string | null): string {
  const known = browsers.find((name) => userAgent?.includes(`${name}/`));
  const system = systems.find((name) => userAgent?.includes(name));
  const name = known === undefined ? 'A browser' : (browserNames[known] ?? known);
  return system === undefined ? name : `${name} on ${system}`;
}

const columns = [
  {
    label: 'Browser',
    render: ({ userAgent, ip, current }: BrowserSession) => (
      <>
        {browserName(userAgent)}
        <span class="soft block">{ip}</span>
        {current && <Badge tone="good">This one</Badge>}
      </>
    ),
  },
  { label: 'Signed in', render: ({ signedInAt }: BrowserSession) => moment(signedInAt) },
  { label: 'By', render: ({ method }: BrowserSession) => words(method) },
  { label: 'Last seen', render: ({ lastSeenAt }: BrowserSession) => moment(lastSeenAt) },
  { label: 'Ends', render: ({ expiresAt }: BrowserSession) => moment(expiresAt) },
];

function Sessions() {
  const asked = useQuery('MySessions', {}, { every: 30 });
  const [ending, setEnding] = useState<BrowserSession>();
  const sessions = asked.data?.browserSessions;
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (row: BrowserSession) =>
      !row.current && (
        <button type="button" class="danger" onClick={() => setEnding(row)}>
          End<span class="hidden"> the session from {row.ip}</span>
        </button>
      ),
  };
  return (
    <Panel title="Browsers in which you are signed in">
      <States asked={asked} what="browsers" isLoaded={sessions !== undefined}>
        <Table caption="Browsers" columns={[...columns, action]} rows={sessions ?? []} keyOf={({ id }) => id} isBusy={asked.isLoading} />
      </States>
      {ending !== undefined && (
        <Dialog
          title="End the session?"
          action="End the session"
          isDangerous
          onConfirm={async ({ idempotencyKey }) => {
            await ask('EndBrowserSession', { id: ending.id }, { idempotencyKey });
            say('The session has ended.');
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>Whoever uses that browser has to sign in again.</p>
        </Dialog>
      )}
    </Panel>
  );
}

function Password() {
  const [times, setTimes] = useState(0);
  const submission = useSubmission(async (read) => {
    await ask('SetPassword', { input: { password: read('password') } });
    setTimes(times + 1);
    changed();
    say('The password is set. Your other browsers are signed out.');
  });
  return (
    <Panel title="Password">
      <form key={times} class="narrow" onSubmit={submission.submit}>
        <FormField
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          minLength={12}
          maxLength={1_024}
          hint="At least twelve characters. Your other browsers are signed out."
        />
        <FormError submission={submission} />
        <div class="buttons">
          <SubmitButton submission={submission}>Set the password</SubmitButton>
        </div>
      </form>
    </Panel>
  );
}

function Tenants({ me }: { me: Me }) {
  const others = knownTenants().filter(({ id }) => id !== me.tenantId);
  const submission = useSubmission(async (read) => {
    await ask('SwitchTenant', { input: { tenantId: read('tenant') } });
    await takeUpSession();
  });
  if (others.length === 0) return null;
  return (
    <Panel title="Your other tenants">
      <form class="narrow" onSubmit={submission.submit}>
        <fieldset class="options">
          <legend class="hidden">Tenant</legend>
          {others.map(({ id, name }, place) => (
            <label key={id}>
              <input type="radio" name="tenant" value={id} defaultChecked={place === 0} /> {name}
            </label>
          ))}
        </fieldset>
        <FormError submission={submission} />
        <div class="buttons">
          <SubmitButton submission={submission}>Go on there</SubmitButton>
        </div>
      </form>
    </Panel>
  );
}

/** The page. */
export function MySignIn() {
  const me = useMe();
  if (me?.member == null)
    return <Empty title="You are signed in with an API key.">People who join the tenant have sessions and a password of their own.</Empty>;
  const { name, role, authority } = me.member;
  return (
    <>
      <Panel title={name}>
        <Facts
          facts={[
            ['Role', words(role)],
            ['Approves', authorityText(authority)],
          ]}
        />
      </Panel>
      <Sessions />
      <Passkeys />
      <Password />
      <Company />
      <Tenants me={me} />
    </>
  );
}
