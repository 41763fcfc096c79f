// How a person calls what runs here: by the program of the installed package, or by the scripts of a checkout.
import { readFileSync } from 'node:fs';
import path from 'node:path';

// Gap G-823: The package has no npm-shrinkwrap.json: what `overrides` change is bundled, and npm would install eight PostgreSQLs by it.
/** The manifest of the package, seen from src/platform/ and from dist/platform/ alike. */
const manifest = new URL('../../package.json', import.meta.url);
const { name, bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string; bin: Record<string, string> };

/** True in a process that was started by the program of the package. npm calls it by a link of its name, or by its file. */
export const isInstalled = Object.keys(bin).some((program) => path.basename(process.argv[1] ?? '', '.js') === program);

/** A command of the command line, as it is typed. */
export function commandLine(command: string): string {
  return isInstalled ? `npx ${name} ${command}` : `npm run --silent cli -- ${command}`;
}

/** What starts the server. */
export const startLine = isInstalled ? `npx ${name}` : 'npm start';
