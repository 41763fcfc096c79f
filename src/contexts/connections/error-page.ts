// What a person reads where a program cannot be connected and cannot be told so. Nothing of it comes from elsewhere.

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.slice(0, 500).replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** The page of an error of the authorization server. */
export function errorPage({ error, error_description: reason }: { error: string; error_description?: string | undefined }): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not connected</title></head>
<body>
<h1>The program could not be connected</h1>
<p>${escaped(reason ?? 'The request cannot be answered.')}</p>
<p>Code: <code>${escaped(error)}</code></p>
<p>Close this page, and begin again in the program.</p>
</body>
</html>
`;
}
