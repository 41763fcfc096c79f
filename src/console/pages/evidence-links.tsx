// Links that show receipts to whoever has them: which there are, and the button that revokes one. Their addresses are shown when they are made.
import { useState } from 'preact/hooks';
import type { Answers } from '../answers.js';
import { ask } from '../api.js';
import { workspaceClock } from '../clock.js';
import { Dialog } from '../dialog.js';
import { moment } from '../format.js';
import { ListPanel } from '../list.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import { Badge } from '../panel.js';
import { PageLink } from '../route.js';

type Link = Answers['EvidenceLinks']['evidenceLinks']['nodes'][number];

const isEnded = ({ expiresAt }: Link): boolean => Date.parse(expiresAt) <= workspaceClock.now();

function LinkState({ link }: { link: Link }) {
  if (link.revokedAt !== null) return <Badge tone="bad">Revoked</Badge>;
  return isEnded(link) ? <Badge tone="plain">Ended</Badge> : <Badge tone="good">Open</Badge>;
}

const columns = [
  { label: 'Payment', render: ({ transferId }: Link) => <PageLink page={`receipts/${transferId}`}>{transferId}</PageLink> },
  { label: 'State', render: (link: Link) => <LinkState link={link} /> },
  { label: 'Shows', render: ({ parts }: Link) => parts.join(', ') },
  { label: 'Made', render: ({ createdAt }: Link) => moment(createdAt) },
  { label: 'Ends', render: ({ expiresAt }: Link) => moment(expiresAt) },
];

/** The list. */
export function EvidenceLinks() {
  const isAllowed = useMay()('evidence:write');
  const [asked, setAsked] = useState<Link>();
  const action = {
    label: 'Actions',
    isSilent: true,
    render: (link: Link) =>
      link.revokedAt === null &&
      !isEnded(link) && (
        <button type="button" class="danger" onClick={() => setAsked(link)}>
          Revoke<span class="hidden"> the link to {link.transferId}</span>
        </button>
      ),
  };
  return (
    <>
      <ListPanel
        title="Links to receipts"
        what="links"
        query="EvidenceLinks"
        pageOf={({ evidenceLinks }) => evidenceLinks}
        columns={isAllowed ? [...columns, action] : columns}
        empty={{ title: 'There are no links.', children: 'Make one on the receipt of a payment.' }}
      />
      {asked !== undefined && (
        <Dialog
          title="Revoke the link?"
          action="Revoke the link"
          isDangerous
          onConfirm={async ({ idempotencyKey }) => {
            await ask('RevokeEvidenceLink', { id: asked.id }, { idempotencyKey });
            say('The link shows nothing any more.');
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>Whoever opens it sees nothing any more. A file that was kept stays good.</p>
        </Dialog>
      )}
    </>
  );
}
