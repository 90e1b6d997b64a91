import type { ReactNode } from 'react'
import { plainWords } from '#domain/plain-words'
import type { Session } from '#domain/session/session'
import { Link } from '../../components/link'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { SessionLength } from '../../components/ui/session-length'
import { Status } from '../../components/ui/status'
import { shortCount, tokensInWords, tokensOf } from '../../lib/format'
import { sessionPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'

const ROWS: readonly [name: string, cell: (session: Session) => ReactNode, of?: (session: Session) => number | null][] =
  [
    ['Result', ({ lastWords }) => <span className="line-clamp-4">{visibleText(plainWords(lastWords ?? '–'))}</span>],
    ['Status', ({ status, statusEvidence }) => <Status status={status} evidence={statusEvidence} />],
    [
      'Model',
      ({ agent, agentVersion, model }) => (
        <>
          <CliName name={agent} version={agentVersion} /> {visibleText(model ?? '')}
        </>
      ),
    ],
    ['Duration', (session) => (session.startedAt === null ? '–' : <SessionLength session={session} />)],
    ['Tool calls', ({ counts }) => counts.toolCalls, ({ counts }) => counts.toolCalls],
    ['Errors', ({ counts }) => counts.errors, ({ counts }) => counts.errors],
    ['Sub-agents', ({ counts }) => counts.subagents],
    ['Files changed', ({ counts }) => counts.filesChanged],
    [
      'Tokens',
      ({ usage }) => <span title={tokensInWords(usage)}>{shortCount(tokensOf(usage))}</span>,
      ({ usage }) => tokensOf(usage),
    ],
    ['Cost', (session) => <Money cost={session} title="Including all sub-agents" />, ({ costUsd }) => costUsd],
  ]

/** The figures of two sessions. The smaller of two is marked, since less is better for each that has a mark. */
export function CompareFacts({ first, second }: { first: Session; second: Session }) {
  return (
    <table aria-label="What came of each" className="w-full table-fixed border-collapse text-sm">
      <thead>
        <tr className="border-b border-line align-baseline">
          <td className="w-28 max-md:w-20" />
          {[first, second].map(({ id, title }) => (
            <th key={id} scope="col" className="px-2 py-1 text-left font-semibold">
              <Link to={sessionPath(id)} className="line-clamp-2 hover:underline">
                {visibleText(title ?? id.slice(0, 8))}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([name, cell, of]) => (
          <tr key={name} className="border-b border-line align-baseline">
            <th scope="row" className="py-1 text-left text-xs font-normal text-ink-3">
              {name}
            </th>
            {[first, second].map((session, at) => {
              const [own, other] = [session, at === 0 ? second : first].map((one) => of?.(one) ?? null)
              const isLess = own !== null && other !== null && own !== undefined && other !== undefined && own < other
              return (
                <td key={session.id} className={`px-2 py-1 ${isLess ? 'font-semibold' : ''}`}>
                  {cell(session)}
                  {isLess ? <span className="sr-only"> (less)</span> : null}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
