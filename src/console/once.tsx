// What is shown once, such as a link or a key: to be copied, and gone when the dialog is closed.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { say } from './notice.js';

export interface Shown {
  title: string;
  label: string;
  value: string;
}

/** A dialog with a text to copy. */
export function OnceDialog({ shown, onClose, children }: { shown: Shown; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const copy = async () => {
    field.current?.select();
    // A page that is not served securely has no clipboard: the text is selected for the keys that copy.
    await navigator.clipboard?.writeText(shown.value).then(
      () => say('Copied.'),
      () => {},
    );
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form method="dialog">
        <h2 id={`${id}-title`}>{shown.title}</h2>
        {children}
        <div class="field">
          <label for={id}>{shown.label}</label>
          <input id={id} ref={field} readOnly value={shown.value} onFocus={({ currentTarget }) => currentTarget.select()} />
        </div>
        <div class="buttons">
          <button type="button" onClick={copy}>
            Copy
          </button>
          <button type="submit" class="primary">
            Done
          </button>
        </div>
      </form>
    </dialog>
  );
}
