// What ACP gives to the process.
import { context } from '../../manifest/context.js';
import { acpDoors } from './acp.door.js';

export const acp = context({ doors: acpDoors });
