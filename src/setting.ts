// What a setting may be: how its text is read and checked.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

/** What stops the start: one message that names every problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export const text = (form: RegExp, message: string) => z.string().regex(form, message);
export const wholeNumber = (min: number, max: number) => {
  const fits = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z.string().refine(fits, `must be a whole number from ${min} to ${max}`).transform(Number);
};

export const url = (...schemes: string[]) => {
  const fits = (text: string) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
  return z.string().refine(fits, `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
};
export const publicUrl = url('http', 'https')
  .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
  .transform((text) => text.replace(/\/+$/, ''));
/** A file, which becomes absolute. */
export const filePath = z.string().transform((text) => path.resolve(text));
export const oneOf = <T extends string>(names: readonly T[]) => z.enum(names, `must be one of ${names.join(', ')}`);
export const yesOrNo = oneOf(['true', 'false'] as const).transform((text) => text === 'true');

/** At least 32 characters with the prefix: who can guess one is the tenant. */
export const apiKey = (prefix: string) =>
  text(new RegExp(`^${prefix}[A-Za-z0-9_-]{24,200}$`), `must be ${prefix} followed by 24 to 200 letters, digits, "-" or "_"`);

const hostPort = /^([a-z0-9.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/;
/** A comma-separated list, in lower case. */
const list = z
  .string()
  .toLowerCase()
  .transform((text) => text.split(/\s*,\s*/).filter(Boolean));
/** What a cell may be called. */
const cellName = /^[a-z][a-z0-9-]{0,30}$/;
export const cellNames = list.refine(
  (names) => names.length > 0 && names.every((name) => cellName.test(name)),
  'must be a comma-separated list of names of letters, digits and "-"',
);
export const hostPorts = list.refine(
  (entries) => entries.every((entry) => Number(hostPort.exec(entry)?.[2] ?? 0) % 65_536 > 0),
  'must be a comma-separated list of host:port',
);
const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
export const origins = list.refine(
  (entries) => entries.every((entry) => entry === '*' || isOrigin(entry)),
  'must be a comma-separated list of origins, such as https://pages.example, or *',
);
export const secretsKey = text(
  /^[0-9a-fA-F]{64}$/,
  'must be 32 bytes as 64 hex characters (`openssl rand -hex 32` prints some)',
).toLowerCase();
/** Master keys of before, at most four. */
export const secretsKeys = list.refine(
  (keys) => keys.length <= 4 && keys.every((key) => /^[0-9a-f]{64}$/.test(key)),
  'must be at most 4 keys of 64 hex characters, comma-separated',
);
export const share = text(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1').transform(Number);

// Gap G-413: WEBHOOK_HOST_RATE, if set, counts in both environments; unset it is 100 in the sandbox and none in production.
export const hostRate = text(/^(none|[1-9]\d{0,4})$/, 'must be none or a whole number from 1 to 99999')
  .transform((text) => (text === 'none' ? null : Number(text)))
  .transform((rate) => Object.freeze({ test: rate, live: rate }));
export const port = wholeNumber(0, 65_535);
export const processes = text(/^(auto|[1-9]\d?)$/, 'must be auto or a whole number from 1 to 99').transform((text) =>
  text === 'auto' ? Math.max(1, availableParallelism() - 1) : Number(text),
);
export const perMinute = wholeNumber(1, 100_000_000);

/** `payments@example.com`, alone or after a name: `Payments <payments@example.com>`. */
export const mailAddress = text(
  /^(?:[^<>@"\r\n]{1,100} <[^\s<>@,;"]+@[^\s<>@,;"]+>|[^\s<>@,;"]+@[^\s<>@,;"]+)$/,
  'must be an e-mail address, alone or as Name <address>',
);

/** Rules of OpenTelemetry for which requests are traced. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where spans are sent, and of which requests. */
export interface TracingConfig {
  /** Without a trailing slash. */
  readonly endpoint: string;
  /** Null: that of OTEL_RESOURCE_ATTRIBUTES, or ours. */
  readonly serviceName: string | null;
  /** Null: every request while there are few. */
  readonly sampler: (typeof samplers)[number] | null;
  /** The share of requests, for the samplers that take one. */
  readonly ratio: number;
}

/** What the SDK of OpenTelemetry reads itself. Batches of no span are sent without end, and a queue of none takes no span. */
const numbersOfSdk = [
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_EXPORT_TIMEOUT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
];

/** Settings that depend on each other. */
interface Related {
  port: number;
  sandboxPort: number;
  metricsPort: number | null;
  smtpUrl: string | null;
  mailFrom: string | null;
  tracing: object | null;
  secretsKey: string | null;
  secretsKeysOld: readonly string[];
}

/** What is wrong with settings that are right one by one. */
export function problemsBetween(config: Related, env: Readonly<Record<string, string | undefined>>): string[] {
  const { port, sandboxPort, metricsPort, smtpUrl, mailFrom, tracing, secretsKey, secretsKeysOld } = config;
  const problems: string[] = [];
  if (env['DATABASE_URL']?.trim() && !env['SECRETS_KEY']?.trim())
    problems.push('SECRETS_KEY is required with DATABASE_URL: 32 bytes as 64 hex characters (`openssl rand -hex 32` prints some)');
  if (smtpUrl !== null && mailFrom === null) problems.push('MAIL_FROM is required with SMTP_URL: the sender of mail');
  for (const name of tracing === null ? [] : numbersOfSdk) {
    const text = env[name]?.trim();
    if (text && !/^[1-9]\d{0,8}$/.test(text))
      problems.push(`${name} must be a whole number from 1 to 999999999, not ${JSON.stringify(text)}`);
  }
  if (port > 0 && port === sandboxPort) problems.push(`SANDBOX_PORT must differ from PORT, both are ${port}`);
  if (metricsPort !== null && metricsPort > 0 && [port, sandboxPort].includes(metricsPort))
    problems.push(`METRICS_PORT must differ from PORT and SANDBOX_PORT, it is ${metricsPort}`);
  if (secretsKey !== null && secretsKeysOld.includes(secretsKey))
    problems.push('SECRETS_KEYS_OLD has the key of SECRETS_KEY: it names keys of before');
  if (secretsKey === null && secretsKeysOld.length > 0) problems.push('SECRETS_KEYS_OLD goes with SECRETS_KEY');
  return problems;
}
