// What reports, discrepancies and lines of statements are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { discrepancyLifecycle } from './discrepancy.js';
import { stepReport } from './due.js';
import { reportLifecycle } from './report.js';

export const report = defineNoun({
  id: { kind: 'report', prefix: 'rec', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'reconciliation_report',
  lifecycle: reportLifecycle,
  due: { isBookkeeping: true, concurrency: 2, run: stepReport },
  settling: { where: `status = 'running'` },
});

export const discrepancy = defineNoun({
  id: { kind: 'discrepancy', prefix: 'disc', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'discrepancy',
  lifecycle: discrepancyLifecycle,
});

export const railEntry = defineNoun({ id: { kind: 'railEntry', prefix: 'ren', wire: 'prefixed' }, scope: 'settlement:read' });

export const railImport = defineNoun({ id: { kind: 'railImport', prefix: 'imp', wire: 'prefixed' }, scope: 'settlement:read' });
