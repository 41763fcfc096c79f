// Signing in with an API key: it is exchanged for a session of an hour. The key is sent once, and forgotten.
import { useEffect, useRef } from 'preact/hooks';
import { ask, Refusal } from './api.js';
import { now } from './clock.js';
import { FormError, SubmitButton, useSubmission } from './form.js';
import { rememberWay, session } from './session.js';

const faults: Readonly<Record<string, string>> = {
  invalid_api_key: 'This key is not known here. Check that it is whole, and that it was not revoked.',
  environment_mismatch:
    'This key belongs to the other environment: keys that begin with pk_test_ sign in at the sandbox, pk_live_ in production.',
};

const tooMany = 'The sign-ins that this address has in a minute are used up.';

// Gap G-378: A portal or agent token does not open the console, and is sent nowhere.
/** What else people paste here, by how it begins: it is not sent anywhere. */
const others: readonly (readonly [prefix: string, message: string])[] = [
  [
    'portal_',
    'This is a portal token: it shows the data of one customer to programs, at /v1/usage, /v1/transfers and /v1/agents. The console asks for an API key.',
  ],
  ['agent_', 'This is the token of an agent. The console is for people, and asks for an API key.'],
  ['sess_', 'This is the session of an agent. The console is for people, and asks for an API key.'],
  ['eyJ', 'This is a session, not a key. The console makes its own: enter the API key.'],
];

const faultOf = (apiKey: string) =>
  apiKey === '' ? 'Enter an API key.' : (others.find(([prefix]) => apiKey.startsWith(prefix))?.[1] ?? '');

async function signIn(apiKey: string): Promise<void> {
  const fault = faultOf(apiKey);
  if (fault !== '') throw new Refusal(fault, 'page');
  const { createAuthSession } = await ask('SignIn', { input: { apiKey } });
  const { token, expiresIn, environment } = createAuthSession;
  rememberWay('key');
  session.begin({ token, environment, startedAt: now(), expiresAt: now() + expiresIn * 1000 });
}

/** The form. */
export function KeySignIn() {
  const submission = useSubmission(
    (read) => signIn(read('key').trim()),
    ({ code, retryAt }) => faults[code] ?? (retryAt === undefined ? undefined : tooMany),
  );
  const { error, submit } = submission;
  const field = useRef<HTMLInputElement>(null);
  // at first, and where it was refused
  useEffect(() => field.current?.focus(), [error]);
  return (
    <form onSubmit={submit} noValidate>
      <label for="api-key">API key</label>
      <input
        id="api-key"
        ref={field}
        class="secret"
        name="key"
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="pk_test_… or pk_live_…"
        aria-describedby="api-key-hint api-key-error"
        aria-invalid={error !== ''}
      />
      <FormError id="api-key-error" submission={submission} />
      <p id="api-key-hint" class="hint">
        The key is exchanged for a session and is not kept. The session renews itself for up to twelve hours while this tab is open. A key
        is printed at the first start, or made by <code>npm run cli -- key create</code>.
      </p>
      <SubmitButton submission={submission}>Sign in</SubmitButton>
    </form>
  );
}
