// The catalog of event types, as every platform has it.
import { manifest } from '../src/contexts.js';
import { eventCatalog } from '../src/events/catalog.js';

export const catalog = manifest.extensions().of(eventCatalog);
