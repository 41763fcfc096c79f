// `health`: whether the process of these settings, on this machine, can serve. The image asks it every few seconds, so it loads little.
import type { Config } from '../config.js';
import { listeningOrigin } from '../platform/authority.js';
import { sendJson } from '../platform/outbound/client.js';
import { say } from './argument.js';

/** Less than Docker waits, so that the reason is said. */
const timeoutMs = 4_000;

/** The port at which a process with these settings answers probes. */
function probePort({ role, port, metricsPort }: Config): number {
  if (metricsPort === null && role === 'worker') throw new Error('A worker answers probes at METRICS_PORT alone: set it.');
  const found = metricsPort ?? port;
  if (found === 0) throw new Error('Nobody knows which free port the process has picked: set METRICS_PORT to another number than 0.');
  return found;
}

/** Says whether the process is ready, and exits with 1 where it is not. */
export async function askHealth(config: Config): Promise<void> {
  const { status, body } = await sendJson(`${listeningOrigin(config.host, probePort(config))}/ready`, {
    method: 'GET',
    headers: {},
    timeoutMs,
  });
  const { status: state, checks = {} } = body as { status: string; checks?: Record<string, { status: string }> };
  const failed = Object.entries(checks).flatMap(([name, check]) => (check.status === 'ok' ? [] : [name]));
  say(failed.length === 0 ? state : `${state}: ${failed.join(', ')}`);
  if (status !== 200) process.exitCode = 1;
}
