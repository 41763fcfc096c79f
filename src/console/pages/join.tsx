// /console/join#token: somebody takes up an invitation, becomes the first owner, or comes back with a new password.
import { useEffect, useState } from 'preact/hooks';
import { ask, asRefusal, type Refusal, takeUpSession } from '../api.js';
import { goToCompany } from '../company.js';
import { FormError, FormField, SubmitButton, useSubmission } from '../form.js';
import { emailMissing, hasPasskeys, usePasskey } from '../passkey.js';
import { addressOf, go } from '../route.js';

const usedUp =
  'This link was used, has ended or has expired, or the company lets nobody join in this way. Choose another way, or ask whoever gave it to you for a new one.';

type By = 'password' | 'passkey' | 'company';
const ways: Readonly<Record<By, string>> = {
  password: 'Use a password instead',
  passkey: 'Use a passkey instead of a password',
  company: 'Use the sign-in of your company',
};

function tell(refusal: Refusal): string | undefined {
  const { code, retryAt, details } = refusal;
  if (code === 'sign_in_failed') return usedUp;
  if (code === 'already_exists') return 'Somebody has joined with this e-mail already. Sign in instead.';
  if (details.reason === 'csrf') return 'Open the link at the address that it names.';
  if (refusal.fault('email') === 'is required') return 'Say by which e-mail you will sign in.';
  return retryAt === undefined ? undefined : 'Too many attempts came from this address.';
}

/** Who joins and by what. */
function JoinForm({ token, isRecovery }: { token: string; isRecovery: boolean }) {
  // The link of the first owner names no e-mail; that is known when it is refused without one.
  const [needsEmail, setNeedsEmail] = useState(false);
  const [by, setBy] = useState<By>('password');
  const submission = useSubmission(async (read) => {
    const given: { name?: string; email?: string } = isRecovery
      ? {}
      : { name: read('name').trim(), ...(needsEmail && { email: read('email').trim() }) };
    try {
      if (by === 'company') return await goToCompany({ purpose: 'join', token, ...given }, addressOf(''));
      if (by === 'passkey') await usePasskey('join', { token, ...given });
      else await ask('Join', { input: { token, password: read('password'), ...given } });
    } catch (thrown) {
      const refusal = asRefusal(thrown);
      if (refusal.fault('email') !== undefined || refusal.code === emailMissing) setNeedsEmail(true);
      throw thrown;
    }
    if (by === 'password') await takeUpSession();
    go(addressOf(''), { replace: true });
  }, tell);
  return (
    <form onSubmit={submission.submit}>
      {!isRecovery && <FormField name="name" label="Your name" autocomplete="name" maxLength={200} isFirst />}
      {needsEmail && (
        <FormField
          name="email"
          label="E-mail"
          type="email"
          autocomplete="username"
          hint="By which you will sign in. You are the first here, so nobody has said it for you."
          isFirst
        />
      )}
      {by === 'password' && (
        <FormField
          name="password"
          label={isRecovery ? 'New password' : 'Password'}
          type="password"
          autocomplete="new-password"
          minLength={12}
          maxLength={1_024}
          hint="At least twelve characters: a few words that nobody would guess."
          isFirst={isRecovery}
        />
      )}
      <FormError submission={submission} />
      <SubmitButton submission={submission}>
        {by === 'company' ? 'Go to your company' : by === 'passkey' ? 'Make a passkey' : isRecovery ? 'Set the password' : 'Join'}
      </SubmitButton>
      {(Object.keys(ways) as By[]).map(
        (other) =>
          other !== by &&
          (other !== 'passkey' || hasPasskeys) && (
            <button key={other} type="button" class="link" onClick={() => setBy(other)}>
              {ways[other]}
            </button>
          ),
      )}
    </form>
  );
}

/** The page. The token stays behind `#`, where no server sees it, until it is used. */
export function Join() {
  const [token, setToken] = useState(() => location.hash.slice(1));
  const isRecovery = token.startsWith('recover_');
  const title = isRecovery ? 'Come back' : 'Join';
  useEffect(() => {
    const look = () => setToken(location.hash.slice(1));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  useEffect(() => {
    document.title = `${title} · Agent Payments`;
  }, [title]);
  return (
    <main class="sign-in" id="main">
      <div class="box">
        <h1>{title}</h1>
        {token === '' ? (
          <p class="banner" role="status">
            This link is not whole. Open it again as it was given to you.
          </p>
        ) : (
          <JoinForm key={token} token={token} isRecovery={isRecovery} />
        )}
      </div>
    </main>
  );
}
