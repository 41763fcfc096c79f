// One choice among the states of a list.
import { useId } from 'preact/hooks';
import { words } from './format.js';

export interface FilterProps<Value extends string> {
  label: string;
  values: readonly Value[];
  value: Value | '';
  choose: (value: Value | '') => void;
}

/** A choice with "All" before the others. */
export function Filter<Value extends string>({ label, values, value, choose }: FilterProps<Value>) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value as Value | '')}>
        <option value="">All</option>
        {values.map((name) => (
          <option key={name} value={name}>
            {words(name)}
          </option>
        ))}
      </select>
    </div>
  );
}
