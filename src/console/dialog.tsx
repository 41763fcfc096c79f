// A question before something is done. The browser's own modal dialog keeps the focus inside, closes on Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asRefusal, newIdempotencyKey } from './api.js';

export interface DialogProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  isDangerous?: boolean;
  /** Label of an optional text that goes along, such as a reason. */
  remark?: string;
  /** Does it. The key is the same when a person tries again. */
  onConfirm: (given: { remark: string | undefined; idempotencyKey: string }) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks, does it, and closes; a failure is shown and can be tried again. */
export function Dialog({ title, action, isDangerous = false, remark, onConfirm, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [remarkText, setRemarkText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [idempotencyKey] = useState(newIdempotencyKey);
  const id = useId();

  useEffect(() => dialog.current?.showModal(), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError('');
    try {
      await onConfirm({ remark: remarkText.trim() === '' ? undefined : remarkText.trim(), idempotencyKey });
      dialog.current?.close();
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
        {remark !== undefined && (
          <label>
            {remark}
            <input type="text" maxLength={500} value={remarkText} onInput={(event) => setRemarkText(event.currentTarget.value)} />
          </label>
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
