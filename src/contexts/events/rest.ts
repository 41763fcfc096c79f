// The REST face of events.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('events', 'What happened: the catalog of event types, the events of the last 30 days, and sending one again.');
