// What people give to the process.

import { context } from '../../manifest/context.js';
import { browserSessions } from '../../platform/browser-session.js';
import { rowStep } from '../../platform/due/step.js';
import { keySignIn } from '../../platform/key-sign-in.js';
import { scopeSources } from '../../platform/scopes-now.js';
import { sealedById, sealedColumns } from '../../platform/secrets/sealed-column.js';
import { keyEndings } from '../identity/api-key.js';
import { events } from './events.js';
import { scopesOfMember } from './grant.js';
import { endInvitationsOfKey } from './invitation.js';
import { isCsrfToken } from './login.js';
import { identityOfLogin, traceOfLogin } from './login-lookup.js';
import { sweepPeople } from './lookup.js';
import { stepMail } from './mail.js';
import { sweepMemberPlaces } from './member-place.js';
import { invitation, login, member, passkey } from './noun.js';
import { doors } from './oidc.door.js';
import { withMethod } from './sign-in-setting.js';
import { sweepSlugs } from './slug-place.js';

export const people = context({
  nouns: [member, invitation, login, passkey],
  events: [events],
  extensions: [
    sealedColumns.with(sealedById('mail', 'sealed')),
    sealedColumns.with({ table: 'sign_in_setting', column: 'client_secret', rowId: 'tenant_id::text' }),
    sealedColumns.with({ table: 'oidc_attempt', column: 'sealed', rowId: "encode(hash, 'base64')" }),
    scopeSources.with({ member: scopesOfMember }),
    browserSessions.with({ trace: traceOfLogin, resolve: identityOfLogin, isCsrfToken }),
    keySignIn.with({ isOpen: async (platform, tenantId) => (await withMethod(platform, [{ tenantId }], 'api_key')).length > 0 }),
    keyEndings.with(endInvitationsOfKey),
  ],
  doors,
  due: [rowStep({ table: 'mail', concurrency: 4, isBookkeeping: true, run: stepMail })],
  sweeps: [sweepPeople, sweepMemberPlaces, sweepSlugs],
});
