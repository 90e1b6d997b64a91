import { PLANTED } from './rows'

/** A search, as the page or the command bar sends it. */
export interface Question {
  /** The path of the nth request. */
  path(turn: number): string
  /** The same search as FTS5 alone understands it, without filters; `null` = no index answers it. */
  raw(turn: number): string | null
}

/** Words that stand in most events, and names that stand in a few thousand. */
const COMMON = ['file', 'test', 'error', 'session', 'value', 'string', 'return', 'index'] as const
const NAMES = ['fileTest', 'errorValue', 'testSession', 'indexString', 'returnValue'] as const
const nth = <T>(from: readonly T[], turn: number): T => from[turn % from.length] as T

const page = (q: string) => `/api/search?q=${encodeURIComponent(q)}&limit=100&facets=true&timeZone=Europe%2FBerlin`
const bar = (q: string) => `/api/search?q=${encodeURIComponent(q)}&limit=5`

const ask = (
  words: (turn: number) => string,
  raw: (turn: number) => string | null,
  path: (q: string) => string = page,
): Question => ({ path: (turn) => path(words(turn)), raw })

const common = (turn: number) => nth(COMMON, turn)
const both = (turn: number) => [nth(COMMON, turn), nth(COMMON, turn + 1)] as const

/** What people search for: the page asks for 100 hits with counts by sort, the command bar for five. */
export const QUESTIONS = {
  common: ask(common, (turn) => `"${common(turn)}"`),
  some: ask(
    () => PLANTED.some,
    () => `"${PLANTED.some}"`,
  ),
  rare: ask(
    () => PLANTED.rare,
    () => `"${PLANTED.rare}"`,
  ),
  name: ask(
    (turn) => nth(NAMES, turn),
    (turn) => `"${nth(NAMES, turn)}"`,
  ),
  twoCommon: ask(
    (turn) => both(turn).join(' '),
    (turn) =>
      both(turn)
        .map((word) => `"${word}"`)
        .join(' AND '),
  ),
  commonAndSome: ask(
    (turn) => `${common(turn)} ${PLANTED.some}`,
    (turn) => `"${common(turn)}" AND "${PLANTED.some}"`,
  ),
  nothingOfTwo: ask(
    () => `${PLANTED.rare} ${PLANTED.some} quay`,
    () => `"${PLANTED.rare}" AND "${PLANTED.some}" AND "quay"`,
  ),
  phrase: ask(
    (turn) => `"${both(turn).join(' ')}"`,
    (turn) => `"${both(turn).join(' ')}"`,
  ),
  prefix: ask(
    (turn) => `${common(turn).slice(0, 4)}*`,
    (turn) => `"${common(turn).slice(0, 4)}"*`,
  ),
  path: ask(
    (turn) => `src/harbour-3/quay-${1_000 + 37 * turn}.ts`,
    (turn) => `"src harbour 3 quay ${1_000 + 37 * turn} ts"`,
  ),
  partOfWord: ask(
    () => '*arbou*',
    () => null,
  ),
  unknownWord: ask(
    (turn) => `wawser${turn}`,
    (turn) => `"wawser${turn}"`,
  ),
  errorsOfTool: ask(
    (turn) => `${common(turn)} is:error tool:Bash`,
    (turn) => `"${common(turn)}"`,
  ),
  ofAgent: ask(
    (turn) => `${common(turn)} agent:opencode`,
    (turn) => `"${common(turn)}"`,
  ),
  ofProject: ask(
    (turn) => `${common(turn)} project:project-${30 + (turn % 10)}`,
    (turn) => `"${common(turn)}"`,
  ),
  ofOldTime: ask(
    (turn) => `${common(turn)} before:300d`,
    (turn) => `"${common(turn)}"`,
  ),
  someOfTool: ask(
    () => `${PLANTED.some} is:error tool:Bash before:30d`,
    () => `"${PLANTED.some}"`,
  ),
  filtersAlone: ask(
    () => 'is:error tool:Bash',
    () => null,
  ),
  barCommon: ask(common, (turn) => `"${common(turn)}"`, bar),
  barSome: ask(
    () => PLANTED.some,
    () => `"${PLANTED.some}"`,
    bar,
  ),
} satisfies Record<string, Question>

export type QuestionName = keyof typeof QUESTIONS
