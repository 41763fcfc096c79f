// loadConfig: defaults, every setting read, and every problem reported at once (ARCHITECTURE.md 9).
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, settings } from '../src/config.js';

const secretsKey = 'ab'.repeat(32);
/** It reads what it was given, so no two are equal. */
const variable = null;

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the settings were accepted');
}

describe('loadConfig', () => {
  it('needs nothing', () => {
    expect(loadConfig({})).toEqual({
      databaseUrl: null,
      databasePool: 10,
      cells: null,
      redisUrl: null,
      dataDir: path.resolve('.data'),
      memoryDir: path.resolve('.data/memory'),
      host: '127.0.0.1',
      port: 4000,
      sandboxPort: 4001,
      metricsPort: null,
      metricsPublic: false,
      drainSeconds: 0,
      retentionEventsDays: 30,
      retentionAuditDays: null,
      baseUrl: null,
      sandboxUrl: null,
      role: 'all',
      processes: 1,
      bootstrapLiveKey: null,
      bootstrapTestKey: null,
      printKeys: true,
      rateLimit: { general: 100, sandbox: 1000, auth: 5, login: 20, tile: 1000 },
      corsOrigins: [],
      trustedProxies: 0,
      secretsKey: null,
      secretsKeysOld: [],
      webhookAllowHosts: [],
      oidcAllowHosts: [],
      webhookHostRate: { test: 100, live: null },
      railsFile: null,
      variable: expect.any(Function),
      smtpUrl: null,
      mailFrom: null,
      logLevel: 'info',
      tracing: null,
    });
  });

  it('reads every setting', () => {
    expect(
      loadConfig({
        DATABASE_URL: 'postgresql://u:p@db:5432/app',
        DATABASE_POOL: '16',
        CELLS: 'main, eu-2',
        REDIS_URL: 'rediss://cache:6380/1',
        DATA_DIR: '/srv/data',
        PLATFORM_MEMORY: '/srv/memory',
        HOST: '0.0.0.0',
        PORT: '0',
        SANDBOX_PORT: '0',
        BASE_URL: 'https://api.example.com/',
        SANDBOX_URL: 'https://sandbox.example.com',
        ROLE: 'worker',
        PROCESSES: '8',
        BOOTSTRAP_LIVE_KEY: 'pk_live_0123456789abcdef01234567',
        BOOTSTRAP_TEST_KEY: 'pk_test_0123456789abcdef01234567',
        PRINT_KEYS: 'false',
        RATE_LIMIT_GENERAL: '1',
        RATE_LIMIT_SANDBOX: '2',
        RATE_LIMIT_AUTH: '3',
        RATE_LIMIT_LOGIN: '4',
        RATE_LIMIT_TILE: '5',
        SMTP_URL: 'smtps://user:word@mail.example',
        MAIL_FROM: 'Payments <payments@example.com>',
        CORS_ORIGINS: 'https://Pages.example, http://localhost:3000',
        TRUSTED_PROXIES: '2',
        SECRETS_KEY: secretsKey.toUpperCase(),
        SECRETS_KEYS_OLD: `${'cd'.repeat(32)}, ${'EF'.repeat(32)}`,
        WEBHOOK_ALLOW_HOSTS: 'Localhost:9000, [::1]:80,10.0.0.7:65535',
        OIDC_ALLOW_HOSTS: '10.0.0.8:8443',
        WEBHOOK_HOST_RATE: '25',
        RAILS_FILE: '/srv/rails.yaml',
        LOG_LEVEL: 'silent',
        METRICS_PORT: '9464',
        DRAIN_SECONDS: '5',
        RETENTION_EVENTS_DAYS: '90',
        RETENTION_AUDIT_DAYS: '400',
        METRICS_PUBLIC: 'true',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_SERVICE_NAME: 'bank',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      }),
    ).toEqual({
      databaseUrl: 'postgresql://u:p@db:5432/app',
      databasePool: 16,
      cells: ['main', 'eu-2'],
      redisUrl: 'rediss://cache:6380/1',
      dataDir: '/srv/data',
      memoryDir: '/srv/memory',
      host: '0.0.0.0',
      port: 0,
      sandboxPort: 0,
      metricsPort: 9464,
      metricsPublic: true,
      drainSeconds: 5,
      retentionEventsDays: 90,
      retentionAuditDays: 400,
      baseUrl: 'https://api.example.com',
      sandboxUrl: 'https://sandbox.example.com',
      role: 'worker',
      processes: 8,
      bootstrapLiveKey: 'pk_live_0123456789abcdef01234567',
      bootstrapTestKey: 'pk_test_0123456789abcdef01234567',
      printKeys: false,
      rateLimit: { general: 1, sandbox: 2, auth: 3, login: 4, tile: 5 },
      corsOrigins: ['https://pages.example', 'http://localhost:3000'],
      trustedProxies: 2,
      secretsKey,
      secretsKeysOld: ['cd'.repeat(32), 'ef'.repeat(32)],
      webhookAllowHosts: ['localhost:9000', '[::1]:80', '10.0.0.7:65535'],
      oidcAllowHosts: ['10.0.0.8:8443'],
      webhookHostRate: { test: 25, live: 25 },
      railsFile: '/srv/rails.yaml',
      variable: expect.any(Function),
      smtpUrl: 'smtps://user:word@mail.example',
      mailFrom: 'Payments <payments@example.com>',
      logLevel: 'silent',
      tracing: { endpoint: 'http://collector:4318', serviceName: 'bank', sampler: 'parentbased_traceidratio', ratio: 0.25 },
    });
  });

  it('takes an empty value as unset, as compose files and shells write it', () => {
    expect({ ...loadConfig({ DATABASE_URL: '', PORT: ' ', WEBHOOK_ALLOW_HOSTS: '' }), variable }).toEqual({ ...loadConfig({}), variable });
  });

  it('is frozen all through', () => {
    const config = loadConfig({});
    for (const part of [config, config.rateLimit, config.corsOrigins, config.webhookAllowHosts]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('names every problem in one message', () => {
    const problems = problemsOf({ PORT: '70000', ROLE: 'cook', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://db', RATE_LIMIT_AUTH: '0' });
    expect(problems).toHaveLength(6);
    expect(new ConfigError(problems).message).toBe(
      [
        'The settings are not valid:',
        '  - DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
        '  - PORT must be a whole number from 0 to 65535, not "70000"',
        '  - ROLE must be one of all, api, worker, not "cook"',
        '  - RATE_LIMIT_AUTH must be a whole number from 1 to 100000000, not "0"',
        '  - LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
        '  - SECRETS_KEY is required with DATABASE_URL: 32 bytes as 64 hex characters (`openssl rand -hex 32` prints some)',
      ].join('\n'),
    );
  });

  it('looks at the numbers that the SDK of OpenTelemetry reads, where something is traced', () => {
    const wrong = { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0', OTEL_BSP_MAX_QUEUE_SIZE: 'many', OTEL_EXPORTER_OTLP_TIMEOUT: '-1' };
    expect(loadConfig(wrong).tracing).toBeNull();
    expect(problemsOf({ ...wrong, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toEqual([
      'OTEL_BSP_MAX_QUEUE_SIZE must be a whole number from 1 to 999999999, not "many"',
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE must be a whole number from 1 to 999999999, not "0"',
      'OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number from 1 to 999999999, not "-1"',
    ]);
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '4000.5'],
    ['PORT', '1e3'],
    ['DATABASE_POOL', '0'],
    ['CELLS', 'eu 2'],
    ['REDIS_URL', 'localhost:6379'],
    ['PROCESSES', '0'],
    ['PROCESSES', '100'],
    ['PROCESSES', 'all'],
    ['HOST', 'http://x'],
    ['BASE_URL', 'ftp://x'],
    ['BASE_URL', 'https://x/?a=1'],
    ['BOOTSTRAP_LIVE_KEY', 'pk_test_0123456789abcdef01234567'],
    ['BOOTSTRAP_TEST_KEY', 'pk_test_0123456789abcdef0123456'],
    ['PRINT_KEYS', 'yes'],
    ['METRICS_PUBLIC', '1'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '61'],
    ['RETENTION_EVENTS_DAYS', '6'],
    ['RETENTION_EVENTS_DAYS', '366'],
    ['RETENTION_AUDIT_DAYS', '399'],
    ['CORS_ORIGINS', 'pages.example'],
    ['CORS_ORIGINS', 'https://pages.example/path'],
    ['CORS_ORIGINS', 'https://*.example, null'],
    ['TRUSTED_PROXIES', 'yes'],
    ['SECRETS_KEY', 'zz'.repeat(32)],
    ['SECRETS_KEY', 'a'.repeat(63)],
    ['SECRETS_KEYS_OLD', Array.from({ length: 5 }, (_, n) => `0${n}`.repeat(32)).join()],
    ['WEBHOOK_ALLOW_HOSTS', 'localhost'],
    ['WEBHOOK_ALLOW_HOSTS', 'localhost:0'],
    ['WEBHOOK_ALLOW_HOSTS', 'localhost:65536'],
    ['WEBHOOK_HOST_RATE', '0'],
    ['WEBHOOK_HOST_RATE', 'many'],
  ])('refuses %s=%s', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must `));
  });

  it('leaves a core to the database where it counts the processes itself', () => {
    expect(loadConfig({ PROCESSES: 'auto' }).processes).toBe(Math.max(1, availableParallelism() - 1));
  });

  it('never repeats a secret', () => {
    const secrets = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      SECRETS_KEY: 'hunter2',
      BOOTSTRAP_LIVE_KEY: 'hunter2',
      REDIS_URL: 'http://:hunter2@r',
    };
    expect(problemsOf(secrets)).toHaveLength(4);
    expect(problemsOf(secrets).join()).not.toContain('hunter2');
  });

  it('refuses the same key as new and as old, and old ones alone', () => {
    expect(problemsOf({ SECRETS_KEY: secretsKey, SECRETS_KEYS_OLD: secretsKey })).toEqual([expect.stringMatching(/^SECRETS_KEYS_OLD has/)]);
    expect(problemsOf({ SECRETS_KEYS_OLD: secretsKey })).toEqual([expect.stringMatching(/^SECRETS_KEYS_OLD goes/)]);
  });

  it('wants a secrets key with a database of its own, and two ports', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://db/app' })).toEqual([expect.stringMatching(/^SECRETS_KEY is required/)]);
    expect(problemsOf({ PORT: '5000', SANDBOX_PORT: '5000' })).toEqual(['SANDBOX_PORT must differ from PORT, both are 5000']);
  });
});

describe('settings', () => {
  it('lists defaults that load', () => {
    const listed = Object.fromEntries(settings.map((setting) => [setting.name, setting.default]));
    expect({ ...loadConfig(listed), variable }).toEqual({ ...loadConfig({}), variable });
    for (const setting of settings) expect(setting.meaning).not.toBe('');
  });
});
