// The states of things as badges: one tone for each word, wherever it is shown.
import { words } from './format.js';
import { Badge } from './panel.js';

const tones: Readonly<Record<string, 'good' | 'warn' | 'bad' | 'plain'>> = {
  active: 'good',
  on: 'good',
  draining: 'warn',
  off: 'bad',
  completed: 'good',
  complete: 'good',
  confirmed: 'good',
  approved: 'good',
  allow: 'good',
  pass: 'good',
  delivered: 'good',
  released: 'good',
  settled: 'good',
  cleared: 'good',
  resolved: 'good',
  pending: 'warn',
  processing: 'warn',
  running: 'warn',
  frozen: 'warn',
  suspended: 'warn',
  open: 'warn',
  chasing: 'warn',
  require_approval: 'warn',
  approve: 'warn',
  under_review: 'warn',
  escalated: 'warn',
  in_progress: 'warn',
  input_required: 'warn',
  awaiting_approval: 'warn',
  reserved: 'warn',
  disputed: 'bad',
  failed: 'bad',
  fail: 'bad',
  deny: 'bad',
  rejected: 'bad',
  declined: 'bad',
  revoked: 'bad',
  returned: 'bad',
  dlq: 'bad',
  disabled: 'bad',
};

const names: Readonly<Record<string, string>> = {
  dlq: 'Dead letter',
  allow: 'Allowed',
  deny: 'Refused',
  require_approval: 'Approval required',
  pass: 'Passed',
  fail: 'Failed',
  approve: 'Asks for approval',
};

/** A state in words. */
export function Status({ is }: { is: string }) {
  return <Badge tone={tones[is] ?? 'plain'}>{names[is] ?? words(is)}</Badge>;
}
