// The passkeys of the person who is signed in: each signs in alone.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import { when } from '../fact.js';
import { FormError, FormField, SubmitButton, useSubmission } from '../form.js';
import { moment } from '../format.js';
import { say } from '../notice.js';
import { Empty, Panel, States } from '../panel.js';
import { hasPasskeys, usePasskey } from '../passkey.js';
import { changed, useQuery } from '../query.js';
import { Table } from '../table.js';

type Passkey = Answers['MyPasskeys']['passkeys'][number];

const columns = [
  { label: 'Passkey', render: ({ name }: Passkey) => name },
  { label: 'Made', render: ({ createdAt }: Passkey) => moment(createdAt) },
  { label: 'Last used', render: ({ lastUsedAt }: Passkey) => when(lastUsedAt) ?? 'Never' },
];

function AddPasskey() {
  const [times, setTimes] = useState(0);
  const submission = useSubmission(async (read) => {
    await usePasskey('add', { name: read('passkey').trim() });
    setTimes(times + 1);
    changed();
    say('The passkey is added. It signs you in without a password.');
  });
  return (
    <form key={times} class="narrow" onSubmit={submission.submit}>
      <FormField name="passkey" label="Name of a new passkey" maxLength={200} hint="Such as the device that keeps it." />
      <FormError submission={submission} />
      <div class="buttons">
        <SubmitButton submission={submission}>Add a passkey</SubmitButton>
      </div>
    </form>
  );
}

/** The panel. */
export function Passkeys() {
  const asked = useQuery('MyPasskeys', {}, { every: 60 });
  const [forgotten, setForgotten] = useState<Passkey>();
  const passkeys = asked.data?.passkeys;
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (passkey: Passkey) => (
      <button type="button" class="danger" onClick={() => setForgotten(passkey)}>
        Forget<span class="hidden"> {passkey.name}</span>
      </button>
    ),
  };
  return (
    <Panel title="Passkeys">
      <States asked={asked} what="passkeys" isLoaded={passkeys !== undefined}>
        {passkeys?.length === 0 ? (
          <Empty title="You have no passkey yet.">A passkey signs in alone, and no other page can ask for it.</Empty>
        ) : (
          <Table caption="Passkeys" columns={[...columns, action]} rows={passkeys ?? []} keyOf={({ id }) => id} isBusy={asked.isLoading} />
        )}
      </States>
      {hasPasskeys && <AddPasskey />}
      {forgotten !== undefined && (
        <Dialog
          title={`Forget ${forgotten.name}?`}
          action="Forget the passkey"
          isDangerous
          onConfirm={async ({ idempotencyKey }) => {
            await ask('DeletePasskey', { id: forgotten.id }, { idempotencyKey });
            say('The passkey signs in no more.');
          }}
          onClose={() => setForgotten(undefined)}
        >
          <p>It signs in no more. Your device may still offer it.</p>
        </Dialog>
      )}
    </Panel>
  );
}
