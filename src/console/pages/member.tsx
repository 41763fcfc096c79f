// One member: what the person may do, and the buttons that change that. The server decides, and its refusal is shown.
import { useState } from 'preact/hooks';
import { Detail } from '../detail.js';
import { Dialog } from '../dialog.js';
import { Facts, Id, when } from '../fact.js';
import { words } from '../format.js';
import { May } from '../me.js';
import { say } from '../notice.js';
import { OnceDialog, type Shown } from '../once.js';
import { Panel } from '../panel.js';
import { authorityText } from '../role.js';
import { Status } from '../status.js';
import { actionsOf, type MemberAction, type MemberData } from './member-action.js';

function Buttons({ member }: { member: MemberData }) {
  const [asked, setAsked] = useState<MemberAction>();
  const [shown, setShown] = useState<Shown>();
  return (
    <div class="buttons">
      {actionsOf(member).map((action) => (
        <button key={action.name} type="button" class={action.isDangerous ? 'danger' : undefined} onClick={() => setAsked(action)}>
          {action.name}
        </button>
      ))}
      {asked !== undefined && (
        <Dialog
          title={asked.title}
          action={asked.name}
          isDangerous={asked.isDangerous === true}
          {...(asked.fields && { fields: asked.fields })}
          onConfirm={async (given) => {
            const done = await asked.carryOut(given);
            if (typeof done === 'string') say(done);
            else setShown(done);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.text}</p>
        </Dialog>
      )}
      {shown !== undefined && (
        <OnceDialog shown={shown} onClose={() => setShown(undefined)}>
          <p>It is shown here once. Give it to the person by a way that nobody else reads.</p>
        </OnceDialog>
      )}
    </div>
  );
}

/** The page. */
export function MemberPage({ id }: { id: string }) {
  return (
    <Detail
      what="the member"
      back={{ page: 'members', title: 'members' }}
      query="Member"
      variables={{ id }}
      nameOf={({ member }) => member.name}
    >
      {({ member }) => (
        <Panel title={member.name} tools={<Status is={member.status} />}>
          <p class="address">{member.email}</p>
          <Facts
            facts={[
              ['Role', words(member.role)],
              ['Approves', authorityText(member.authority)],
              ['Signs in by', member.methods.map(words).join(', ') || 'Nothing'],
              ['Last seen', when(member.lastSeenAt) ?? 'Never'],
              ['Joined', when(member.createdAt)],
              ['Id', <Id key="id" value={member.id} />],
            ]}
          />
          <May scope="members:write">
            <Buttons member={member} />
          </May>
        </Panel>
      )}
    </Detail>
  );
}
