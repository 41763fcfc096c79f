// A disk of its own for a PostgreSQL, small and in memory, which can be filled and emptied again. Only root can make one.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DataDir } from '../../process.js';

export class SmallDisk implements DataDir {
  readonly #place: string;
  #taken = 0;

  private constructor(place: string) {
    this.#place = place;
  }

  /** Undefined where nothing can be mounted. */
  static make(megabytes: number): SmallDisk | undefined {
    const place = mkdtempSync(path.join(tmpdir(), 'payments-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place], { stdio: 'ignore' });
      chmodSync(place, 0o711);
      return new SmallDisk(place);
    } catch {
      rmSync(place, { recursive: true });
      return undefined;
    }
  }

  get dataDir(): string {
    return path.join(this.#place, 'data');
  }

  get #ballast(): string {
    return path.join(this.#place, 'ballast');
  }

  /** Leaves so many bytes, or less where somebody is writing. */
  fill(left: number): void {
    this.#fill(this.#ballast, left);
  }

  #fill(file: string, left: number): void {
    const { bavail, bsize } = statfsSync(this.#place);
    try {
      writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Takes what others have left since. */
  fillUp(): void {
    this.#taken += 1;
    this.#fill(`${this.#ballast}-${this.#taken}`, 0);
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
    for (; this.#taken > 0; this.#taken -= 1) rmSync(`${this.#ballast}-${this.#taken}`, { force: true });
  }

  async remove(): Promise<void> {
    execFileSync('umount', ['-l', this.#place]);
    rmSync(this.#place, { recursive: true, force: true });
  }
}
