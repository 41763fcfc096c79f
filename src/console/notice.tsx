// Tells people, and screen readers, what has just happened.
import { useEffect, useState } from 'preact/hooks';

const said = new EventTarget();

/** Shows a sentence for a while, and has it read out. */
export function say(text: string): void {
  said.dispatchEvent(new CustomEvent('say', { detail: text }));
}

const shownMs = 8_000;

/** Where the sentences appear. It is there from the start, or screen readers would not hear the first one. */
export function Notices() {
  const [text, setText] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const show = (event: Event) => {
      clearTimeout(timer);
      setText((event as CustomEvent<string>).detail);
      timer = setTimeout(() => setText(''), shownMs);
    };
    said.addEventListener('say', show);
    return () => {
      said.removeEventListener('say', show);
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="notices" role="status">
      {text !== '' && <p>{text}</p>}
    </div>
  );
}
