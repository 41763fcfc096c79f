// The GraphQL face of links to packs.
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { CreateEvidenceLinkInput } from './link.input.js';
import { createLink, type IssuedLink, linkById, links, revokeLink } from './link.js';
import { rest } from './rest.js';

const EvidenceLink = builder.prismaObject('EvidenceLink', {
  description: 'A link that shows the pack of a transfer to whoever has it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EvidenceLinkId' }),
    url: t.string({
      wire: { shown: false },
      nullable: true,
      description:
        'Its address, shown only in the response that made it; null afterwards. The page there opens the pack and checks it in the browser; programs send the text behind `#` to `POST /v1/evidence/open`.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedLink>).url ?? null,
    }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer.' }),
    parts: t.exposeStringList('parts', { description: 'The parts that it shows.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself, by real time.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked; null while it was not.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const EvidenceLinkPage = pageOf(EvidenceLink, 'EvidenceLink');

const DeletedEvidenceLink = builder.objectRef<{ id: string }>('DeletedEvidenceLink').implement({
  description: 'A link that was revoked.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EvidenceLinkId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  evidenceLinks: t.field({
    route: rest(
      'GET /v1/evidence/links',
      'List links to packs, newest first. Links that have ended or were revoked are included; their addresses are never shown.',
    ),
    type: EvidenceLinkPage,
    authScopes: { audience: 'operator', scope: 'evidence:read' },
    ...listed(t, links, {}),
  }),
}));

builder.mutationFields((t) => ({
  createEvidenceLink: t.field({
    route: rest(
      'POST /v1/evidence/links',
      'Make a link that shows the pack of a completed transfer to whoever has it. Its address is shown once, in this response, and ends by itself after `expires_in` seconds.',
      { status: 201, also: ['url'] },
    ),
    type: EvidenceLink,
    authScopes: { audience: 'operator', scope: 'evidence:write' },
    args: { input: t.arg({ type: CreateEvidenceLinkInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { input }) => createLink(ctx, input), linkById),
  }),
  revokeEvidenceLink: t.field({
    route: rest('DELETE /v1/evidence/links/{id}', 'Revoke a link at once, in every process. Revoking it again changes nothing.'),
    type: DeletedEvidenceLink,
    authScopes: { audience: 'operator', scope: 'evidence:write' },
    args: { id: t.arg({ type: 'EvidenceLinkId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokeLink(ctx, id), linkById),
  }),
}));
