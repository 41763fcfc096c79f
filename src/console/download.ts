// Hands a text to the browser as a file.

/** Saves `text` under `name`, character by character as it is. */
export function downloadText(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it up when the click returns; it is let go of later for those that read it afterwards.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
