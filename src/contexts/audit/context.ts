// What the audit log gives to the process.
import { context } from '../../manifest/context.js';
import { chainAudit } from './chain.js';
import { auditEntry } from './noun.js';

export const audit = context({ nouns: [auditEntry], afterCommits: [chainAudit] });
