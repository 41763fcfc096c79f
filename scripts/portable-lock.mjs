// A lock file made where the registry holds no packages for other platforms lacks their entries, and `npm ci` then calls it out
// of sync. This adds them, from the exact version on the edge and the platform in the name, so that the lock serves every machine.
// Run it after each change of dependencies: node scripts/portable-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = new Set(['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']);
const processors = new Set(['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32']);

/** The platform that a package's name speaks of: `@x/binding-linux-arm64-musl` gives linux, arm64, musl. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.find((word) => systems.has(word));
  const cpu = words.find((word) => processors.has(word));
  const last = words.at(-1);
  const libc = os !== 'linux' ? undefined : last.startsWith('musl') ? 'musl' : last.startsWith('gnu') ? 'glibc' : undefined;
  return os && cpu ? { cpu: [cpu], ...(libc ? { libc: [libc] } : {}), os: [os] } : undefined;
}

/** Whether some node_modules folder at or above `at` holds `name`. */
function isLocked(at, name) {
  for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

let added = 0;
let dropped = 0;
for (const [at, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(at, name)) continue;
    const platform = platformOf(name);
    if (platform && /^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
      const { dev, license } = entry;
      lock.packages[`node_modules/${name}`] = {
        version,
        cpu: platform.cpu,
        dev,
        libc: platform.libc,
        license,
        optional: true,
        os: platform.os,
      };
      added++;
    } else {
      delete entry.optionalDependencies[name];
      dropped++;
    }
  }
  if (entry.resolved?.startsWith('http')) delete entry.resolved; // the address of whichever registry made the lock
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json: ${added} entries of other platforms added, ${dropped} edges dropped\n`);
