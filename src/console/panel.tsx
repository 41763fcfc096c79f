// A part of a page with a heading, and what it shows while it has nothing to show: loading, nothing there, or a failure with a way out.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { now } from './clock.js';
import type { Asked } from './query.js';

export interface PanelProps {
  title: string;
  /** Beside the heading, such as a filter. */
  tools?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A section with a heading. */
export function Panel({ title, tools, class: name = '', children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  );
}

/** Seconds that are left until `at`, counted down while it is shown. */
export function useSecondsUntil(at: number | undefined): number {
  const left = () => (at === undefined ? 0 : Math.max(0, Math.ceil((at - now()) / 1000)));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    if (at === undefined) return undefined;
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return seconds;
}

/** How long to wait, as a sentence; nothing where it may be tried now. */
export function waitText(seconds: number): string {
  return seconds === 0 ? '' : ` Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** Says that something failed, and lets a person try again. */
export function Failure({ asked: { error, refresh }, isSmall = false }: { asked: Asked; isSmall?: boolean }) {
  const seconds = useSecondsUntil(error?.retryAt);
  if (error === undefined) return null;
  return (
    <div class={isSmall ? 'failure small' : 'failure'} role="alert">
      <p>
        {isSmall ? `What you see may be old. ${error.message}` : error.message}
        {waitText(seconds)}
      </p>
      <button type="button" onClick={refresh} disabled={seconds > 0}>
        Try again
      </button>
    </div>
  );
}

/** Holds the place of what is being loaded. */
export function Loading({ what, lines = 4 }: { what: string; lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading {what} …</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Says that there is nothing, and what to do. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}

export interface StatesProps {
  asked: Asked;
  /** What is loaded, as in "Loading agents". */
  what: string;
  isLoaded: boolean;
  children: ComponentChildren;
}

/** `children` once there is something to show; before that, and when it could not be had, what stands for it. */
export function States({ asked, what, isLoaded, children }: StatesProps) {
  if (!isLoaded) return asked.error === undefined ? <Loading what={what} /> : <Failure asked={asked} />;
  return (
    <>
      <Failure asked={asked} isSmall />
      {children}
    </>
  );
}

/** A state in words, with a mark that does not depend on its colour. */
export function Badge({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }) {
  const marks = { good: '●', warn: '▲', bad: '■', plain: '○' };
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{marks[tone]}</span> {children}
    </span>
  );
}

/** A figure with its name. The longer it is the smaller it stands, so that it fits. */
export function Tile({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd>
        <span class="value" style={{ '--length': value.length }}>
          {value}
        </span>
        <span class="note">{note}</span>
      </dd>
    </div>
  );
}
