// What the streams and lists of events give to the process.
import { context } from '../../manifest/context.js';
import { event } from './noun.js';
import { endWorkspaceStreams } from './workspace-stream.js';

export const events = context({ nouns: [event], streamEnds: [endWorkspaceStreams] });
