// The REST face of configurations.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'configuration',
  'What a workspace is set up to do, as one document: policies, budgets, limits, settlement, subscriptions, priced endpoints. No money, people, or secrets.',
);
