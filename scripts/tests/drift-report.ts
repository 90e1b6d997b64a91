/** What came of a release's tests. The lists hold names of tests. */
export interface Outcome {
  passed: number
  /** Failed each time, and pass with the pinned releases. */
  differs: string[]
  /** Fail with the pinned releases too. */
  failsAnyway: string[]
  /** Files that failed at first and passed later. */
  passedAlone: string[]
  /** What else kept the release from being tried; `null` = nothing. */
  problem: string | null
}

/** What a test run printed, in short. */
export interface TestRun {
  passed: number
  /** Names of tests that failed in the end. */
  failed: string[]
  failedFiles: string[]
  passedAlone: string[]
  problem: string | null
}

/** Reads what `run-tests.ts` printed. A file that ran twice counts as it ended the second time. */
export function readTestRun(text: string, exitCode: number): TestRun {
  const failedOf = new Map<string, string[]>()
  for (const block of text.split(/^(?=(?:ok|FAIL) {2,4}\S)/m)) {
    const file = /^(?:ok|FAIL) +(\S+)/.exec(block)?.[1]
    if (file !== undefined) failedOf.set(file, namesOfFailed(block))
  }
  const failed = [...failedOf.values()].flat()
  const [, passed = '0', counted = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(text) ?? []
  // A file that ended before its tests did has failures without a name.
  const isWhole = exitCode === 0 ? Number(passed) > 0 : failed.length > 0 && failed.length >= Number(counted)
  return {
    passed: Number(passed),
    failed,
    failedFiles: filesAfter(text, 'Failed: '),
    passedAlone: filesAfter(text, 'Failed beside others, passed alone: '),
    problem: isWhole ? null : `the test run did not come to its end:\n${text.trimEnd()}`,
  }
}

/** The report of a release, one or more lines. */
export function inWords(version: string, { passed, differs, failsAnyway, passedAlone, problem }: Outcome): string {
  const lines = [`Claude Code ${version}: ${problem ?? verdict(passed, differs.length, failsAnyway.length)}`]
  const list = (title: string, names: readonly string[]): void => {
    if (names.length > 0) lines.push(`  ${title}`, ...names.map((name) => `  - ${name}`))
  }
  list('Failed each time, and pass with the pinned releases: the release differs.', differs)
  list('Fail with the pinned releases too: no difference of this release.', failsAnyway)
  list('Failed at first and passed later: the machine was too slow, or they fail now and then.', passedAlone)
  return lines.join('\n')
}

function verdict(passed: number, differs: number, failsAnyway: number): string {
  if (differs === 0) return `behaves as the pinned releases do (${passed} tests passed).`
  return `differs in ${differs} of ${passed + differs + failsAnyway} tests.`
}

const namesOfFailed = (block: string): string[] =>
  [...block.matchAll(/^\(fail\) (.+?) \[[\d.]+m?s\]$/gm)].map(([, name = '']) => name)

const filesAfter = (text: string, start: string): string[] =>
  (text.split('\n').findLast((line) => line.startsWith(start)) ?? '').slice(start.length).split(' ').filter(Boolean)
