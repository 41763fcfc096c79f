// What docker-compose.yml and the commands that start it have to hold.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../src/config.js';
import { stages } from './dockerfile.js';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const text = read('docker-compose.yml');

interface Service {
  image: string;
  build?: string;
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  user?: string;
  command?: string[];
  ports?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test?: string[]; disable?: boolean };
}
const { services, configs } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { file?: string; content?: string }>;
};
const exact = /^[a-z-]+:\d+\.\d+(\.\d+)?(-[a-z]+)*$/;

describe('docker-compose.yml', () => {
  it.each(Object.entries(services))('%s: an exact image, no writing, no capabilities', (_name, service) => {
    expect(service.image).toMatch(exact);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect([service.cap_add, service.privileged]).toEqual([undefined, undefined]);
    // Ours says it in its Dockerfile.
    if (service.build === undefined) expect(service.user).toMatch(/^(?!root$|0$)/);
  });

  it.each(Object.entries(services))('%s: says whether it is well, unless it is to end', (_name, { build, restart, healthcheck }) => {
    if (restart === 'no') return expect(healthcheck).toEqual({ disable: true });
    // Ours says it in its Dockerfile.
    if (build === undefined) expect(healthcheck?.test?.length).toBeGreaterThan(1);
    else expect(healthcheck).toBeUndefined();
  });

  it('calls our image by the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const ours = Object.values(services).filter(({ build }) => build !== undefined);
    expect(new Set(ours.map(({ image }) => image))).toEqual(new Set([`agent-payments:${version}`]));
  });

  it('gives our processes settings that there are, and none that the image has', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      const given = Object.entries(services[name]?.environment ?? {});
      expect(given.length).toBeGreaterThan(5);
      expect(given.filter(([setting]) => !settings.some((known) => known.name === setting))).toEqual([]);
      expect(given.filter(([setting, value]) => stages.at(-1)?.env[setting] === value)).toEqual([]);
    }
  });

  it('has a Redis that asks for the password that the others show', () => {
    expect(services['redis']?.environment?.['REDISCLI_AUTH']).toMatch(/^\$\{REDIS_PASSWORD:\?.+\}$/);
    expect(services['redis']?.command?.at(-1)).toMatch(
      /requirepass %s.* "\$\$REDISCLI_AUTH" > \/data\/redis\.conf; exec redis-server \/data\/redis\.conf$/,
    );
    for (const name of ['migrate', 'api', 'worker']) {
      expect(services[name]?.environment?.['REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:6379$/);
    }
  });

  // Compose copies what stands inline into the container, and a read-only one takes nothing: only files are mounted.
  it('has settings in files', () => {
    for (const { file, content } of Object.values(configs)) {
      expect(content).toBeUndefined();
      expect(read(file ?? '').length).toBeGreaterThan(100);
    }
  });

  it('writes settings that Redis reads, with the password', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'redis-settings-'));
    const command = (services['redis']?.command?.at(-1) ?? '')
      .replaceAll('$$', '$')
      .replaceAll('/data', folder)
      .replace(/exec .*/, '');
    execFileSync('sh', ['-c', command], { env: { REDISCLI_AUTH: 'pass-word' } });
    expect(readFileSync(path.join(folder, 'redis.conf'), 'utf8')).toBe('requirepass pass-word\nsave ""\nappendonly no\n');
    rmSync(folder, { recursive: true });
  });

  it('shows nobody outside anything but the gateway', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['gateway']);
  });

  it.each(['README.md', 'docker-compose.yml'])('is started in %s with every variable that it needs', (file) => {
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    expect(needed.size).toBe(3);
    const [, exported = ''] = /export (SECRETS_KEY.*)\n(?:#\s+)?docker compose up/.exec(read(file)) ?? [];
    for (const name of needed) expect(exported).toContain(`${name}=$(`);
  });
});
