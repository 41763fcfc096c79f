// What UCP gives to the process.
import { context } from '../../manifest/context.js';
import { ucpDoors } from './ucp.door.js';

export const ucp = context({ doors: ucpDoors });
