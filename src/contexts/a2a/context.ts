// What A2A gives to the process.
import { context } from '../../manifest/context.js';
import { cardDoors } from './card.door.js';
import { rpcDoors } from './json-rpc.door.js';

export const a2a = context({ doors: [...cardDoors, ...rpcDoors] });
