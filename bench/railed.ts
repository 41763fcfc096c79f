// Transfers with a file of rails and without, in turn. The file names a rail over a chain of this machine, which the workers of that server read.
import { ChainPlace } from './chain-place.js';
import type { BenchDatabase } from './platform.js';
import { compareServers, type Rounds } from './two-servers.js';

export async function runRailed(database: BenchDatabase, rounds: Rounds): Promise<void> {
  const place = await ChainPlace.open(database.scratch, { blockTime: 2 });
  try {
    await compareServers(database, [{ name: 'with a rail', settings: place.settings }, { name: 'without' }], rounds);
  } finally {
    await place.stop();
  }
}
