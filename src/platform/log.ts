// Structured logs. Credentials never reach a log: headers are not logged and known secret members are redacted.
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

const secretMembers = [
  'authorization',
  'token',
  'secret',
  'privateKey',
  'private_key',
  'sessionToken',
  'api_key',
  'apiKey',
  'signature',
  'proof',
];

/** A pino logger that writes JSON lines, by default to standard error, so that standard output stays for people. */
export function createLogger(level: string, to: DestinationStream = pino.destination({ fd: 2, sync: false })): Logger {
  return pino({ level, base: null, redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' } }, to);
}
