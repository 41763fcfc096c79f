// What docker-compose.yml, the Dockerfile and the commands that start them have to hold.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

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
  ports?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test?: string[]; disable?: boolean };
}
const { services, configs } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
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

  it.each(Object.entries(services))('%s: says whether it is well, unless it is to end', (_name, { restart, healthcheck }) => {
    if (restart === 'no') expect(healthcheck).toEqual({ disable: true });
    else expect(healthcheck?.test?.length).toBeGreaterThan(1);
  });

  it('has a Redis that asks for the password that the others show', () => {
    expect(configs['redis']?.content).toMatch(/^requirepass \$\{REDIS_PASSWORD:\?.+\}$/m);
    for (const name of ['migrate', 'api', 'worker']) {
      expect(services[name]?.environment?.['REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:6379$/);
    }
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

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('is built from one exact release of Node, an even one that is maintained, and runs as nobody special', () => {
    const bases = new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base));
    expect(bases.size).toBe(1);
    const [base = ''] = bases;
    expect(base).toMatch(exact);
    expect(Number(/^node:(\d+)\./.exec(base)?.[1])).toBeGreaterThanOrEqual(24);
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});
