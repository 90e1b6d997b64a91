import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Subagent } from '#api/contract/wire'
import type { EventId, SessionId, SubagentId } from '#domain/ids'
import { ErrorLine } from '../../../components/ui/error-card'
import { client } from '../../../lib/api'
import { sessionPath, useGo } from '../../../lib/links'
import { may } from '../../../lib/me'
import { Conversation } from '../list/conversation'
import { FindBar } from '../list/find-bar'
import { OpenProvider, OpenSet } from '../list/session-open'
import type { Lane } from '../list/session-pages'
import { ForkDialog } from '../live/fork-dialog'
import { LiveDock } from '../live/live-dock'
import { LiveOutput } from '../live/live-output'
import { isPossible, useVerbs } from '../live/use-verbs'
import { ReplayBar } from '../replay/replay-bar'
import { useDetailAt, useReplay } from '../replay/use-replay'
import { Beside } from './beside'
import { ChangesView } from './changes-view'
import { OutcomeBand } from './outcome-band'
import { SessionActions } from './session-actions'
import { type ForkPoint, type SessionContextValue, SessionProvider } from './session-context'
import { SessionHead } from './session-head'
import { EMPTY_FIND, type SessionPlace, writeSessionSearch } from './session-search'
import { Timeline } from './timeline'
import type { KnownSession, SessionDetail } from './use-session-data'
import { useStep } from './use-step'
import { ViewTabs } from './view-tabs'

interface SessionViewProps {
  id: SessionId
  /** The conversation does not wait for it. */
  detail: SessionDetail | undefined
  place: SessionPlace
  /** Asks for more sub-agents than `detail` has. */
  onMoreAgents(): void
}

/** The page of a session that is recorded, or whose ID is a full one. */
export function SessionView({ id, detail, place, onMoreAgents }: SessionViewProps) {
  const session = detail?.session ?? null
  const go = useGo()
  const [open] = useState(() => new OpenSet())
  const [failure, setFailure] = useState<unknown>(null)
  const { at, agent, view, find, t, only } = place
  const here = useMemo((): SessionPlace => ({ at, agent, view, find, t, only }), [at, agent, view, find, t, only])

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
      // Another agent or view is a new history entry; another place is not.
      const isSame = change.agent === undefined || change.agent === here.agent
      go(pathTo(change), { replace: isSame && (change.view ?? here.view) === here.view })
    },
    [go, pathTo, here],
  )
  const path = detail === undefined ? [] : pathOf(detail, place.agent)
  const replay = useReplay(session, here, onMove)
  const isLive = session !== null && (replay !== null || isAtWork(session, path.at(-1)))

  const hasDays = session !== null && isOverDays(session)

  const [forkPoint, setForkPoint] = useState<ForkPoint | null>(null)
  const verbs = useVerbs(session, detail?.worker ?? null)
  const isMain = agent === null && replay === null
  const canFork = isMain && may('sessions.resume') && isPossible(verbs, 'fork')

  const context = useMemo(
    (): SessionContextValue => ({
      id,
      isLive,
      hasDays,
      pathTo,
      toLaunch(of) {
        if (detail === undefined) return
        setFailure(null)
        void findLaunch(detail, of).then((found) => onMove({ ...found, view: 'conversation' }), setFailure)
      },
      fork: canFork ? setForkPoint : null,
    }),
    [id, isLive, hasDays, pathTo, detail, onMove, canFork],
  )
  // Replaces the incomplete address, so that the back button skips it.
  const toLane = useCallback((whose: SubagentId) => go(pathTo({ agent: whose }), { replace: true }), [go, pathTo])
  const isAsking = useRightLane(id, here, known.current, toLane)

  const step = useStep(id, agent, onMove)
  // For a moment nothing later is shown, also before the session is known.
  const until = replay?.until ?? (detail === undefined && t !== null ? t : undefined)
  const lane = useMemo((): Lane => ({ sessionId: id, agent, until }), [id, agent, until])
  const seen = useDetailAt(detail, replay)
  const beside =
    session === null || seen === undefined ? null : (
      <Beside session={session} detail={seen} onMoreAgents={onMoreAgents} />
    )
  return (
    <SessionProvider value={context}>
      <OpenProvider value={open}>
        <SessionHead
          id={id}
          session={session}
          worker={detail?.worker ?? null}
          path={path}
          actions={
            <SessionActions
              session={session}
              address={detail?.address ?? id}
              worker={detail?.worker ?? null}
              place={here}
              verbs={verbs}
              onMove={onMove}
            />
          }
        />
        <ErrorLine error={failure} />
        {find === null ? null : (
          <FindBar text={find.trim()} isArriving={at !== null && find !== EMPTY_FIND} onMove={onMove} />
        )}
        {session === null || agent !== null || replay !== null ? null : (
          <OutcomeBand session={session} onError={() => step.go('error', 1, at)} onMove={onMove} />
        )}
        <ViewTabs view={view} detail={seen} onMove={onMove} />
        <div className="flex min-h-0 flex-1">
          <section aria-label="Conversation and timeline" className="relative flex min-w-0 flex-1 flex-col">
            {view === 'changes' ? (
              <ChangesView id={id} folder={session?.cwd ?? null} address={detail?.address ?? id} until={until} />
            ) : null}
            {view === 'timeline' && session !== null ? <Timeline session={session} onMove={onMove} /> : null}
            {view === 'beside' ? <div className="scrolls min-h-0 flex-1 lg:hidden">{beside}</div> : null}
            <div
              className={`min-h-0 flex-1 flex-col ${view === 'conversation' ? 'flex' : view === 'beside' ? 'hidden lg:flex' : 'hidden'}`}
            >
              <Conversation
                key={`${agent ?? 'main'} ${until === undefined ? '' : 'replay'}`}
                lane={lane}
                place={here}
                isAsking={isAsking}
                isCertain={detail !== undefined}
                visit={visit}
                onStep={step.go}
                onMove={onMove}
              />
              {session === null || !isMain ? null : (
                <>
                  <LiveOutput id={id} isOn={isLive || detail?.worker?.isLive === true} />
                  <LiveDock session={session} address={detail?.address ?? id} worker={detail?.worker ?? null} />
                </>
              )}
            </div>
          </section>
          <aside
            aria-label="Beside the conversation"
            className="scrolls w-80 shrink-0 border-l border-line max-lg:hidden xl:w-88"
          >
            {beside}
          </aside>
        </div>
        {forkPoint === null ? null : <ForkDialog id={id} at={forkPoint} onClose={() => setForkPoint(null)} />}
        {replay === null ? null : (
          <ReplayBar replay={replay} moment={replay.moment} what="session" onClose={() => onMove({ t: null })} />
        )}
      </OpenProvider>
    </SessionProvider>
  )
}

/** Whether the shown agent may still be running. @param agent  undefined = the main thread */
function isAtWork(session: KnownSession, agent: Subagent | undefined): boolean {
  if (session.status === 'ended' || session.status === 'lost') return false
  const { status } = agent ?? session
  return status === 'running' || status === 'waiting' || status === 'stuck'
}

function isOverDays({ startedAt, lastEventAt }: KnownSession): boolean {
  if (startedAt === null || lastEventAt === null) return false
  return new Date(startedAt).toDateString() !== new Date(lastEventAt).toDateString()
}

/** From the outermost sub-agent to this one; empty for the main thread. Stops where a parent is unknown. */
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

/** The call that launched a sub-agent, and the agent that made it; the sub-agent's own lines if no launch is recorded. */
async function findLaunch(detail: SessionDetail, of: SubagentId): Promise<Pick<SessionPlace, 'at' | 'agent'>> {
  const listed = [...detail.subagents, ...detail.backgroundTasks].find(({ id }) => id === of)
  const sessionId = detail.session?.id
  const agent =
    listed ?? (sessionId === undefined ? undefined : (await client.subagents.get(of, { sessionId })).subagent)
  if (agent === undefined || agent.toolUseId === null) return { agent: of, at: null }
  const { call } = await client.toolUses.get(agent.toolUseId, { sessionId: agent.sessionId })
  return call === null ? { agent: of, at: null } : { agent: call.subagentId, at: call.id }
}

/**
 * Finds the agent of an event if the address names only the event, as links from elsewhere do.
 *
 * @param known  events that the page knows to be in the main thread
 * @returns whether the agent is still unknown
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
    queryFn: ({ signal }) => client.sessions.event(id, at ?? '', {}, { signal }),
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
