// An endpoint that fails often, in a process of its own: what it saw and answered is known exactly, however busy the sender is.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One request and how it was answered. */
export interface Send {
  /** `<webhook id> <event id>`, as the headers print them. */
  delivery: string;
  attempt: string;
  answer: string;
}

export class ChaosReceiver {
  readonly #child: ChildProcess;
  /** `127.0.0.1:<port>`, as WEBHOOK_ALLOW_HOSTS names it. */
  readonly host: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.host = `127.0.0.1:${port}`;
  }

  /** @param forbiddenUrl where its redirects lead */
  static async start(forbiddenUrl: string): Promise<ChaosReceiver> {
    const file = fileURLToPath(new URL('./chaos-endpoint.ts', import.meta.url));
    const child = fork(file, [forbiddenUrl], { execArgv: ['--import', 'tsx'] });
    const [port] = await once(child, 'message');
    return new ChaosReceiver(child, port as number);
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** Every request so far, in order. */
  async sends(): Promise<Send[]> {
    const answered = once(this.#child, 'message');
    this.#child.send('sends');
    const [sends] = await answered;
    return sends as Send[];
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
