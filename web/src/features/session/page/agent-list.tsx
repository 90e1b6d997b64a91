import { Bot, CheckCheck, Radio, SquareTerminal } from 'lucide-react'
import type { Subagent } from '#api/contract/wire'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button, IconButton } from '../../../components/ui/button'
import { Status } from '../../../components/ui/status'
import { Took, When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { hold } from '../../../lib/live/held-moves'
import { visibleText } from '../../../lib/visible-text'
import { useSession } from './session-context'
import { type KnownSession, useSessionWork } from './use-session-data'

const ICONS = { agent: Bot, shell: SquareTerminal, monitor: Radio } as const

interface AgentListProps {
  session: KnownSession
  /** Those that were asked for. */
  agents: readonly Subagent[]
  /** How many there are. */
  total: number
  onMore(): void
}

/** Sub-agents, background shells and monitors: running ones first, then those with unread results, which are all listed. */
export function AgentList({ session, agents: listed, total, onMore }: AgentListProps) {
  const work = useSessionWork(session.id).data?.work ?? []
  const unreadWork = work.flatMap(({ state, subagent }) => (state === 'unread' ? [subagent] : []))
  const unread = new Set(unreadWork.map(({ id }) => id))
  const known = new Set(listed.map(({ id }) => id))
  const agents = [...listed, ...(listed.length < total ? unreadWork.filter(({ id }) => !known.has(id)) : [])]
  const rank = (agent: Subagent) => (agent.status === 'running' ? 0 : unread.has(agent.id) ? 1 : 2)
  const newest = (agent: Subagent) => Date.parse(agent.startedAt ?? '') || 0
  const sorted = agents.toSorted((a, b) => rank(a) - rank(b) || newest(b) - newest(a))
  if (sorted.length === 0) return <p className="px-3 pb-1 text-xs text-ink-3">No sub-agents or background work.</p>
  return (
    <>
      <ul>
        {sorted.map((agent) => (
          <AgentItem key={`${agent.kind} ${agent.id}`} agent={agent} isUnread={unread.has(agent.id)} />
        ))}
      </ul>
      {sorted.length < total ? (
        <Button look="quiet" className="ml-1" onClick={onMore}>
          {sorted.length} of {total.toLocaleString('en')} shown. Show more
        </Button>
      ) : null}
    </>
  )
}

function AgentItem({ agent, isUnread }: { agent: Subagent; isUnread: boolean }) {
  const { id, toLaunch } = useSession()
  // The bar around the page shows the outcome, because there is no room here.
  const markRead = () =>
    hold({
      key: `read ${agent.id}`,
      said: 'Marked as read',
      about: agent.description ?? agent.type ?? agent.id,
      send: () => client.subagents.markRead(agent.id, { sessionId: id }),
    })
  const Icon = ICONS[agent.kind]
  return (
    <li className="group relative flex items-center hover:bg-hover">
      <button
        type="button"
        onClick={() => toLaunch(agent.id)}
        title={`${visibleText(agent.type ?? agent.kind)}: go to the call that launched it`}
        className="flex min-h-7 min-w-0 flex-1 items-center gap-2 py-1 pr-3 pl-3 text-left text-xs max-md:min-h-9"
      >
        <Icon aria-hidden size={13} className="shrink-0 text-ink-3" />
        <AgentLine
          text={agent.description ?? agent.type ?? agent.id}
          className={`min-w-0 flex-1 ${isUnread ? 'font-semibold' : ''}`}
        />
        <span className="shrink-0 text-ink-3">
          {agent.status === 'running' ? <Took from={agent.startedAt} to={null} /> : <When at={agent.endedAt} />}
        </span>
        {isUnread ? <Status status="unread" evidence="its result was not read" isSmall /> : null}
        <Status status={agent.status} evidence={agent.statusEvidence} isSmall />
      </button>
      {isUnread ? (
        <IconButton act="subagents.markRead" label="Mark as read" onClick={markRead}>
          <CheckCheck aria-hidden size={13} />
        </IconButton>
      ) : null}
    </li>
  )
}
