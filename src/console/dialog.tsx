// A question before something is done. The browser's own modal dialog keeps the focus inside, closes on Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asRefusal, newIdempotencyKey } from './api.js';
import { words } from './format.js';
import { changed } from './query.js';
import { session } from './session.js';

/** A field of a dialog: a text, or a choice where it has values. */
export interface DialogField {
  name: string;
  label: string;
  /** What is sent, or by what is sent what a person reads. */
  values?: readonly string[] | Readonly<Record<string, string>>;
  initial?: string;
  type?: 'text' | 'date';
  required?: boolean;
  maxLength?: number;
}

export interface Given {
  remark: string | undefined;
  idempotencyKey: string;
  /** What was filled in; undefined where it is empty. */
  values: Readonly<Record<string, string | undefined>>;
  apiKey: string | undefined;
  /** All of the form, for what its fields do not name. */
  data: FormData;
}

export interface DialogProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  isDangerous?: boolean;
  /** Label of an optional text that goes along, such as a reason. */
  remark?: string;
  /** Fields that have to be filled in, by name. */
  fields?: readonly DialogField[];
  // Gap G-449: For what a JWT session may not do, the console asks for the API key, sends it once, and does not keep it.
  /** The API key is asked for: a session that was made of one may not do it. It is sent once and not kept. */
  needsKey?: boolean;
  /** Does it. The key is the same when a person tries again. */
  onConfirm: (given: Given) => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
  /** Below the fields. */
  below?: ComponentChildren;
}

/** What a person reads, by the value that is sent. */
function namesOf(values: NonNullable<DialogField['values']>): Readonly<Record<string, string>> {
  if (!Array.isArray(values)) return values as Readonly<Record<string, string>>;
  return Object.fromEntries(values.map((name: string) => [name, words(name)]));
}

function Field({ field: { name, label, values, initial, type = 'text', required = true, maxLength = 500 } }: { field: DialogField }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {values === undefined ? (
        <input id={id} type={type as 'text'} name={name} required={required} maxLength={maxLength} defaultValue={initial} />
      ) : (
        <select id={id} name={name} required={required}>
          {Object.entries(namesOf(values)).map(([value, text]) => (
            <option key={value} value={value} selected={value === initial}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

const keyField = 'console-api-key';
const remarkField = 'console-remark';

/** What stands in the fields of a form. */
function readForm(form: HTMLFormElement, fields: readonly DialogField[]) {
  const data = new FormData(form);
  const read = (name: string) => String(data.get(name) ?? '').trim() || undefined;
  const values = Object.fromEntries(fields.map(({ name }) => [name, read(name)]));
  return { data, remark: read(remarkField), apiKey: read(keyField), values };
}

/** Asks, does it, and closes; a failure is shown and can be tried again. What the page shows is read again then. */
export function Dialog(props: DialogProps) {
  const { title, action, isDangerous = false, remark, fields = [], needsKey = false, onConfirm, onClose, children, below } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [idempotencyKey] = useState(newIdempotencyKey);
  const id = useId();

  useEffect(() => dialog.current?.showModal(), []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError('');
    try {
      await onConfirm({ idempotencyKey, ...readForm(event.currentTarget as HTMLFormElement, fields) });
      dialog.current?.close();
      changed();
    } catch (thrown) {
      setError(asRefusal(thrown).message);
      setBusy(false);
    }
  };

  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        {fields.map((field) => (
          <Field key={field.name} field={field} />
        ))}
        {below}
        {remark !== undefined && <Field field={{ name: remarkField, label: remark, required: false }} />}
        {needsKey && session.current?.token !== undefined && (
          <div class="field">
            <label for={`${id}-key`}>API key</label>
            <input id={`${id}-key`} class="secret" name={keyField} required maxLength={256} autocomplete="off" spellcheck={false} />
            <span class="hint">Only the key itself may do this. It is sent once and not kept.</span>
          </div>
        )}
        <p class="dialog-error" role="alert">
          {error}
        </p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
            {isBusy ? 'Working …' : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
