// Every setting of a process, read once from the environment: typed, frozen, and refused as a whole when anything is wrong.
// The only place that looks at process.env (ARCHITECTURE.md 9).
import path from 'node:path';
import { z } from 'zod';
import {
  apiKey,
  ConfigError,
  cellNames,
  filePath,
  hostPorts,
  hostRate,
  mailAddress,
  oneOf,
  origins,
  perMinute,
  port,
  problemsBetween,
  processes,
  publicUrl,
  samplers,
  secretsKey,
  secretsKeys,
  share,
  type TracingConfig,
  text,
  url,
  wholeNumber,
  yesOrNo,
} from './setting.js';

export { ConfigError };

const roles = ['all', 'api', 'worker'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Config {
  /** Null: an embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly databasePool: number;
  /** The cells that are served; null: all that are listed. */
  readonly cells: readonly string[] | null;
  /** Null: what Redis speeds up runs inside the process. */
  readonly redisUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** The folder of what was told to others: absolute, and outside of the database. */
  readonly memoryDir: string;
  readonly host: string;
  readonly port: number;
  readonly sandboxPort: number;
  /** Null: probes and metrics are read at the other ports alone. */
  readonly metricsPort: number | null;
  readonly metricsPublic: boolean;
  readonly drainSeconds: number;
  readonly retentionEventsDays: number;
  readonly retentionAuditDays: number | null;
  /** Without a trailing slash. Null: the address that is listened on. */
  readonly baseUrl: string | null;
  readonly sandboxUrl: string | null;
  readonly role: (typeof roles)[number];
  /** How many processes serve. Those that only work are one each. */
  readonly processes: number;
  readonly bootstrapLiveKey: string | null;
  readonly bootstrapTestKey: string | null;
  readonly printKeys: boolean;
  /** Requests per minute, for an IP address and for an actor alike. */
  readonly rateLimit: Readonly<Record<'general' | 'sandbox' | 'auth' | 'login' | 'tile', number>>;
  /** Origins of web pages that may call from a browser; `*` is any. */
  readonly corsOrigins: readonly string[];
  /** How many proxies in front of us append to X-Forwarded-For; 0 ignores the header. */
  readonly trustedProxies: number;
  /** 64 lower-case hex characters. Null only beside the embedded database: one is then generated into `dataDir`. */
  readonly secretsKey: string | null;
  readonly secretsKeysOld: readonly string[];
  /** Lower-case host:port pairs that webhooks may reach although their address is private. */
  readonly webhookAllowHosts: readonly string[];
  /** Lower-case host:port pairs of identity providers that are reached although their address is private, over http too. */
  readonly oidcAllowHosts: readonly string[];
  /** Events a second that a workspace sends to one verified host; null: any number. */
  readonly webhookHostRate: { readonly test: number | null; readonly live: number | null };
  /** The file that names the rails of production: absolute. Null: none is connected. */
  readonly railsFile: string | null;
  /** Another variable of the environment, which a file of settings names. */
  readonly variable: (name: string) => string | undefined;
  /** Null: no mail is sent, and links are shown to whoever makes them. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Null: nothing is traced. */
  readonly tracing: TracingConfig | null;
}

// An empty default means "unset", which reads as null. `secret` values are not repeated in messages.
const table = {
  DATABASE_URL: {
    schema: url('postgres', 'postgresql'),
    default: '',
    secret: true,
    meaning: 'PostgreSQL 15 or newer. Unset: an embedded PostgreSQL 18 in `DATA_DIR`',
  },
  DATABASE_POOL: { schema: wholeNumber(1, 1_000), default: '10', meaning: 'Connections that one process opens to PostgreSQL' },
  CELLS: {
    schema: cellNames,
    default: '',
    meaning: 'Cells that this process serves, comma-separated. Unset: all that `cli cell list` lists',
  },
  REDIS_URL: {
    schema: url('redis', 'rediss'),
    default: '',
    secret: true,
    meaning: 'Redis, for rate limits and events across processes. Unset: they live in the process',
  },
  DATA_DIR: { schema: z.string(), default: '.data', meaning: 'Where the embedded database and generated secrets are kept' },
  PLATFORM_MEMORY: {
    schema: z.string(),
    default: '',
    meaning: 'Folder, on another disk than the database, that remembers what was signed. Unset: `memory` in `DATA_DIR`',
  },
  HOST: { schema: text(/^[^\s/]+$/, 'must be a host name or an IP address'), default: '127.0.0.1', meaning: 'Address to listen on' },
  PORT: { schema: port, default: '4000', meaning: 'Port of production (live keys); 0 picks a free one' },
  SANDBOX_PORT: { schema: port, default: '4001', meaning: 'Port of the sandbox (test keys); 0 picks a free one' },
  METRICS_PORT: {
    schema: port,
    default: '',
    meaning: 'Port of `/health`, `/ready` and `/metrics` alone, in every role; a worker has no other. 0 picks a free one',
  },
  DRAIN_SECONDS: { schema: wholeNumber(0, 60), default: '0', meaning: 'Seconds after SIGTERM in which `/ready` is 503 and all is served' },
  RETENTION_EVENTS_DAYS: { schema: wholeNumber(7, 365), default: '30', meaning: 'Days for which events and their deliveries are kept' },
  RETENTION_AUDIT_DAYS: { schema: wholeNumber(400, 36_500), default: '', meaning: 'Age in days at which audit entries may be archived' },
  METRICS_PUBLIC: { schema: yesOrNo, default: 'false', meaning: '`true`: `/metrics` on the other ports answers more than this machine' },
  BASE_URL: { schema: publicUrl, default: '', meaning: 'Public URL of production. Unset: the address that is listened on' },
  SANDBOX_URL: { schema: publicUrl, default: '', meaning: 'Public URL of the sandbox. Unset: the address that is listened on' },
  ROLE: { schema: oneOf(roles), default: 'all', meaning: '`api` serves requests, `worker` does what is due, `all` does both' },
  PROCESSES: { schema: processes, default: '1', meaning: 'Processes that serve on the same ports; `auto`: one for each core but one' },
  BOOTSTRAP_LIVE_KEY: {
    schema: apiKey('pk_live_'),
    default: '',
    secret: true,
    meaning: 'Live key of the tenant made on the first start, 32 characters or more. Unset: generated and printed once',
  },
  BOOTSTRAP_TEST_KEY: { schema: apiKey('pk_test_'), default: '', secret: true, meaning: 'The same for its test key' },
  PRINT_KEYS: { schema: yesOrNo, default: 'true', meaning: '`false`: the first start prints no live key, as in the container image' },
  RATE_LIMIT_GENERAL: { schema: perMinute, default: '100', meaning: 'Requests per minute in production, per IP address and per actor' },
  RATE_LIMIT_SANDBOX: { schema: perMinute, default: '1000', meaning: 'Requests per minute in the sandbox, per IP address and per actor' },
  RATE_LIMIT_AUTH: {
    schema: perMinute,
    default: '5',
    meaning: 'Requests per minute to challenge, authenticate and `/v1/auth/*`, in either environment',
  },
  RATE_LIMIT_LOGIN: {
    schema: perMinute,
    default: '20',
    meaning: 'Requests per minute to `/v1/login/*`, where people sign in, in either environment',
  },
  RATE_LIMIT_TILE: { schema: perMinute, default: '1000', meaning: 'Requests per minute to published logs of evidence' },
  CORS_ORIGINS: {
    schema: origins,
    default: '',
    meaning: 'Origins of web pages that may call from a browser, comma-separated; `*` is any. Unset: none but our own',
  },
  TRUSTED_PROXIES: { schema: wholeNumber(0, 16), default: '0', meaning: 'Number of proxies in front; 0 ignores `X-Forwarded-For`' },
  SECRETS_KEY: {
    schema: secretsKey,
    default: '',
    secret: true,
    meaning: 'Encrypts stored secrets: 64 hex characters. Required with `DATABASE_URL`, else generated into `DATA_DIR`',
  },
  SECRETS_KEYS_OLD: {
    schema: secretsKeys,
    default: '',
    secret: true,
    meaning: 'Master keys of before that may still open stored secrets, comma-separated, at most 4',
  },
  WEBHOOK_ALLOW_HOSTS: { schema: hostPorts, default: '', meaning: 'Private `host:port` pairs that webhooks may reach, comma-separated' },
  WEBHOOK_HOST_RATE: {
    schema: hostRate,
    default: '',
    meaning:
      'Events a second that one workspace sends to one host that has proved itself, or `none`. Unset: 100 in the sandbox, `none` in production',
  },
  OIDC_ALLOW_HOSTS: {
    schema: hostPorts,
    default: '',
    meaning: 'Private `host:port` pairs of identity providers at which people may sign in, comma-separated; over http too',
  },
  RAILS_FILE: { schema: filePath, default: '', meaning: 'File that names the rails of production. Unset: none is connected' },
  SMTP_URL: {
    schema: url('smtp', 'smtps'),
    default: '',
    secret: true,
    meaning: 'SMTP server for mail to people, with its credentials. Unset: links are shown to whoever makes them',
  },
  MAIL_FROM: { schema: mailAddress, default: '', meaning: 'Sender of mail to people; required with `SMTP_URL`' },
  LOG_LEVEL: { schema: oneOf(logLevels), default: 'info', meaning: `One of ${logLevels.join(', ')}` },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: publicUrl,
    default: '',
    secret: true,
    meaning: 'OpenTelemetry collector that spans are sent to, by OTLP over HTTP. Unset: nothing is traced',
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().max(100, 'must have at most 100 characters'),
    default: '',
    meaning: 'Name under which traces show this process. Unset: the `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `agent-payments`',
  },
  OTEL_TRACES_SAMPLER: {
    schema: oneOf(samplers),
    default: '',
    meaning: `Which requests are traced: ${samplers.join(', ')}. Unset: all while there are few, at most 50 a second`,
  },
  OTEL_TRACES_SAMPLER_ARG: { schema: share, default: '1', meaning: 'Share of requests that a `traceidratio` sampler takes, from 0 to 1' },
} as const satisfies Record<string, Row>;

interface Row {
  schema: z.ZodType<unknown, string>;
  default: string;
  meaning: string;
  secret?: true;
}

type SettingName = keyof typeof table;
type Read<R extends Row> = R['default'] extends '' ? z.output<R['schema']> | null : z.output<R['schema']>;

/** Every setting in the order of the README's table; `--help` prints the same. `default` is empty where there is none. */
export const settings: readonly { readonly name: SettingName; readonly default: string; readonly meaning: string }[] = (
  Object.keys(table) as SettingName[]
).map((name) => ({ name, default: table[name].default, meaning: table[name].meaning }));

type ReadSetting = <N extends SettingName>(name: N) => Read<(typeof table)[N]>;

function readTracing(read: ReadSetting): TracingConfig | null {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const [serviceName, sampler, ratio] = [read('OTEL_SERVICE_NAME'), read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')];
  return endpoint === null ? null : Object.freeze({ endpoint, serviceName, sampler, ratio });
}

/**
 * Reads and checks every setting of `env`. An empty value counts as unset.
 * @throws ConfigError naming every problem at once; values of secrets are not repeated in it
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const read: ReadSetting = (name) => {
    const row: Row = table[name];
    const text = env[name]?.trim() || row.default;
    const result = text === '' ? ({ success: true, data: null } as const) : row.schema.safeParse(text);
    if (!result.success) {
      const said = row.secret ? '' : `, not ${JSON.stringify(text)}`;
      for (const issue of result.error.issues) problems.push(`${name} ${issue.message}${said}`);
    }
    // A wrong value never leaves this function: the problems are thrown before the config is returned.
    return (result.success ? result.data : null) as never;
  };
  const config: Config = {
    databaseUrl: read('DATABASE_URL'),
    databasePool: read('DATABASE_POOL'),
    cells: read('CELLS'),
    redisUrl: read('REDIS_URL'),
    dataDir: path.resolve(read('DATA_DIR')),
    memoryDir: path.resolve(read('PLATFORM_MEMORY') ?? path.join(read('DATA_DIR'), 'memory')),
    host: read('HOST'),
    port: read('PORT'),
    sandboxPort: read('SANDBOX_PORT'),
    metricsPort: read('METRICS_PORT'),
    metricsPublic: read('METRICS_PUBLIC'),
    drainSeconds: read('DRAIN_SECONDS'),
    retentionEventsDays: read('RETENTION_EVENTS_DAYS'),
    retentionAuditDays: read('RETENTION_AUDIT_DAYS'),
    baseUrl: read('BASE_URL'),
    sandboxUrl: read('SANDBOX_URL'),
    role: read('ROLE'),
    processes: read('PROCESSES'),
    bootstrapLiveKey: read('BOOTSTRAP_LIVE_KEY'),
    bootstrapTestKey: read('BOOTSTRAP_TEST_KEY'),
    printKeys: read('PRINT_KEYS'),
    rateLimit: Object.freeze({
      general: read('RATE_LIMIT_GENERAL'),
      sandbox: read('RATE_LIMIT_SANDBOX'),
      auth: read('RATE_LIMIT_AUTH'),
      login: read('RATE_LIMIT_LOGIN'),
      tile: read('RATE_LIMIT_TILE'),
    }),
    corsOrigins: Object.freeze(read('CORS_ORIGINS') ?? []),
    trustedProxies: read('TRUSTED_PROXIES'),
    secretsKey: read('SECRETS_KEY'),
    secretsKeysOld: Object.freeze(read('SECRETS_KEYS_OLD') ?? []),
    webhookAllowHosts: Object.freeze(read('WEBHOOK_ALLOW_HOSTS') ?? []),
    oidcAllowHosts: Object.freeze(read('OIDC_ALLOW_HOSTS') ?? []),
    webhookHostRate: read('WEBHOOK_HOST_RATE') ?? Object.freeze({ test: 100, live: null }),
    railsFile: read('RAILS_FILE'),
    variable: (name) => env[name],
    smtpUrl: read('SMTP_URL'),
    mailFrom: read('MAIL_FROM'),
    logLevel: read('LOG_LEVEL'),
    tracing: readTracing(read),
  };
  problems.push(...problemsBetween(config, env));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}
