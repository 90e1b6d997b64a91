import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Subagent } from '../../../../src/api/contract/wire'
import type { EventId, SessionId, SubagentId } from '../../../../src/domain/ids'
import { client } from '../../lib/api'
import { sessionPath, useGo } from '../../lib/links'
import { OpenProvider, OpenSet } from '../../lib/session-open'
import type { Lane } from '../../lib/session-pages'
import { type SessionPlace, writeSessionSearch } from '../../lib/session-search'
import { ErrorLine } from '../ui/error-card'
import { Beside } from './beside'
import { Conversation } from './conversation'
import { FindBar } from './find-bar'
import { SessionActions } from './session-actions'
import { type SessionContextValue, SessionProvider } from './session-context'
import { SessionHead } from './session-head'
import { Timeline } from './timeline'
import type { KnownSession, SessionDetail } from './use-session-data'
import { ViewTabs } from './view-tabs'

interface SessionViewProps {
  id: SessionId
  /** Of one with thousands of agents it is megabytes: the conversation does not wait for it. */
  detail: SessionDetail | undefined
  place: SessionPlace
}

/** A session that is recorded, or seems to be. */
export function SessionView({ id, detail, place }: SessionViewProps) {
  const session = detail?.session ?? null
  const go = useGo()
  const [open] = useState(() => new OpenSet())
  const [failure, setFailure] = useState<unknown>(null)
  const { at, agent, view, find } = place
  const here = useMemo((): SessionPlace => ({ at, agent, view, find }), [at, agent, view, find])

  const pathTo = useCallback(
    (change: Partial<SessionPlace>) => sessionPath(id) + writeSessionSearch({ ...here, ...change }),
    [id, here],
  )
  const [visit, setVisit] = useState(0)
  const known = useRef(new Set<EventId>())
  const onMove = useCallback(
    (change: Partial<SessionPlace>) => {
      if (change.at && change.at === here.at) setVisit((before) => before + 1)
      if (change.at && (change.agent === undefined ? here.agent : change.agent) === null) known.current.add(change.at)
      // Another agent is another page to come back from; a place of the same one is not.
      const isSame = change.agent === undefined || change.agent === here.agent
      go(pathTo(change), { replace: isSame && (change.view ?? here.view) === here.view })
    },
    [go, pathTo, here],
  )
  const path = detail === undefined ? [] : pathOf(detail, place.agent)
  const isLive = session !== null && isAtWork(session, path.at(-1))

  const context = useMemo(
    (): SessionContextValue => ({
      id,
      isLive,
      pathTo,
      toLaunch(of) {
        if (detail === undefined) return
        setFailure(null)
        void findLaunch(detail, of).then((found) => onMove({ ...found, view: 'conversation' }), setFailure)
      },
    }),
    [id, isLive, pathTo, detail, onMove],
  )
  // The address was not whole: who goes back wants what was before it.
  const toLane = useCallback((whose: SubagentId) => go(pathTo({ agent: whose }), { replace: true }), [go, pathTo])
  const isAsking = useRightLane(id, here, known.current, toLane)

  const lane = useMemo((): Lane => ({ sessionId: id, agent }), [id, agent])
  const beside = session === null || detail === undefined ? null : <Beside session={session} detail={detail} />
  return (
    <SessionProvider value={context}>
      <OpenProvider value={open}>
        <SessionHead
          id={id}
          session={session}
          worker={detail?.worker ?? null}
          path={path}
          actions={<SessionActions session={session} address={detail?.address ?? id} place={here} onMove={onMove} />}
        />
        <ErrorLine error={failure} />
        {find === null ? null : <FindBar text={find.trim()} onMove={onMove} />}
        <ViewTabs view={view} detail={detail} onMove={onMove} />
        <div className="flex min-h-0 flex-1">
          <section aria-label="Conversation and timeline" className="relative flex min-w-0 flex-1 flex-col">
            {view === 'timeline' && session !== null ? <Timeline session={session} onMove={onMove} /> : null}
            {view === 'beside' ? <div className="scrolls min-h-0 flex-1 lg:hidden">{beside}</div> : null}
            <div
              className={`min-h-0 flex-1 flex-col ${view === 'conversation' ? 'flex' : view === 'beside' ? 'hidden lg:flex' : 'hidden'}`}
            >
              <Conversation
                key={agent ?? 'main'}
                lane={lane}
                place={here}
                isAsking={isAsking}
                isCertain={detail !== undefined}
                visit={visit}
                onMove={onMove}
              />
            </div>
          </section>
          <aside
            aria-label="Beside the conversation"
            className="scrolls w-80 shrink-0 border-l border-line max-lg:hidden xl:w-88"
          >
            {beside}
          </aside>
        </div>
      </OpenProvider>
    </SessionProvider>
  )
}

/** Whether more may come from whose lines are shown. @param agent  none = the main thread */
function isAtWork(session: KnownSession, agent: Subagent | undefined): boolean {
  if (session.status === 'ended' || session.status === 'lost') return false
  const { status } = agent ?? session
  return status === 'running' || status === 'waiting'
}

/** From the outermost agent to this one; empty for the main thread, and this one alone where nobody knows who launched it. */
function pathOf(detail: SessionDetail, id: SubagentId | null): Subagent[] {
  const path: Subagent[] = []
  const agents = [...detail.subagents, ...detail.backgroundTasks]
  for (let next = id; next !== null && path.length < 20; ) {
    const agent = agents.find((one) => one.id === next)
    if (agent === undefined || path.includes(agent)) break
    path.unshift(agent)
    next = agent.parentId
  }
  return path
}

/** The call that launched an agent, and whose call it was; its own lines where no launch is recorded. */
async function findLaunch(detail: SessionDetail, of: SubagentId): Promise<Pick<SessionPlace, 'at' | 'agent'>> {
  const agent = [...detail.subagents, ...detail.backgroundTasks].find(({ id }) => id === of)
  if (agent === undefined || agent.toolUseId === null) return { agent: of, at: null }
  const { call } = await client.toolUses.get(agent.toolUseId, { sessionId: agent.sessionId })
  return call === null ? { agent: of, at: null } : { agent: call.subagentId, at: call.id }
}

/**
 * An address that comes from elsewhere may name an event alone: whose line it is, the record knows.
 *
 * @param known  events of the main thread, as the page itself knows
 * @returns whether that is still to be found out
 */
function useRightLane(
  id: SessionId,
  { at, agent }: SessionPlace,
  known: ReadonlySet<EventId>,
  toLane: (whose: SubagentId) => void,
): boolean {
  const isUnsure = at !== null && agent === null && !known.has(at)
  const event = useQuery({
    queryKey: ['line', id, at, 'whose'],
    queryFn: ({ signal }) => client.sessions.event(id, at ?? '', { signal }),
    enabled: isUnsure,
    select: ({ event: line }): SubagentId | null => line.subagentId,
    retry: false,
  })
  const whose = isUnsure ? event.data : undefined
  useEffect(() => {
    if (whose !== undefined && whose !== null) toLane(whose)
  }, [whose, toLane])
  return isUnsure && (event.isPending || whose !== null) && event.error === null
}
