// What the audit log gives to the process.
import { context } from '../../manifest/context.js';
import { sweepArchived } from './archive.sql.js';
import { auditExport } from './export.door.js';
import { auditEntry } from './noun.js';
import { takeUpLines } from './take-up.js';

export const audit = context({ nouns: [auditEntry], doors: [auditExport], listeners: [takeUpLines], sweeps: [sweepArchived] });
