// The manifests of deploy/kubernetes as tests read them, and what the models of Kubernetes find wrong with one.
import { readdirSync, readFileSync } from 'node:fs';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json } from './harness.js';

export const folder = new URL('../deploy/kubernetes/', import.meta.url);
const models = { ConfigMap, Deployment, Ingress, Job, Namespace, NetworkPolicy, PodDisruptionBudget, Secret, Service, StatefulSet };
export const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
export const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
export const documents = files.flatMap((file) => parseAllDocuments(read(file)).map((document) => ({ file, document })));
const objects: Json[] = documents.map(({ document }) => document.toJS());
export const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
export const named = (kind: string, name: string): Json => ofKind(kind).find(({ metadata }) => metadata.name === name);

/** The value, and the places in it that nobody has read yet. The models look at members that they know, and pass over others. */
function watched(value: Json, unread: Set<string>, place = ''): Json {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    unread.add(`${place}/${name}`);
    return [name, watched(member, unread, `${place}/${name}`)] as const;
  });
  return new Proxy(Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members), {
    get(target, name) {
      unread.delete(`${place}/${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** What a model finds wrong: it throws, or has no such member. */
export function faultsOf(object: Json): string[] {
  const Model = models[object.kind as keyof typeof models];
  expect(object.apiVersion).toBe(Model.apiVersion);
  const unread = new Set<string>();
  // A new model would be a copy of what it is given.
  Model.prototype.validate.call(watched(object, unread));
  return [...unread];
}
