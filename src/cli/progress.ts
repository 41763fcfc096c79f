// A bar on the terminal, or a line for every tenth part where there is none.

const width = 30;

/** Shows how far something is; the last call, with 1, ends its line. */
export function progressBar(write: (text: string) => void, isTerminal: boolean): (doing: string, done: number) => void {
  let shown = '';
  return (doing, done) => {
    const percent = Math.floor(done * 100);
    const step = `${doing} ${isTerminal ? percent : Math.floor(percent / 10)}`;
    if (step === shown) return;
    shown = step;
    const full = Math.round(done * width);
    const line = `${doing.padEnd(12)} [${'#'.repeat(full)}${' '.repeat(width - full)}] ${String(percent).padStart(3)} %`;
    write(isTerminal ? `\r${line}${done >= 1 ? '\n' : ''}` : `${line}\n`);
  };
}
