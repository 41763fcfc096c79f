// The REST face of erasures.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('erasures', 'Erasing people: what says who an account or a member was goes, and ids, amounts and times stay.');
