// The order of the test files. Those that start processes wait for them most of their time: they stand apart from each other, so that the
// others, which compute, fill the time.
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const startsProcesses = /from '([./]+\/(process|server-database)\.js|node:child_process)'/;
/** The last files of a run are short ones: those that wait stand in this part of it. */
const spread = 0.8;

export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker is of one project. The large one comes last, when there is work for all of them to the end.
    const isLarge = ({ project }: TestSpecification) => project.name === 'platform';
    const large = sorted.filter(isLarge);
    const waiting = large.filter(({ moduleId }) => startsProcesses.test(readFileSync(moduleId, 'utf8')));
    const computing = large.filter((file) => !waiting.includes(file));
    const every = Math.max(1, Math.floor((computing.length * spread) / Math.max(1, waiting.length)));
    const mixed = computing.flatMap((file, at) => (at % every === 0 ? [...waiting.splice(0, 1), file] : [file]));
    return [...sorted.filter((file) => !isLarge(file)), ...mixed, ...waiting];
  }
}
