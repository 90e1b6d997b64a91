import type { Answers } from '../../../api/contract/operations'
import { plural } from '../../print/measures'
import { block, cut, oneLine } from '../../print/text'
import { shortIds } from '../ids'
import { ago, type ViewSettings } from './session-views'

type Recovery = Answers['recover']
type Work = Recovery['work'][number]

const HEADINGS: readonly [Work['state'], string][] = [
  ['running', 'still running'],
  ['unread', 'finished, unread by the parent'],
  ['failed', 'failed'],
  ['ended', 'ended after the CLI that launched it; outcome unknown'],
  ['lost', 'lost: the process disappeared before an end was recorded'],
  ['unknown', 'unknown'],
  ['killed', 'stopped'],
  ['read', 'finished and read'],
]

/** What became of background work, by what is to be done about it. */
export function recoveredView(work: readonly Work[], sessions: Recovery['sessions'], view: ViewSettings): string {
  if (work.length === 0) return ''
  const short = shortIds([...new Set(work.map(({ subagent }) => subagent.sessionId))])
  const parts = HEADINGS.flatMap(([state, heading]) => {
    const those = work.filter((one) => one.state === state)
    if (those.length === 0) return []
    const rows = those.map((one) => row(one, sessions.length > 0 ? short(one.subagent.sessionId) : null, view))
    return [`${plural(those.length, 'launch', 'launches')} ${heading}\n${rows.join('')}`]
  })
  return `${parts.join('\n')}\n${HINT}\n`
}

const HINT =
  'read: lode subagent output ID   mark as read: lode subagent mark-read ID   stop a shell: lode subagent stop ID'

function row({ subagent, run, prompt, state, tail }: Work, session: string | null, view: ViewSettings): string {
  const { id, kind, type, description, outputFile } = subagent
  const at = run.endedAt ?? run.startedAt
  const when = at === null ? '' : ` ${run.endedAt === null ? 'since' : 'ended'} ${ago(at, view.now)}`
  const named = kind === 'agent' ? oneLine(type ?? 'agent') : kind
  const where = session === null ? '' : `, session ${session}`
  const continued = run.number > 1 ? `, run ${run.number}` : ''
  const lines = [
    `  ${oneLine(id)}  ${named}${description === null ? '' : `: ${oneLine(description)}`} (${state === 'killed' ? 'stopped' : state}${when}${continued}${where})`,
    ...(prompt === null ? [] : [`      asked: ${oneLine(prompt)}`]),
    ...(run.resultPreview === null ? [] : [`      answered: ${oneLine(run.resultPreview)}`]),
    ...(outputFile === null ? [] : [`      output: ${oneLine(outputFile)}`]),
    ...(tail ?? []).map((line) => `      | ${oneLine(line)}`),
  ]
  return lines.map((line) => `${view.columns === 0 ? line : cut(line, view.columns)}\n`).join('')
}

/** An output as a terminal may show it. */
export const outputText = (text: string): string => {
  const shown = block(text)
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`
}
