// How long a start takes, and how long it would take if it loaded the packages of the modern era of MCP, which wait for their first caller.
import { median, Sandbox } from './platform.js';

/** What a start may be slower than one of before, as a part. */
const aim = 0.03;

/** A line. `rounds` starts of each kind, in turn. */
export async function startTime(databaseUrl: string, rounds: number): Promise<string> {
  const time = async (settings: Readonly<Record<string, string>> = {}) => {
    const begun = performance.now();
    const server = await Sandbox.start(databaseUrl, settings);
    const took = performance.now() - begun;
    await server.stop();
    return took;
  };
  const loaded = { NODE_OPTIONS: '--import=@modelcontextprotocol/server' };
  await time();
  const pairs: [plain: number, loaded: number][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await time(), await time(loaded)]);
  const [plain, whole] = [0, 1].map((at) => median(pairs.map((pair) => pair[at] as number))) as [number, number];
  const part = median(pairs.map(([first, second]) => second / first - 1));
  return (
    `start: ${plain.toFixed(0)} ms; ${whole.toFixed(0)} ms with the packages of the modern era, which nobody loads until the first call: ` +
    `${(part * 100).toFixed(1)} % that a start does not pay (it may pay ${aim * 100} %)`
  );
}
