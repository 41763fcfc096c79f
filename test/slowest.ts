// A reporter that prints, after a run, the files and the tests that took longest: `npm run test:slowest`.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const shown = 25;

interface Took {
  ms: number;
  name: string;
}

const line = ({ ms, name }: Took) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`;

function slowest(title: string, all: readonly Took[]): string {
  const sum = all.reduce((total, { ms }) => total + ms, 0) / 1000;
  const top = [...all].sort((one, other) => other.ms - one.ms).slice(0, shown);
  return `\n${title}: ${all.length}, ${sum.toFixed(0)} s together\n${top.map(line).join('\n')}\n`;
}

export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({ ms: module.diagnostic().duration, name: module.relativeModuleId }));
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test: TestCase) => ({
        ms: test.diagnostic()?.duration ?? 0,
        name: `${module.relativeModuleId} > ${test.fullName}`,
      })),
    );
    process.stdout.write(`${slowest('Files, with their hooks', files)}${slowest('Tests', tests)}`);
  }
}
