// The bar of filters above a list. What is chosen stands in the address of the page, so that it can be linked to and gone back from.
import { useId } from 'preact/hooks';
import { words } from './format.js';
import { addressOf, go, usePlace } from './route.js';

/** One filter: a choice among values, or a text of its own. */
export interface FilterSpec {
  name: string;
  label: string;
  /** By the value that is sent: what a person reads, which is made of the value by default. */
  values?: readonly string[] | Readonly<Record<string, string>>;
  type?: 'text' | 'date' | 'number';
  /** What is chosen where the address says nothing; `all` in the address chooses everything then. */
  initial?: string;
  placeholder?: string;
  /** What a text must look like, as the pattern of a field. */
  pattern?: string;
}

export type Chosen = Readonly<Record<string, string | undefined>>;

/** What is chosen of these filters. */
export function useFilters(specs: readonly FilterSpec[]): Chosen {
  const { query } = usePlace();
  return Object.fromEntries(
    specs.flatMap(({ name, initial }) => {
      const value = query[name] ?? initial;
      return value === undefined || value === 'all' ? [] : [[name, value]];
    }),
  );
}

function Choice({ spec, value, choose }: { spec: FilterSpec; value: string; choose: (value: string) => void }) {
  const id = useId();
  const { label, values, type = 'text', placeholder, pattern } = spec;
  const named: Readonly<Record<string, string>> | undefined = Array.isArray(values)
    ? Object.fromEntries(values.map((name: string) => [name, words(name)]))
    : (values as Readonly<Record<string, string>> | undefined);
  const set = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    if (currentTarget.reportValidity()) choose(currentTarget.value.trim());
  };
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      {named === undefined ? (
        <input
          id={id}
          type={(type === 'date' ? 'date' : 'text') as 'text'}
          inputMode={type === 'number' ? 'decimal' : undefined}
          value={value}
          placeholder={placeholder}
          pattern={type === 'number' ? '[0-9]+([.][0-9]+)?' : pattern}
          title={type === 'number' ? 'A number such as 12.50' : placeholder}
          spellcheck={false}
          onChange={set}
        />
      ) : (
        <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">All</option>
          {Object.entries(named).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** The filters, and a button that takes them all back. */
export function FilterBar({ specs }: { specs: readonly FilterSpec[] }) {
  const { page, id, query } = usePlace();
  const chosen = useFilters(specs);
  const here = id === undefined ? page : `${page}/${id}`;
  const choose = ({ name, initial }: FilterSpec, value: string) =>
    go(addressOf(here, { ...query, [name]: value === '' && initial !== undefined ? 'all' : value }), { replace: true });
  const isFiltered = specs.some(({ name }) => query[name] !== undefined);
  return (
    <search class="filters" aria-label="Filters">
      {specs.map((spec) => (
        <Choice key={spec.name} spec={spec} value={chosen[spec.name] ?? ''} choose={(value) => choose(spec, value)} />
      ))}
      {isFiltered && (
        <button type="button" onClick={() => go(addressOf(here), { replace: true })}>
          Clear filters
        </button>
      )}
    </search>
  );
}
