// Forms that stand on a page of their own: fields with their labels, and what happens between the press of the button and the answer.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asRefusal, type Refusal } from './api.js';
import { useSecondsUntil, waitText } from './panel.js';

/** What is filled in, by the name of the field. */
export type ReadField = (name: string) => string;

export interface Submission {
  isBusy: boolean;
  /** Why it was refused, in words; empty where it was not. */
  error: string;
  /** Seconds until it may be tried again. */
  seconds: number;
  submit: (event: SubmitEvent) => Promise<void>;
}

/** Sends what a form holds. A refusal is told in words, those of `tell` where it has any. */
export function useSubmission(work: (read: ReadField) => Promise<void>, tell?: (refusal: Refusal) => string | undefined): Submission {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [retryAt, setRetryAt] = useState<number>();
  const seconds = useSecondsUntil(retryAt);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy || seconds > 0) return;
    const data = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setError('');
    try {
      await work((name) => String(data.get(name) ?? ''));
    } catch (thrown) {
      const refusal = asRefusal(thrown);
      setRetryAt(refusal.retryAt);
      setError(tell?.(refusal) ?? refusal.message);
    }
    setBusy(false);
  };
  return { isBusy, error, seconds, submit };
}

/** Where the fault of a form is read out. */
export function FormError({ id, submission: { error, seconds } }: { id?: string; submission: Submission }) {
  return (
    <p {...(id !== undefined && { id })} class="dialog-error" role="alert">
      {error}
      {waitText(seconds)}
    </p>
  );
}

/** The button that sends a form. */
export function SubmitButton({
  submission,
  isPlain,
  children,
}: {
  submission: Submission;
  isPlain?: boolean;
  children: ComponentChildren;
}) {
  const { isBusy, seconds } = submission;
  return (
    <button type="submit" class={isPlain === true ? undefined : 'primary'} aria-disabled={isBusy || seconds > 0}>
      {isBusy ? 'Working …' : children}
    </button>
  );
}

export interface FormFieldProps {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  /** What browsers fill in. */
  autocomplete?: string;
  hint?: ComponentChildren;
  initial?: string;
  minLength?: number;
  maxLength?: number;
  isRequired?: boolean;
  /** It has the focus when it appears. */
  isFirst?: boolean;
}

/** A field with its label. */
export function FormField(props: FormFieldProps) {
  const { name, label, type = 'text', autocomplete = 'off', hint, initial, minLength, maxLength = 320, isRequired = true, isFirst } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst === true) field.current?.focus();
  }, [isFirst]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={field}
        name={name}
        type={type as 'text'}
        required={isRequired}
        minLength={minLength}
        maxLength={maxLength}
        defaultValue={initial}
        autocomplete={autocomplete as 'off'}
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
