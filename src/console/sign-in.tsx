// Signing in: an API key is exchanged for a session of an hour. The key is sent once, and forgotten.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, asRefusal } from './api.js';
import { now } from './clock.js';
import { session } from './session.js';

const faults: Readonly<Record<string, string>> = {
  invalid_api_key: 'This key is not known here. Check that it is whole, and that it was not revoked.',
  environment_mismatch:
    'This key belongs to the other environment: keys that begin with pk_test_ sign in at the sandbox, pk_live_ in production.',
};

/** What else people paste here, by how it begins: it is not sent anywhere (Gap G-378). */
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

/** The form. */
export function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  useEffect(() => {
    document.title = 'Sign in · Agent Payments';
    field.current?.focus();
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    const apiKey = field.current?.value.trim() ?? '';
    if (isBusy) return;
    const fault = faultOf(apiKey);
    setError(fault);
    if (fault !== '') {
      field.current?.focus();
      return;
    }
    setBusy(true);
    try {
      const { createAuthSession } = await ask('SignIn', { input: { apiKey } });
      const { token, expiresIn, environment } = createAuthSession;
      session.begin({ token, environment, expiresAt: now() + expiresIn * 1000 });
    } catch (thrown) {
      const refusal = asRefusal(thrown);
      setError(faults[refusal.code] ?? refusal.message);
      setBusy(false);
      field.current?.focus();
    }
  };

  return (
    <main class="sign-in" id="main">
      <form onSubmit={submit} noValidate>
        <h1>Agent Payments console</h1>
        {session.message !== undefined && (
          <p class="banner" role="status">
            {session.message}
          </p>
        )}
        <label for="api-key">API key</label>
        <input
          id="api-key"
          ref={field}
          class="secret"
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="pk_test_… or pk_live_…"
          aria-describedby="api-key-hint api-key-error"
          aria-invalid={error !== ''}
        />
        <p id="api-key-error" class="dialog-error" role="alert">
          {error}
        </p>
        <p id="api-key-hint" class="hint">
          The key is exchanged for a session of one hour and is not kept. A key is printed at the first start, or made by{' '}
          <code>npm run cli -- key create</code>.
        </p>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
