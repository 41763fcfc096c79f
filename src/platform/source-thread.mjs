// Begins a thread with a module of the sources, which are TypeScript: what was built begins it without this.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData);
