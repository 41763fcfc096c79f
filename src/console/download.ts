// Hands a text to the browser as a file.

/** Saves text, in one part or in many, character by character as it is. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
