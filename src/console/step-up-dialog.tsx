// Signing in once more before what cannot be taken back: the request that was refused is sent again then.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ask, takeUpSession } from './api.js';
import { goToCompany } from './company.js';
import { FormError, FormField, SubmitButton, useSubmission } from './form.js';
import { hasPasskeys, usePasskey } from './passkey.js';
import { stepUpDesk } from './step-up.js';

function Ask() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isDone = useRef(false);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const submission = useSubmission(
    async (read) => {
      await ask('StepUp', { input: { password: read('password') } });
      isDone.current = await takeUpSession();
      dialog.current?.close();
    },
    ({ code, retryAt }) =>
      code === 'sign_in_failed' ? 'This is not your password.' : retryAt === undefined ? undefined : 'Too many attempts failed.',
  );
  const { methods } = stepUpDesk;
  const hasPassword = methods.length === 0 || methods.includes('password');
  const byPasskey = useSubmission(
    async () => {
      isDone.current = await usePasskey('step_up');
      dialog.current?.close();
    },
    ({ code }) => (code === 'sign_in_failed' ? 'This is not a passkey of yours.' : undefined),
  );
  const byCompany = useSubmission(
    () => goToCompany({ purpose: 'step_up' }),
    ({ code }) => (code === 'sign_in_failed' ? 'The sign-in of your company does not answer right now.' : undefined),
  );
  const hasCompany = methods.includes('oidc');
  const isPasskeyFirst = hasPasskeys && methods.includes('passkey');
  const [first, label] = hasPassword
    ? ([submission, 'Confirm'] as const)
    : isPasskeyFirst || !hasCompany
      ? ([byPasskey, 'Use a passkey'] as const)
      : ([byCompany, 'Go to your company'] as const);
  const shown = [submission, byPasskey, byCompany].find(({ error }) => error !== '') ?? first;
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={() => stepUpDesk.answer(isDone.current)}>
      <form onSubmit={first.submit}>
        <h2 id={id}>Confirm that it is you</h2>
        <p>What you are about to do asks for a sign-in within the last five minutes.</p>
        {hasCompany && <p>From the sign-in of your company you come back to this page. Do it again then.</p>}
        {hasPassword && (
          <FormField name="password" label="Your password" type="password" autocomplete="current-password" maxLength={1_024} isFirst />
        )}
        <FormError submission={shown} />
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          {hasPassword && isPasskeyFirst && (
            <button type="submit" form={`${id}-passkey`}>
              Use a passkey
            </button>
          )}
          {hasCompany && first !== byCompany && (
            <button type="submit" form={`${id}-company`}>
              Go to your company
            </button>
          )}
          <SubmitButton submission={first}>{label}</SubmitButton>
        </div>
      </form>
      <form id={`${id}-passkey`} onSubmit={byPasskey.submit} />
      <form id={`${id}-company`} onSubmit={byCompany.submit} />
    </dialog>
  );
}

/** The dialog, while a request waits for it. */
export function StepUpDialog() {
  const [isAsked, setAsked] = useState(stepUpDesk.isAsked);
  useEffect(() => stepUpDesk.listen(() => setAsked(stepUpDesk.isAsked)), []);
  return isAsked ? <Ask /> : null;
}
