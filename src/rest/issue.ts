// What is wrong with an input, collected rather than thrown one by one. Paths are those of the wire, printed with dots:
// `scope.max_per_tx`, `items.2.sku`.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import { type FieldIssue, ValidationFailed } from '../platform/errors.js';
import { snakePath } from '../platform/snake-case.js';
import { zodRule } from '../platform/zod-words.js';

/** Where a value stands in the body: a list linked backwards, so that a value without faults costs no path. */
export interface Place {
  parent: Place | undefined;
  key: string | number;
  depth: number;
}

/** Most issues that one answer lists. */
export const maxIssues = 50;

/** The place of member `key` below `parent`. */
export function below(parent: Place | undefined, key: string | number): Place {
  return { parent, key, depth: parent === undefined ? 1 : parent.depth + 1 };
}

function pathOf(place: Place | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

export class Issues {
  readonly found: FieldIssue[] = [];

  get full(): boolean {
    return this.found.length >= maxIssues;
  }

  add(place: Place | undefined, message: string, rule: string, inner: readonly (string | number)[] = []): void {
    if (!this.full) this.found.push({ path: [...pathOf(place), ...inner], message, rule });
  }

  /** Tries the declared bounds on a parsed value. Bounds are synchronous: a face that declares others is at fault. */
  check(bounds: readonly StandardSchemaV1[], parsed: unknown, place: Place | undefined): void {
    for (const schema of bounds) {
      const result = schema['~standard'].validate(parsed);
      if (result instanceof Promise) throw new Error('the bounds of an input must not be asynchronous');
      for (const issue of result.issues ?? []) {
        const inner = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
        this.add(place, issue.message, zodRule(issue), snakePath(inner.map((key) => (typeof key === 'number' ? key : String(key)))));
      }
    }
  }

  /** 400 `validation_failed` when anything was found. */
  throwIfAny(): void {
    if (this.found.length > 0) throw new ValidationFailed(this.found);
  }
}
