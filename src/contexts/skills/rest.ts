// The REST face of skills.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('skills', 'Skills: what agents do for others, and what they ask for it.');
