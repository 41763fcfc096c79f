// Takes spans by OTLP over HTTP and counts them, in a process of its own: what an OpenTelemetry collector would be to the platform.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const program = `
  let bytes = 0, spans = 0;
  require('node:http').createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      if (request.method === 'POST') { bytes += body.length; spans += body.split('"spanId"').length - 1; }
      response.setHeader('Content-Type', 'application/json').end(request.method === 'POST' ? '{}' : JSON.stringify({ bytes, spans }));
    });
  }).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port) + '\\n'); });`;

export class Collector {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(): Promise<Collector> {
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = await once(child.stdout, 'data');
    return new Collector(`http://127.0.0.1:${String(port).trim()}`, child);
  }

  /** What it has taken. */
  async taken(): Promise<{ bytes: number; spans: number }> {
    return (await (await fetch(this.url)).json()) as { bytes: number; spans: number };
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
