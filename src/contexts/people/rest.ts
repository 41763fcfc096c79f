// The REST face of people.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('people', 'Members of the tenant: who they are, what they may do, and how they sign in in a browser.');
