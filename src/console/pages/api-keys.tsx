// The API keys. A person sees and makes them. A session that was made of a key may not, so the page asks for a key then, and keeps it no
// longer than it is shown (see G-449).
import { useState } from 'preact/hooks';
import { Empty, Panel } from '../panel.js';
import { session } from '../session.js';
import { Keys } from './key-list.js';

/** The page. */
export function ApiKeys() {
  const isPerson = session.current?.token === undefined;
  const [apiKey, setApiKey] = useState<string>();
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('key');
    setApiKey(String(given).trim() || undefined);
  };
  if (isPerson || apiKey !== undefined)
    return (
      <Keys apiKey={apiKey}>
        {!isPerson && (
          <button type="button" onClick={() => setApiKey(undefined)}>
            Forget the key
          </button>
        )}
      </Keys>
    );
  return (
    <Panel title="All API keys">
      <Empty title="A session that was made of an API key does not see API keys.">
        Enter an API key of this environment to see all of them. It is sent with these requests alone, and forgotten when you leave the
        page.
      </Empty>
      <form class="filters centred" onSubmit={show}>
        <div class="filter">
          <label for="key-of-keys">API key</label>
          <input id="key-of-keys" name="key" class="secret" required maxLength={256} autocomplete="off" spellcheck={false} />
        </div>
        <button type="submit" class="primary">
          Show API keys
        </button>
      </form>
    </Panel>
  );
}
