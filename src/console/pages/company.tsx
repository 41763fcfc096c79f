// The sign-in of the company for the person who is signed in: who has another way so far takes it up here.
import { goToCompany } from '../company.js';
import { FormError, SubmitButton, useSubmission } from '../form.js';
import { Panel } from '../panel.js';
import { useQuery } from '../query.js';

/** The panel, where the company has a sign-in of its own. */
export function Company() {
  const { data } = useQuery('SignInSettings', {});
  const submission = useSubmission(
    () => goToCompany({ purpose: 'add' }),
    ({ code }) => (code === 'sign_in_failed' ? 'The sign-in of your company does not answer right now.' : undefined),
  );
  const { oidc, methods } = data?.signInSettings ?? {};
  if (oidc == null || methods?.includes('oidc') !== true) return null;
  return (
    <Panel title="The sign-in of your company">
      <form class="narrow" onSubmit={submission.submit}>
        <p>
          Sign in at {new URL(oidc.issuer).host} once, and you may sign in there from then on. Who you were there before does not count any
          more.
        </p>
        <FormError submission={submission} />
        <div class="buttons">
          <SubmitButton submission={submission}>Take it up</SubmitButton>
        </div>
      </form>
    </Panel>
  );
}
