// How people sign in to the tenant: with what, for how long, and at which identity provider. Owners say it.
import type { Answers, Variables } from '../answers.js';
import { ask } from '../api.js';
import { FormError, FormField, SubmitButton, useSubmission } from '../form.js';
import { useMe } from '../me.js';
import { say } from '../notice.js';
import { Empty, Panel, States } from '../panel.js';
import { changed, useQuery } from '../query.js';

type Settings = Answers['SignInSettings']['signInSettings'];
type Input = Variables['SetSignInSettings']['input'];

const methods: Readonly<Record<Settings['methods'][number], string>> = {
  password: 'A password',
  passkey: 'A passkey',
  oidc: 'The sign-in of your company',
  api_key: 'An API key, for the console',
};

const refused: Readonly<Record<string, string>> = {
  last_owner: 'No owner could sign in any more. Take up another way yourself first, under My sign-in.',
  slug_taken: 'Another company has this short name.',
};

const minutes = (text: string) => Math.round(Number(text) * 60);

function readForm(read: (name: string) => string): Input {
  const [slug, issuer, clientSecret] = [read('slug').trim(), read('issuer').trim(), read('clientSecret')];
  const oidc = { issuer, clientId: read('clientId').trim(), ...(clientSecret !== '' && { clientSecret }) };
  return {
    ...(slug !== '' && { slug }),
    methods: (Object.keys(methods) as (keyof typeof methods)[]).filter((name) => read(name) !== ''),
    idleSeconds: minutes(read('idle')),
    absoluteSeconds: minutes(read('absolute')),
    ...(issuer !== '' && { oidc }),
  };
}

function Form({ settings: { slug, methods: open, idleSeconds, absoluteSeconds, oidc } }: { settings: Settings }) {
  const submission = useSubmission(
    async (read) => {
      await ask('SetSignInSettings', { input: readForm(read) });
      changed();
      say('This is how people sign in from now on.');
    },
    ({ details: { reason } }) => refused[reason ?? ''],
  );
  const back = `${location.origin}/v1/login/oidc/${slug ?? '…'}/callback`;
  return (
    <form class="narrow" onSubmit={submission.submit}>
      <fieldset class="options">
        <legend>People sign in with</legend>
        {(Object.keys(methods) as (keyof typeof methods)[]).map((name) => (
          <label key={name}>
            <input type="checkbox" name={name} value="on" defaultChecked={open.includes(name)} /> {methods[name]}
          </label>
        ))}
      </fieldset>
      <p class="hint">What is taken away ends the sessions that began with it, but for yours.</p>
      <FormField name="idle" label="Minutes that a session lives without use" initial={String(idleSeconds / 60)} maxLength={5} />
      <FormField name="absolute" label="Minutes that a session lives at most" initial={String(absoluteSeconds / 60)} maxLength={5} />
      <h3>The sign-in of your company</h3>
      <FormField
        name="slug"
        label="Short name"
        initial={slug ?? ''}
        maxLength={40}
        isRequired={false}
        hint="By which people find it: lower-case letters, digits and hyphens."
      />
      <FormField
        name="issuer"
        label="Issuer"
        initial={oidc?.issuer ?? ''}
        maxLength={500}
        isRequired={false}
        hint="The address of an identity provider that speaks OpenID Connect. Empty: none."
      />
      <FormField name="clientId" label="Client id" initial={oidc?.clientId ?? ''} maxLength={500} isRequired={false} />
      <FormField
        name="clientSecret"
        label="Client secret"
        type="password"
        maxLength={1_000}
        isRequired={false}
        hint={oidc === null ? 'It is kept sealed, and never shown again.' : 'Empty: the one that is there stays.'}
      />
      <p class="hint">
        Register this redirect URI at the provider, and the same of the other environment: <code class="address">{back}</code>
      </p>
      <FormError submission={submission} />
      <div class="buttons">
        <SubmitButton submission={submission}>Save</SubmitButton>
      </div>
    </form>
  );
}

/** The page. */
export function SignInSettings() {
  const me = useMe();
  const asked = useQuery('SignInSettings', {});
  const settings = asked.data?.signInSettings;
  if (me !== undefined && me.member === null)
    return <Empty title="You are signed in with an API key.">An owner who signed in says how people sign in.</Empty>;
  return (
    <Panel title="How people sign in">
      <States asked={asked} what="the settings" isLoaded={settings !== undefined}>
        {settings !== undefined && <Form key={JSON.stringify(settings)} settings={settings} />}
      </States>
    </Panel>
  );
}
