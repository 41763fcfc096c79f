// The REST face of accounts.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('accounts', 'Who owns money and where it is kept: accounts, wallets with their statements, and merchants.');
