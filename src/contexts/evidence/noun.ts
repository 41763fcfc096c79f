// What a log of evidence is to everybody else.
import { defineNoun } from '../../manifest/noun.js';

export const evidenceLog = defineNoun({
  id: { kind: 'evidenceLog', prefix: 'log', wire: 'prefixed' },
  scope: 'evidence:read',
  table: 'evidence_log',
});

// Gap G-770: What was delivered for a transfer has ids `edl_...`: `dlv_` is the delivery of a webhook.
export const evidenceDelivery = defineNoun({
  id: { kind: 'evidenceDelivery', prefix: 'edl', wire: 'prefixed' },
  scope: 'transfers:read',
  table: 'evidence_delivery',
});

export const evidenceLink = defineNoun({
  id: { kind: 'evidenceLink', prefix: 'evl', wire: 'prefixed' },
  scope: 'evidence:read',
  table: 'evidence_link',
});
