// What analytics give to the process.
import { context } from '../../manifest/context.js';
import { demandListener } from './demand.sql.js';

export const analytics = context({ listeners: [demandListener] });
