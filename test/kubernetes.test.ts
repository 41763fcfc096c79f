// The manifests of deploy/kubernetes: valid by the models of Kubernetes, of one piece, and in step with the settings and the image of the platform.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IPodTemplateSpec } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ConfigError, loadConfig, settings } from '../src/config.js';
import { type Stage, stages } from './dockerfile.js';
import type { Json } from './harness.js';
import { documents, faultsOf, files, folder, named, ofKind, read } from './kubernetes.js';

const workloads = ofKind('Deployment', 'StatefulSet', 'Job');
const { version, name: packageName } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const image = stages.at(-1) as Stage;
const config = named('ConfigMap', packageName).data as Record<string, string>;
const secret = named('Secret', packageName).stringData as Record<string, string>;
const known = new Set<string>(settings.map(({ name }) => name));
const podOf = ({ spec }: Json) => spec.template as { metadata: Json; spec: Json };
const containerOf = (workload: Json) => podOf(workload).spec.containers[0];
const envOf = (workload: Json) =>
  Object.fromEntries((containerOf(workload).env ?? []).map(({ name, value }: { name: string; value: string }) => [name, value]));
const isSelected = (labels: Json, selector: Json) => Object.entries(selector ?? {}).every(([label, value]) => labels[label] === value);
const pods = workloads.map((workload) => ({ name: workload.metadata.name as string, workload, labels: podOf(workload).metadata.labels }));

describe('each manifest', () => {
  it.each(documents.map(({ file, document }) => [file, `${document.get('kind')}`, document] as const))(
    '%s: %s is YAML without doubles, and valid',
    (_file, kind, document) => {
      expect([document.errors, document.warnings]).toEqual([[], []]);
      expect(faultsOf(document.toJS())).toEqual([]);
      const { metadata } = document.toJS();
      expect(kind === 'Namespace' ? metadata.name : metadata.namespace).toBe(packageName);
    },
  );

  it('is found invalid where a word is misspelt', () => {
    const spoilt = structuredClone(named('Deployment', 'api'));
    containerOf(spoilt).readinesProbe = { periodSeconds: 1 };
    expect(faultsOf(spoilt)).toEqual(['/spec/template/spec/containers/0/readinesProbe', expect.stringMatching(/periodSeconds$/)]);
    delete containerOf(spoilt).name;
    expect(() => faultsOf(spoilt)).toThrow('name');
  });
});

describe('each pod', () => {
  it.each(pods.map(({ name, workload }) => [name, workload] as const))('%s: may do what it needs, and no more', (_name, workload) => {
    const pod = podOf(workload).spec as NonNullable<IPodTemplateSpec['spec']>;
    expect(pod.containers).toHaveLength(1);
    const [, uid = '', gid = ''] = /^(\d+):(\d+)$/.exec(image.last['USER'] ?? '') ?? [];
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(uid),
      runAsGroup: Number(gid),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.containers[0]?.resources).toMatchObject({ requests: { cpu: /./, memory: /./ }, limits: { memory: /./ } });
    expect(pod).toMatchObject({ automountServiceAccountToken: false });
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined]);
  });

  // A Service `metrics` would set METRICS_PORT to the address of a Service.
  it.each(pods.map(({ name, workload }) => [name, workload] as const))(
    '%s: gets no settings from the names of Services',
    (_name, workload) => {
      expect(podOf(workload).spec.enableServiceLinks).toBe(false);
    },
  );

  it.each(pods.map(({ name, workload }) => [name, workload] as const))('%s: is of the image of this release', (_name, workload) => {
    expect(containerOf(workload).image).toBe(`registry.example.com/${packageName}:${version}`);
    if (workload.kind === 'Job') expect(workload.metadata.name).toBe(`migrate-${version.replaceAll('.', '-')}`);
  });
});

describe('settings', () => {
  it('of the manifests are those of the platform, which takes their values', () => {
    const given = [...Object.keys(config), ...Object.keys(secret), ...workloads.flatMap((workload) => Object.keys(envOf(workload)))];
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    const real = { DATABASE_URL: 'postgresql://db/payments', REDIS_URL: 'redis://cache', SECRETS_KEY: 'ab'.repeat(32) };
    expect(Object.keys(real)).toEqual(Object.keys(secret));
    const { NODE_ENV: _, ...preset } = image.env;
    for (const workload of workloads) expect(loadConfig({ ...preset, ...config, ...real, ...envOf(workload) })).toBeDefined();
    // What stands there as a comment is taken too, once the comment is opened.
    const opened = parseAllDocuments(read('config.yaml').replaceAll(/^ {2}# (?=[A-Z_]+: )/gm, '  '))[0]?.toJS().data;
    expect(Object.keys(opened).length).toBeGreaterThan(Object.keys(config).length);
    expect(loadConfig({ ...preset, ...real, ...opened, SMTP_URL: 'smtp://mail.example.com' })).toBeDefined();
  });

  it('of the example of a Secret are refused until somebody has put in real ones', () => {
    expect(() => loadConfig(secret)).toThrow(ConfigError);
  });

  it('of the platform are all decided on: set, named as a comment, left to the image, or of no use in a pod', () => {
    const ofNoUse = {
      DATA_DIR: 'the database is not embedded',
      HOST: 'the image says it',
      PORT: 'Services have ports of their own',
      SANDBOX_PORT: 'the same',
      METRICS_PORT: 'the image says it, and the probes ask it',
      METRICS_PUBLIC: 'METRICS_PORT is scraped',
      PROCESSES: 'a pod has one process',
      PRINT_KEYS: 'the image says it',
      PLATFORM_MEMORY: 'the image says it, and the signer has the volume',
    };
    const text = files.map(read).join('\n');
    const undecided = [...known].filter((name) => !(name in ofNoUse) && !new RegExp(`\\b${name}\\b`).test(text));
    expect(undecided).toEqual([]);
    const given = new Set([...Object.keys(config), ...Object.keys(secret)]);
    expect(Object.keys(ofNoUse).filter((name) => !known.has(name) || given.has(name))).toEqual([]);
  });

  it('come from the ConfigMap and the Secret that are there', () => {
    for (const { workload } of pods)
      expect(containerOf(workload).envFrom).toEqual([{ configMapRef: { name: packageName } }, { secretRef: { name: packageName } }]);
  });
});

describe('what belongs together', () => {
  it('has the roles: processes that serve, that work, and one that signs', () => {
    expect(pods.map(({ name, workload }) => [name, workload.spec.replicas, envOf(workload)['ROLE']]).sort()).toEqual([
      ['api', 2, 'api'],
      [`migrate-${version.replaceAll('.', '-')}`, undefined, undefined],
      ['signer', 1, 'worker'],
      ['worker', 2, 'worker'],
    ]);
  });

  // A process without a volume has a folder that it cannot write, so it never makes its own memory that of the database.
  it('gives the memory of what was signed to one process alone', () => {
    const withMemory = pods.filter(({ workload }) =>
      containerOf(workload).volumeMounts.some(({ mountPath }: Json) => mountPath === image.env['PLATFORM_MEMORY']),
    );
    expect(withMemory.map(({ name, workload }) => [name, workload.kind, workload.spec.replicas])).toEqual([['signer', 'StatefulSet', 1]]);
    const signer = named('StatefulSet', 'signer');
    expect(podOf(signer).spec.securityContext.fsGroup).toBe(podOf(signer).spec.securityContext.runAsGroup);
    expect(signer.spec.volumeClaimTemplates[0].spec.accessModes).toEqual(['ReadWriteOnce']);
  });

  it('selects pods that there are, by their labels', () => {
    for (const { workload, labels } of pods)
      if (workload.kind !== 'Job') expect(isSelected(labels, workload.spec.selector.matchLabels), workload.metadata.name).toBe(true);
    const count = (selector: Json) => pods.filter(({ labels }) => isSelected(labels, selector)).length;
    for (const { metadata, spec } of ofKind('Service'))
      expect([metadata.name, count(spec.selector)]).toEqual([metadata.name, metadata.name === 'probes' ? 4 : 1]);
    for (const { metadata, spec } of ofKind('PodDisruptionBudget'))
      expect([metadata.name, count(spec.selector.matchLabels)]).toEqual([metadata.name, 1]);
    for (const { metadata, spec } of ofKind('NetworkPolicy'))
      expect(count(spec.podSelector.matchLabels), metadata.name).toBe({ 'api-in': 1 }[metadata.name as string] ?? pods.length);
    for (const { workload, labels } of pods)
      for (const { labelSelector } of podOf(workload).spec.topologySpreadConstraints ?? [])
        expect(isSelected(labels, labelSelector.matchLabels)).toBe(true);
  });

  it('mounts volumes that there are', () => {
    for (const { name, workload } of pods) {
      const volumes = [
        ...podOf(workload).spec.volumes,
        ...(workload.spec.volumeClaimTemplates ?? []).map(({ metadata }: Json) => metadata),
      ];
      expect([name, containerOf(workload).volumeMounts.map((mount: Json) => mount.name)]).toEqual([
        name,
        volumes.map((volume) => volume.name),
      ]);
    }
  });

  it('uses ports by the names that containers give them, and the numbers at which the image listens', () => {
    const ports = new Map<string, Map<string, number>>(
      pods.map(({ name, workload }) => [
        name,
        new Map((containerOf(workload).ports ?? []).map((port: Json) => [port.name, port.containerPort])),
      ]),
    );
    expect([...(ports.get('api')?.values() ?? [])].join(' ')).toBe(image.last['EXPOSE']);
    for (const { spec } of ofKind('Service'))
      for (const { name, port, targetPort } of spec.ports) expect([name, ports.get('api')?.get(targetPort)]).toEqual([targetPort, port]);
    const service = named('Service', 'api').spec.ports.map(({ name }: Json) => name);
    for (const { http } of named('Ingress', 'api').spec.rules)
      for (const { backend } of http.paths)
        expect([backend.service.name, service.includes(backend.service.port.name)]).toEqual(['api', true]);
    for (const { spec } of ofKind('NetworkPolicy'))
      for (const { port } of (spec.ingress ?? []).flatMap((rule: Json) => rule.ports)) expect(ports.get('api')?.has(port)).toBe(true);
  });

  it('leads each host to its own listener', () => {
    const led = named('Ingress', 'api').spec.rules.map(({ host, http }: Json) => [
      `https://${host}`,
      http.paths[0].backend.service.port.name,
    ]);
    expect(led).toEqual([
      [config['BASE_URL'], 'production'],
      [config['SANDBOX_URL'], 'sandbox'],
    ]);
  });

  it('probes what there is, soon enough for a pod that ends', () => {
    const longestStop = 9;
    for (const { name, workload } of pods.filter(({ workload }) => workload.kind !== 'Job')) {
      const { startupProbe, readinessProbe, livenessProbe, lifecycle } = containerOf(workload);
      expect(readinessProbe.httpGet).toEqual({ path: '/ready', port: 'probes' });
      for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet).toEqual({ path: '/health', port: 'probes' });
      const drain = Number(config['DRAIN_SECONDS']);
      expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold, name).toBeLessThan(drain);
      const preStop = Number(lifecycle?.preStop.exec.command[1] ?? 0);
      expect(podOf(workload).spec.terminationGracePeriodSeconds, name).toBeGreaterThan(preStop + drain + longestStop);
      // Expand migrations wait for their locks for ten minutes.
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold, name).toBeGreaterThanOrEqual(600);
    }
    expect(containerOf(named('Deployment', 'api')).lifecycle).toBeDefined();
  });

  it('does not buffer streams', () => {
    const { annotations } = named('Ingress', 'api').metadata;
    expect(annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      'nginx.org/proxy-buffering': 'False',
      'nginx.org/proxy-read-timeout': '3600s',
    });
    // As the gateway of docker-compose.yml has it.
    const [, size] = /client_max_body_size (\w+);/.exec(readFileSync(new URL('../nginx.conf', import.meta.url), 'utf8')) ?? [];
    expect([annotations['nginx.ingress.kubernetes.io/proxy-body-size'], annotations['nginx.org/client-max-body-size']]).toEqual([
      size,
      size,
    ]);
  });
});

it('every file of the folder is YAML, and only the example has a Secret', () => {
  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => path.extname(name) === '')).toEqual(['example']);
  expect(documents.filter(({ document }) => document.get('kind') === 'Secret').map(({ file }) => file)).toEqual(['example/secret.yaml']);
});
