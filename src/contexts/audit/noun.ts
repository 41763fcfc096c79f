// What entries of the audit log are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { loginTimeline } from './login-timeline.js';

export const auditEntry = defineNoun({
  id: { kind: 'auditEntry', prefix: 'aud', wire: 'prefixed' },
  scope: 'audit:read',
  table: 'audit_entry',
  timeline: loginTimeline,
});
