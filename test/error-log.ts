// What a platform under test logs of errors, for a test in which it has no reason to log any.
import type { DestinationStream } from 'pino';

export class ErrorLog implements DestinationStream {
  readonly #lines: string[] = [];

  write(line: string): void {
    this.#lines.push(line);
  }

  /** What was logged since the last time. */
  take(): string[] {
    return this.#lines.splice(0);
  }
}
