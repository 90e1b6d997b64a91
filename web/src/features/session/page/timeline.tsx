import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import type { SubagentId } from '#domain/ids'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard, ErrorLine } from '../../../components/ui/error-card'
import { Money } from '../../../components/ui/money'
import { Status } from '../../../components/ui/status'
import { client } from '../../../lib/api'
import { counted, shortCount, tokensOf, unknownTokens } from '../../../lib/format'
import { exactTime, lengthOf } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { Clock, clockTime } from '../rows/row-frame'
import { SEGMENT_WORDS } from './segment-words'
import { useSession } from './session-context'
import type { SessionPlace } from './session-search'
import { Lane } from './timeline-lane'
import { type KnownSession, useTimeline } from './use-session-data'

type Lanes = Answers['sessions']['timeline']['lanes']

interface TimelineProps {
  session: KnownSession
  onMove(change: Partial<SessionPlace>): void
}

/** What each agent of the session did when: one lane each, or a table. */
export function Timeline({ session, onMove }: TimelineProps) {
  const { data, error, refetch } = useTimeline(session.id)
  const [isTable, setTable] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const findMoment = useMoment()
  if (error !== null) return <ErrorCard error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading what="Reading the timeline" />
  if (data.from === null || data.to === null) return <Empty title="Nothing with a time is recorded yet." />
  const span = { from: Date.parse(data.from), to: Math.max(Date.parse(data.to), Date.parse(data.from) + 1) }
  const visit = async (agent: SubagentId | null, at: number) => {
    setFailure(null)
    try {
      const event = await findMoment(agent, at)
      onMove({ agent, at: event, view: 'conversation' })
    } catch (problem) {
      setFailure(problem)
    }
  }
  return (
    <div className="scrolls flex min-h-0 flex-1 flex-col" data-testid="session-timeline">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-xs text-ink-2 max-md:px-3">
        <h2 className="text-sm font-semibold text-ink">Timeline</h2>
        <span title={`${exactTime(data.from)} to ${exactTime(data.to)}`}>{lengthOf(span.to - span.from)}</span>
        <Legend />
        <Button className="ml-auto" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          As a table
        </Button>
      </div>
      <ErrorLine error={failure} />
      {data.isCut ? <p className="px-4 text-xs text-ink-3">Older turns of the main thread are not included.</p> : null}
      {isTable ? (
        <LaneTable lanes={data.lanes} />
      ) : (
        <ol className="border-t border-line">
          <Axis span={span} />
          {data.lanes.map((lane) => (
            <Lane
              key={lane.subagent?.id ?? 'main'}
              lane={lane}
              span={span}
              marks={lane.subagent === null ? data.compactions : NO_MARKS}
              onVisit={(at) => void visit(lane.subagent?.id ?? null, at)}
            />
          ))}
        </ol>
      )}
      {data.leftOutCount === 0 ? null : (
        <p className="px-4 py-2 text-xs text-ink-3">
          {counted(data.leftOutCount, 'sub-agent')} not shown. The longest and latest ones have a lane.
        </p>
      )}
    </div>
  )
}

const NO_MARKS: readonly string[] = []

/** Finds the last line of an agent at or before a time; the start of its turn if no line is that old. */
function useMoment() {
  const { id } = useSession()
  const queries = useQueryClient()
  return (agent: SubagentId | null, at: number): Promise<SessionPlace['at']> =>
    queries.fetchQuery({
      queryKey: ['moment', id, agent, at],
      gcTime: 0,
      queryFn: async ({ signal }) => {
        const from = new Date(at).toISOString()
        const input = { from, limit: 1, ...(agent !== null && { subagentId: agent }) }
        const { turns } = await client.sessions.conversation(id, input, { signal })
        const [turn] = turns
        if (turn === undefined) return null
        const lines = [...(turn.start === null ? [] : [turn.start]), ...turn.items]
        const before = lines.findLast((line) => line.eventId !== null && line.at !== null && Date.parse(line.at) <= at)
        return before?.eventId ?? turn.start?.eventId ?? null
      },
    })
}

/** Legend: kind, look. */
const KINDS = [
  ['working', 'h-2.5 bg-run'],
  ['tool', 'h-1.5 bg-run opacity-55'],
  ['waiting', 'h-3.5 bg-need'],
  ['idle', 'h-px bg-line-strong'],
] as const

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-3" aria-label="Colours">
      {KINDS.map(([kind, tone]) => (
        <li key={kind} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`forced-color-adjust-none inline-block w-3 ${tone}`} />
          {SEGMENT_WORDS[kind]}
        </li>
      ))}
    </ul>
  )
}

/** Times of day above the lanes. */
function Axis({ span }: { span: { from: number; to: number } }) {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => new Date(span.from + share * (span.to - span.from)))
  return (
    <li aria-hidden className="flex px-4 text-2xs text-ink-3 max-md:px-3">
      <span className="w-56 shrink-0 max-md:hidden" />
      <span className="ml-2 flex min-w-0 flex-1 justify-between max-md:ml-0">
        {ticks.map((tick) => (
          <span key={tick.getTime()} className="whitespace-nowrap max-md:[&:nth-child(even)]:hidden">
            {clockTime(tick)}
          </span>
        ))}
      </span>
    </li>
  )
}

const isShell = ({ subagent }: Lanes[number]): boolean => subagent !== null && subagent.kind !== 'agent'

function tokensCell(lane: Lanes[number]): string {
  if (isShell(lane)) return '–'
  if (lane.usage === null)
    return lane.subagent?.reportedTokens == null ? 'unknown' : unknownTokens(lane.subagent.reportedTokens)
  return shortCount(tokensOf(lane.usage))
}

function LaneTable({ lanes }: { lanes: Lanes }) {
  return (
    <div className="overflow-x-auto border-t border-line">
      <table className="w-full text-xs">
        <caption className="sr-only">What each agent spent its time on</caption>
        <thead>
          <tr className="text-ink-3">
            {['Agent', 'Status', 'Started', 'Working', 'Tools', 'Waiting', 'Idle', 'Tokens', 'Cost'].map((name, at) => (
              <th
                key={name}
                scope="col"
                className={`h-7 px-2 font-medium whitespace-nowrap ${at < 2 ? 'text-left' : 'text-right'}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <tr key={lane.subagent?.id ?? 'main'} className="border-t border-line">
              <th scope="row" className="h-7 max-w-60 px-3 text-left font-normal">
                <AgentLine text={visibleText(lane.subagent?.description ?? lane.subagent?.type ?? 'main thread')} />
              </th>
              <td className="px-2">
                {lane.subagent === null ? null : (
                  <Status status={lane.subagent.status} evidence={lane.subagent.statusEvidence} />
                )}
              </td>
              <td className="px-2 text-right whitespace-nowrap">
                <Clock at={lane.startedAt} />
              </td>
              {[lane.spentMs.working, lane.spentMs.tool, lane.spentMs.waiting, lane.spentMs.idle].map((ms, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: four columns that never move
                <td key={at} className="px-2 text-right whitespace-nowrap">
                  {ms === 0 ? '–' : lengthOf(ms)}
                </td>
              ))}
              <td className="px-2 text-right">{tokensCell(lane)}</td>
              <td className="px-2 text-right">
                {isShell(lane) ? '–' : lane.usage === null ? 'unknown' : <Money cost={lane} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
