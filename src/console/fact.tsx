// Facts with their names, ids, times and JSON, as every page shows them.
import type { ComponentChildren } from 'preact';
import { moment } from './format.js';

/** A name and what stands there; nothing is shown of what is null. */
export type Fact = readonly [label: string, value: ComponentChildren];

/** Facts, one beside the other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** An id, to be read and copied. */
export function Id({ value }: { value: string }) {
  return <code class="id">{value}</code>;
}

/** A date and a time, or nothing. */
export const when = (at: string | null) => (at === null ? null : moment(at));

/** Text of JSON, for people. */
export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <pre class="json" tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
