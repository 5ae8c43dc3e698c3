import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** What one run of Vitest comes to, for the last lines of `npm test`. */
export type Tally = {
  passed: number;
  skipped: number;
  /** Each test, setup, or file that failed: its name, and the first lines of why. */
  failed: { name: string; why: string }[];
  /** Tests that failed once and passed when they were tried again. */
  flaky: string[];
};

/** Lines of an error that stand in the summary; the whole of it is where it happened. */
const LINES = 12;
const why = (
  errors: readonly { message: string; diff?: string | undefined; stack?: string | undefined }[],
): string =>
  errors
    .map(({ message, diff, stack }) => [
      message,
      diff,
      stack?.split('\n').find((line) => /\.tsx?:\d/.test(line)),
    ])
    .map((parts) => parts.filter(Boolean).join('\n').split('\n').slice(0, LINES).join('\n'))
    .join('\n');

/**
 * Adds up a run's tests, files, and errors.
 * @param modules test files that ran
 * @param unhandled errors outside every test, setup and tear-down of the run among them
 */
export function tallyOf(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Tally {
  const tally: Tally = { passed: 0, skipped: 0, failed: [], flaky: [] };
  for (const module of modules) {
    const file = module.relativeModuleId;
    const add = (test: TestCase) => {
      const result = test.result();
      const name = `${file} > ${test.fullName}`;
      if (result.state === 'failed') tally.failed.push({ name, why: why(result.errors) });
      else if (result.state === 'passed') tally.passed += 1;
      else tally.skipped += 1;
      if (test.diagnostic()?.flaky) tally.flaky.push(name);
    };
    for (const test of module.children.allTests()) add(test);
    // A file that cannot be loaded and a hook that fails have failed without their own test.
    const hooks = [...module.children.allSuites()].flatMap((suite) => suite.errors());
    const errors = [...module.errors(), ...hooks];
    if (errors.length > 0) tally.failed.push({ name: file, why: why(errors) });
  }
  for (const error of unhandled) tally.failed.push({ name: 'outside every test', why: why([error]) });
  return tally;
}

/** A reporter that leaves the tally of the run in the file that TALLY names, as JSON. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const file = process.env.TALLY;
    if (file) writeFileSync(file, JSON.stringify(tallyOf(modules, unhandled)));
  }
}
