/**
 * Tests whose promise no release of the CLI keeps in a way of its own. Each start of the real CLI keeps a core busy for two thirds of a
 * second, so such a test runs with one release: the first of a `describe` with the first, the next with the second, and so on.
 *
 * What a release does differently is tested with the newest and the oldest (`OUTER_CLIS`), wherever a test asks for the version. How a run
 * is driven (`test/harness/run`) and the stories of the record take turns between these two. The test run's `--every-cli` runs all tests
 * with every release.
 */
import { describe, test } from 'bun:test'
import { format } from 'node:util'
import { CLI_VERSIONS, type CliVersion, OUTER_CLIS } from './claude'
import { EVERY_CLI_VARIABLE } from './cli-variables'

type Row = readonly [unknown, ...unknown[]]
type Run<Values extends readonly unknown[]> = (...values: Changeable<Values>) => unknown
type Changeable<Values extends readonly unknown[]> = { -readonly [At in keyof Values]: Values[At] }

/** `test` of bun:test, for those whose turn it is. */
export interface TestInTurn {
  (name: string, run: Run<[]>, timeoutMs?: number): void
  each<Values extends Row>(cases: readonly Values[]): (name: string, run: Run<Values>, timeoutMs?: number) => void
}

/**
 * A `describe` for each row; the tests within take turns.
 *
 * @param title  `%s` stands for the values of the row
 */
export function inTurn<Values extends Row>(
  rows: readonly Values[],
  title: string,
  define: (test: TestInTurn, ...row: Changeable<Values>) => void,
): void {
  for (const [index, row] of rows.entries())
    describe(format(title, ...row), () => define(testInTurn(index, rows.length), ...row))
}

function testInTurn(index: number, count: number): TestInTurn {
  const hasTurn = turns(index, count)
  const one = (name: string, run: Run<[]>, timeoutMs?: number): void => {
    if (hasTurn()) test(name, async () => void (await run()), timeoutMs)
  }
  const each =
    <Values extends Row>(cases: readonly Values[]) =>
    (name: string, run: Run<Values>, timeoutMs?: number): void => {
      for (const values of cases) one(format(name, ...values), () => run(...values), timeoutMs)
    }
  return Object.assign(one, { each })
}

/** The release whose turn it is, by this name; all with `--every-cli`. For tests that share what is made before them. */
export function cliInTurn(name: string): readonly CliVersion[] {
  const at = Bun.hash.crc32(name) % CLI_VERSIONS.length
  return isEvery() ? CLI_VERSIONS : CLI_VERSIONS.slice(at, at + 1)
}

/** The newest or the oldest release for the one at this place of a list; all with `--every-cli`. */
export const outerCliInTurn = (at: number): readonly CliVersion[] =>
  isEvery() ? CLI_VERSIONS : OUTER_CLIS.slice(at % OUTER_CLIS.length, (at % OUTER_CLIS.length) + 1)

const isEvery = (): boolean => process.env[EVERY_CLI_VARIABLE] === '1'

/** Tells at each call whether it is this one's turn. */
function turns(index: number, count: number): () => boolean {
  if (isEvery()) return () => true
  let call = 0
  return () => call++ % count === index
}
