// The scopes of a new key as a table: for each resource nothing, to read or to write, within what its maker has.
import { useState } from 'preact/hooks';
import { opens, useMe } from './me.js';
import { States } from './panel.js';
import { useQuery } from './query.js';
import { type Access, byResource, resourceName } from './scope.js';

const prefix = 'scope ';
const choices = ['none', 'read', 'write'] as const;
type Choice = (typeof choices)[number];

/** Approvals are decided where other things are written. */
const accessOf = (choice: Choice, accesses: readonly Access[]): Access | undefined =>
  accesses.find((access) => access === choice || (choice === 'write' && access === 'decide'));

function Row({ resource, accesses }: { resource: string; accesses: readonly Access[] }) {
  const me = useMe();
  const name = resourceName(resource);
  return (
    <tr>
      <th scope="row">{name}</th>
      {choices.map((choice) => {
        const access = accessOf(choice, accesses);
        if (choice !== 'none' && access === undefined) return <td key={choice} />;
        return (
          <td key={choice}>
            <input
              type="radio"
              name={`${prefix}${resource}`}
              value={access ?? ''}
              defaultChecked={choice === 'none'}
              disabled={access !== undefined && !opens(me?.scopes ?? [], `${resource}:${access}`)}
              aria-label={`${name}: ${access ?? 'none'}`}
            />
          </td>
        );
      })}
    </tr>
  );
}

function Resources() {
  const asked = useQuery('Scopes', {});
  const scopes = asked.data?.scopes.scopes.map(({ scope }) => scope);
  return (
    <States asked={asked} what="scopes" isLoaded={scopes !== undefined}>
      <div class="scroll">
        <table>
          <caption class="hidden">Scopes</caption>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">None</th>
              <th scope="col">Read</th>
              <th scope="col">Write</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(byResource(scopes ?? [])).map(([resource, accesses]) => (
              <Row key={resource} resource={resource} accesses={accesses} />
            ))}
          </tbody>
        </table>
      </div>
    </States>
  );
}

/** The choice: everything that one may do oneself, or what is chosen in the table. */
export function ScopeTable() {
  const [isChosen, setChosen] = useState(true);
  return (
    <fieldset class="options scopes">
      <legend>What it may do</legend>
      <label>
        <input type="radio" name="scopes" value="chosen" checked={isChosen} onChange={() => setChosen(true)} /> Only what is chosen here
      </label>
      <label>
        <input type="radio" name="scopes" value="all" checked={!isChosen} onChange={() => setChosen(false)} /> Everything that you may do
      </label>
      {isChosen && <Resources />}
    </fieldset>
  );
}

/** The scopes that were chosen; undefined for everything. */
export function chosenScopes(data: FormData): string[] | undefined {
  if (data.get('scopes') === 'all') return undefined;
  return [...data].flatMap(([name, access]) => {
    const resource = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return resource === '' || access === '' ? [] : [`${resource}:${String(access)}`];
  });
}
