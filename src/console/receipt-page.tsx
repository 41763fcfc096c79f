// The page at /receipt: it opens the link in its address, or a file that is chosen or dropped on it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { NoPack, openLink, type PackText, readPackFile } from './pack-source.js';
import { Loading, Panel } from './panel.js';
import { ReceiptView } from './receipt-view.js';

type Shown = { is: 'nothing' } | { is: 'opening' } | { is: 'refused'; why: NoPack } | { is: 'pack'; pack: PackText; isLink: boolean };

/** What is shown: the newest thing that was asked for, whatever answers later. */
function useShown() {
  const [shown, setShown] = useState<Shown>({ is: 'nothing' });
  const turn = useRef(0);
  const show = async (asked: Promise<PackText>, isLink: boolean) => {
    turn.current += 1;
    const own = turn.current;
    setShown({ is: 'opening' });
    const next: Shown = await asked.then(
      (pack) => ({ is: 'pack', pack, isLink }),
      (error) => ({ is: 'refused', why: error instanceof NoPack ? error : new NoPack('Something went wrong.', 'Load the page again.') }),
    );
    if (turn.current === own) setShown(next);
  };
  const openAddress = () => {
    const token = location.hash.slice(1);
    if (token !== '') void show(openLink(token), true);
  };
  useEffect(() => {
    openAddress();
    addEventListener('hashchange', openAddress);
    return () => removeEventListener('hashchange', openAddress);
  }, []);
  return { shown, openAddress, openFile: (file: File) => void show(readPackFile(file), false) };
}

/** Takes files that are dropped anywhere. Without this a browser would leave the page for the file. */
function useDrop(openFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(openFile);
  latest.current = openFile;
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const away = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) latest.current(file);
    };
    const steps = { dragover: over, dragleave: away, drop } as const;
    for (const [name, step] of Object.entries(steps)) addEventListener(name, step as EventListener);
    return () => {
      for (const [name, step] of Object.entries(steps)) removeEventListener(name, step as EventListener);
    };
  }, []);
  return isOver;
}

/** The page. */
export function ReceiptPage() {
  const { shown, openAddress, openFile } = useShown();
  const isOver = useDrop(openFile);
  const isSandbox = document.documentElement.dataset['environment'] === 'test';
  return (
    <div class="receipt">
      <header class="top">
        <span class="brand">Agent Payments</span>
        {isSandbox && <span class="environment test">Sandbox</span>}
      </header>
      <main class={isOver ? 'over' : undefined}>
        <h1>Receipt of a payment</h1>
        {isSandbox && shown.is === 'pack' && shown.isLink && <p class="banner">This is a sandbox: no real money moved.</p>}
        {shown.is === 'opening' && <Loading what="the receipt" />}
        {shown.is === 'refused' && <Refused why={shown.why} onRetry={openAddress} />}
        {shown.is === 'pack' && <ReceiptView key={shown.pack.text} pack={shown.pack} />}
        <FilePanel isFirst={shown.is === 'nothing'} onFile={openFile} />
      </main>
    </div>
  );
}

function Refused({ why, onRetry }: { why: NoPack; onRetry: () => void }) {
  return (
    <div class="failure" role="alert">
      <p class="empty-title">{why.message}</p>
      <p>{why.advice}</p>
      {why.isPassing && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function FilePanel({ isFirst, onFile }: { isFirst: boolean; onFile: (file: File) => void }) {
  return (
    <Panel title={isFirst ? 'Check a file' : 'Check another file'}>
      <p class="soft">
        Somebody gave you a file that ends in .evidence.json? Choose it, or drop it anywhere on this page. It is checked here and sent to
        nobody.
      </p>
      <div class="field">
        <label for="file">File of a payment</label>
        <input
          id="file"
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) onFile(file);
            // The same file may be chosen again, when it has changed.
            currentTarget.value = '';
          }}
        />
      </div>
    </Panel>
  );
}
