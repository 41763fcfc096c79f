// Signing in: people with e-mail and password, programs' owners with an API key. Whoever came for a page sees that page then.
import { useEffect, useState } from 'preact/hooks';
import type { Answers } from './answers.js';
import { ask, takeUpSession } from './api.js';
import { goToCompany } from './company.js';
import { FormError, FormField, SubmitButton, useSubmission } from './form.js';
import { KeySignIn } from './key-sign-in.js';
import { hasPasskeys, usePasskey } from './passkey.js';
import { usePlace } from './route.js';
import { lastWay, session, type Way } from './session.js';
import { rememberTenants } from './tenant.js';

type Tenants = Answers['SignInPerson']['signIn']['tenants'];

/** What was right, until a tenant is chosen. */
interface Proven {
  email: string;
  password: string;
  tenantId: string;
  tenants: Tenants;
}

const failed = 'E-mail and password do not fit, or this person may not sign in here.';
const tooMany = 'Too many sign-ins failed for this e-mail, or came from this address.';

function ChooseTenant({ proven: { email, password, tenantId, tenants } }: { proven: Proven }) {
  const submission = useSubmission(async (read) => {
    const tenant = read('tenant');
    if (tenant !== tenantId) await ask('SignInPerson', { input: { email, password, tenant } });
    await takeUpSession();
  });
  return (
    <form onSubmit={submission.submit}>
      <fieldset class="options">
        <legend>Where do you want to go on?</legend>
        {tenants.map(({ id, name }) => (
          <label key={id}>
            <input type="radio" name="tenant" value={id} defaultChecked={id === tenantId} /> {name}
          </label>
        ))}
      </fieldset>
      <FormError submission={submission} />
      <SubmitButton submission={submission}>Go on</SubmitButton>
    </form>
  );
}

/** Signs in without an e-mail: the passkey knows whose it is. */
function PasskeySignIn() {
  const submission = useSubmission(
    async () => void (await usePasskey('sign_in')),
    ({ code, retryAt }) => (code === 'sign_in_failed' ? 'This passkey is not known here.' : retryAt === undefined ? undefined : tooMany),
  );
  return (
    <form onSubmit={submission.submit}>
      <SubmitButton submission={submission} isPlain>
        Sign in with a passkey
      </SubmitButton>
      {submission.error !== '' && <FormError submission={submission} />}
    </form>
  );
}

function PersonSignIn() {
  const [proven, setProven] = useState<Proven>();
  const submission = useSubmission(
    async (read) => {
      const given = { email: read('email').trim(), password: read('password') };
      const { signIn } = await ask('SignInPerson', { input: given });
      rememberTenants(signIn.tenants);
      if (signIn.tenants.length > 1) setProven({ ...given, ...signIn });
      else await takeUpSession();
    },
    ({ code, retryAt }) => (code === 'sign_in_failed' ? failed : retryAt === undefined ? undefined : tooMany),
  );
  if (proven !== undefined) return <ChooseTenant proven={proven} />;
  return (
    <form onSubmit={submission.submit}>
      <FormField name="email" label="E-mail" type="email" autocomplete="username" isFirst />
      <FormField name="password" label="Password" type="password" autocomplete="current-password" maxLength={1_024} />
      <FormError submission={submission} />
      <SubmitButton submission={submission}>Sign in</SubmitButton>
    </form>
  );
}

function Recover() {
  const [isSent, setSent] = useState(false);
  const submission = useSubmission(async (read) => {
    await ask('RequestRecovery', { input: { email: read('email').trim() } });
    setSent(true);
  });
  if (isSent)
    return (
      <p role="status">
        If there is such a person and this server sends mail, a link is on its way. Else ask an owner of your tenant for one.
      </p>
    );
  return (
    <form onSubmit={submission.submit}>
      <FormField name="email" label="E-mail" type="email" autocomplete="username" isFirst />
      <FormError submission={submission} />
      <SubmitButton submission={submission}>Send a recovery link</SubmitButton>
    </form>
  );
}

const noCompany = 'No company is called so here, or its sign-in does not answer right now.';

/** Signs in at the identity provider of a company. */
function CompanySignIn({ slug }: { slug: string | undefined }) {
  const submission = useSubmission(
    (read) => goToCompany({ purpose: 'sign_in', slug: read('company').trim().toLowerCase() }),
    ({ code, retryAt }) => (code === 'sign_in_failed' ? noCompany : retryAt === undefined ? undefined : tooMany),
  );
  return (
    <form onSubmit={submission.submit}>
      <FormField
        name="company"
        label="Your company"
        autocomplete="organization"
        maxLength={40}
        {...(slug !== undefined && { initial: slug })}
        hint="The short name that your company has here. An owner knows it."
        isFirst
      />
      <FormError submission={submission} />
      <SubmitButton submission={submission}>Go to your company</SubmitButton>
    </form>
  );
}

/** Why the page is shown. */
const companyFailed = 'The sign-in of your company did not let you in here. Whoever is new joins by an invitation first.';

type Form = Way | 'company' | 'recover';
const links: Readonly<Record<Form, string>> = {
  person: 'Use e-mail and password',
  company: 'Sign in with your company',
  recover: 'I lost my password',
  key: 'Use an API key',
};

/** The page. */
export function SignIn() {
  const { query } = usePlace();
  const [form, setForm] = useState<Form>(query['company'] === undefined ? (lastWay() ?? 'person') : 'company');
  const message = query['sign_in'] === 'failed' ? companyFailed : session.message;
  useEffect(() => {
    document.title = 'Sign in · Agent Payments';
  }, []);
  return (
    <main class="sign-in" id="main">
      <div class="box">
        <h1>Agent Payments console</h1>
        {message !== undefined && (
          <p class="banner" role="status">
            {message}
          </p>
        )}
        {form === 'person' && hasPasskeys && <PasskeySignIn />}
        {form === 'person' && <PersonSignIn />}
        {form === 'company' && <CompanySignIn slug={query['company']} />}
        {form === 'key' && <KeySignIn />}
        {form === 'recover' && <Recover />}
        <div class="buttons">
          {(Object.keys(links) as Form[]).map(
            (other) =>
              other !== form && (
                <button key={other} type="button" class="link" onClick={() => setForm(other)}>
                  {links[other]}
                </button>
              ),
          )}
        </div>
      </div>
    </main>
  );
}
