// What connections of programs are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { connectionLifecycle, revokeConnection } from './connection.js';

export const connection = defineNoun({
  id: { kind: 'connection', prefix: 'cnx', wire: 'prefixed' },
  scope: 'connections:read',
  table: 'connection',
  lifecycle: connectionLifecycle,
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db }, most) => db.connection.findMany({ where: { status: 'active' }, ...newestRows(most) }),
      end: (ctx, { id }) => revokeConnection(ctx, id),
    }),
  ],
});
