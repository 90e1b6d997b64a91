import { plainWords } from '../../../domain/plain-words'
import type { ComparedFile } from '../../../domain/session/compare'
import type { Session } from '../../../domain/session/session'
import { count, dollars, duration } from '../../print/measures'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'
import { commonText, type Difference } from './diff-view'
import { totalTokens } from './session-views'

const ROWS: readonly [name: string, of: (session: Session) => string][] = [
  ['title', ({ title }) => oneLine(title ?? '')],
  ['result', ({ lastWords }) => oneLine(plainWords(lastWords ?? ''))],
  ['status', ({ status }) => status],
  ['agent', ({ agent, model }) => oneLine([agent, model ?? ''].join(' ').trim())],
  ['branch', ({ gitBranch }) => oneLine(gitBranch ?? '')],
  ['time', ({ startedAt, lastEventAt }) => (startedAt && lastEventAt ? tookText(startedAt, lastEventAt) : '')],
  ['calls', ({ counts }) => `${counts.toolCalls}`],
  ['errors', ({ counts }) => `${counts.errors}`],
  ['sub-agents', ({ counts }) => `${counts.subagents}`],
  ['files', ({ counts }) => `${counts.filesChanged}`],
  ['tokens', ({ usage }) => count(totalTokens(usage))],
  ['cost', ({ costUsd, isEstimate }) => dollars(costUsd, isEstimate)],
]

const tookText = (from: string, to: string): string => duration(Math.max(0, Date.parse(to) - Date.parse(from)))

/** Two sessions side by side, then the files that they changed. */
export function compareView(answer: Difference, files: readonly ComparedFile[], columns: number): string {
  const [a, b] = [answer.first.session, answer.second.session]
  const rows = ROWS.map(([name, of]) => ({ name, a: of(a), b: of(b) }))
  const facts = table(
    rows,
    [
      { title: '', cell: ({ name }) => name },
      { title: oneLine(a.id).slice(0, 8), cell: (row) => row.a, max: 60, flexible: 12 },
      { title: oneLine(b.id).slice(0, 8), cell: (row) => row.b, max: 60, flexible: 12 },
    ],
    columns,
  )
  const titles = { both: 'both', first: oneLine(a.id).slice(0, 8), second: oneLine(b.id).slice(0, 8) }
  const changed = files.map(({ path, by }) => `  ${titles[by].padEnd(8)}  ${oneLine(path)}\n`).join('')
  return `${commonText(answer)}\n\n${facts}${changed === '' ? '' : `\nfiles changed by\n${changed}`}`
}
