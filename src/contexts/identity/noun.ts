// What keys and portal tokens are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { revokePortalToken } from './portal-token.js';

export const apiKey = defineNoun({ id: { kind: 'apiKey', prefix: 'key', wire: 'prefixed' }, scope: 'keys:read', table: 'api_key' });

export const portalToken = defineNoun({
  id: { kind: 'portalToken', prefix: 'ptk', wire: 'prefixed' },
  scope: 'keys:read',
  table: 'portal_token',
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db, platform }, most) =>
        db.portalToken.findMany({ where: { revokedAt: null, expiresAt: { gt: platform.clock.now() } }, ...newestRows(most) }),
      end: (ctx, { id }) => revokePortalToken(ctx, id),
    }),
  ],
});
