// The REST face of funding.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('funding', 'Money that comes into wallets from outside.');
