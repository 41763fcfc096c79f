// The people of the tenant, and the invitations by which more of them come.
import { useState } from 'preact/hooks';
import type { Answers, Variables } from '../answers.js';
import { ask } from '../api.js';
import { Dialog } from '../dialog.js';
import { when } from '../fact.js';
import type { FilterSpec } from '../filter.js';
import { moment, words } from '../format.js';
import { ListPanel } from '../list.js';
import { May, useMay } from '../me.js';
import { say } from '../notice.js';
import { OnceDialog, type Shown } from '../once.js';
import { authorityFields, authorityText, chosenAuthority, roleNames } from '../role.js';
import { PageLink } from '../route.js';
import { Status } from '../status.js';

type Member = Answers['Members']['members']['nodes'][number];
type Invitation = Answers['Invitations']['invitations']['nodes'][number];

const filters: readonly FilterSpec[] = [
  { name: 'role', label: 'Role', values: ['owner', 'admin', 'finance', 'developer', 'viewer'] },
  { name: 'status', label: 'State', values: ['active', 'suspended', 'removed'] },
];

const columns = [
  {
    label: 'Member',
    render: ({ id, name, email }: Member) => (
      <>
        <PageLink page={`members/${id}`}>{name}</PageLink>
        <span class="soft block address">{email}</span>
      </>
    ),
  },
  { label: 'State', render: ({ status }: Member) => <Status is={status} /> },
  { label: 'Role', render: ({ role }: Member) => words(role) },
  { label: 'Approves', render: ({ authority }: Member) => authorityText(authority) },
  { label: 'Signs in by', render: ({ methods }: Member) => methods.map(words).join(', ') || '–' },
  { label: 'Last seen', render: ({ lastSeenAt }: Member) => when(lastSeenAt) ?? 'Never' },
];

function Invite({ onInvited, onClose }: { onInvited: (shown: Shown) => void; onClose: () => void }) {
  return (
    <Dialog
      title="Invite somebody"
      action="Invite"
      fields={[
        { name: 'email', label: 'E-mail', maxLength: 320 },
        { name: 'role', label: 'Role', values: roleNames, initial: 'viewer' },
        ...authorityFields('role'),
      ]}
      onConfirm={async ({ values, idempotencyKey }) => {
        const input = { email: values['email'], role: values['role'], ...chosenAuthority(values) };
        const { createInvitation } = await ask('CreateInvitation', { input } as Variables['CreateInvitation'], { idempotencyKey });
        const { email, link } = createInvitation;
        if (link === null) say(`${email} gets a link by mail.`);
        else onInvited({ title: `The link for ${email}`, label: 'Link', value: link });
      }}
      onClose={onClose}
    >
      <p>The person joins by a link that is good once, for a week.</p>
    </Dialog>
  );
}

function Invitations() {
  const may = useMay();
  const [asked, setAsked] = useState<Invitation>();
  const invitationColumns = [
    { label: 'Invited', render: ({ email }: Invitation) => email ?? 'The first owner' },
    { label: 'State', render: ({ status }: Invitation) => <Status is={status} /> },
    { label: 'Role', render: ({ role }: Invitation) => words(role) },
    { label: 'Approves', render: ({ authority }: Invitation) => authorityText(authority) },
    { label: 'Invited at', render: ({ createdAt }: Invitation) => moment(createdAt) },
    { label: 'Ends', render: ({ expiresAt }: Invitation) => moment(expiresAt) },
  ];
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (invitation: Invitation) =>
      invitation.status === 'pending' && (
        <button type="button" class="danger" onClick={() => setAsked(invitation)}>
          Withdraw<span class="hidden"> the invitation of {invitation.email ?? 'the first owner'}</span>
        </button>
      ),
  };
  return (
    <>
      <ListPanel
        title="Invitations"
        what="invitations"
        query="Invitations"
        variables={{}}
        pageOf={({ invitations }) => invitations}
        columns={may('members:write') ? [...invitationColumns, action] : invitationColumns}
        empty={{ title: 'Nobody was invited yet.', children: 'Invitations stand here until somebody joins by them or they end.' }}
      />
      {asked !== undefined && (
        <Dialog
          title={`Withdraw the invitation of ${asked.email ?? 'the first owner'}?`}
          action="Withdraw"
          isDangerous
          onConfirm={async ({ idempotencyKey }) => {
            await ask('RevokeInvitation', { id: asked.id }, { idempotencyKey });
            say('The invitation is withdrawn.');
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>Nobody joins by its link then.</p>
        </Dialog>
      )}
    </>
  );
}

/** The page. */
export function Members() {
  const [isAsked, setAsked] = useState(false);
  const [shown, setShown] = useState<Shown>();
  return (
    <>
      <ListPanel
        title="All members"
        what="members"
        query="Members"
        pageOf={({ members }) => members}
        filters={filters}
        columns={columns}
        tools={
          <May scope="members:write">
            <button type="button" class="primary" onClick={() => setAsked(true)}>
              Invite somebody
            </button>
          </May>
        }
        empty={{
          title: 'There are no members yet.',
          children: (
            <>
              The first owner joins by the link of the first start, or of <code>npm run cli -- member invite</code>.
            </>
          ),
        }}
      />
      <Invitations />
      {isAsked && <Invite onInvited={setShown} onClose={() => setAsked(false)} />}
      {shown !== undefined && (
        <OnceDialog shown={shown} onClose={() => setShown(undefined)}>
          <p>It is shown here once. Send it to the person by a way that nobody else reads.</p>
        </OnceDialog>
      )}
    </>
  );
}
