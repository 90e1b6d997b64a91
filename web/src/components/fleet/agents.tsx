import type { FleetAgent } from '../../lib/fleet-words'
import { taskListPath } from '../../lib/task-list-search'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { type Column, PlainTable } from '../plain-table'
import { AgentLine } from '../ui/agent-text'
import { Empty } from '../ui/empty'
import { CommandLine } from '../ui/id-chip'
import { Panel } from '../ui/panel'
import { Status } from '../ui/status'
import { When } from '../ui/when'
import { Unknown } from './leases'

const COLUMNS: readonly Column[] = [
  { name: 'Status', className: 'w-24' },
  { name: 'Name' },
  { name: 'Machine', from: 'rows', className: 'w-28' },
  { name: 'Load', isNumber: true, className: 'w-14' },
  { name: 'Capabilities', from: 'xl', className: 'w-[18%]' },
  { name: 'Model', from: 'xl', className: 'w-32' },
  { name: 'Version', from: 'xl', className: 'w-20' },
  { name: 'Last heard of', isNumber: true, className: 'w-24' },
]

/** More are in the CLI's list. */
const MOST = 200

/** Who takes tasks and directs them: the present ones first. */
export function Agents({ agents, now }: { agents: readonly FleetAgent[]; now: string }) {
  const rank = ({ status, isSpecialist }: FleetAgent) => (status === 'online' ? 0 : isSpecialist ? 1 : 2)
  const sorted = [...agents].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  return (
    <Panel title="Agents" id="agents" count={agents.length}>
      {agents.length === 0 ? (
        <Empty title="No agent has come yet.">
          <p>
            Lodeline has a worker of its own while it is up. Another one, here or for a server elsewhere, is started by
          </p>
          <CommandLine command="lode work --name second" />
        </Empty>
      ) : (
        <PlainTable
          label="Agents"
          columns={COLUMNS}
          testId="agent-row"
          rows={sorted.slice(0, MOST).map((agent) => ({
            key: agent.id,
            cells: [
              <Presence key="status" agent={agent} />,
              <Name key="name" agent={agent} now={now} />,
              agent.host === null ? <Unknown key="host" /> : <AgentLine key="host" text={agent.host} />,
              <span key="load" title={`${agent.running} at work of at most ${agent.concurrency}`}>
                {agent.running} / {agent.concurrency}
              </span>,
              agent.capabilities.length === 0 ? (
                <span key="capabilities" className="text-ink-3">
                  none named
                </span>
              ) : (
                <AgentLine key="capabilities" text={agent.capabilities.join(', ')} />
              ),
              agent.model === null ? (
                <span key="model" className="text-ink-3">
                  its own
                </span>
              ) : (
                <AgentLine key="model" text={agent.model} />
              ),
              agent.version === null ? <Unknown key="version" /> : <AgentLine key="version" text={agent.version} />,
              agent.lastSeenAt === null ? (
                <span key="seen" className="text-ink-3">
                  never
                </span>
              ) : (
                <When key="seen" at={agent.lastSeenAt} className="text-xs text-ink-3" />
              ),
            ],
          }))}
        />
      )}
      {agents.length > MOST ? (
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2 text-xs text-ink-3">
          and {agents.length - MOST} more <CommandLine command="lode agent list" />
        </div>
      ) : null}
    </Panel>
  )
}

/** Whether it is there. A specialist need not be: any worker runs what it is given. */
function Presence({ agent }: { agent: FleetAgent }) {
  if (agent.isSpecialist && agent.status === 'offline')
    return (
      <span className="text-xs text-ink-2" title="Any worker runs what it is given, with its instructions">
        specialist
      </span>
    )
  const evidence = agent.status === 'online' ? 'heard of within a lease' : 'not heard of for longer than a lease'
  return <Status status={agent.status} evidence={evidence} />
}

function Name({ agent, now }: { agent: FleetAgent; now: string }) {
  const { name, kind, limitedUntil, description, id } = agent
  const isLimited = limitedUntil !== null && Date.parse(limitedUntil) > Date.parse(now)
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex min-w-0 items-baseline gap-2">
        <Link to={taskListPath({ agent: id })} className="min-w-0" title={`Tasks of ${visibleText(name)}`}>
          <AgentLine text={name} />
        </Link>
        {kind === 'lead' ? <span className="text-xs text-ink-3">leads</span> : null}
        {isLimited ? (
          <span className="shrink-0 text-xs font-medium text-need">
            limited, on <When at={limitedUntil} />
          </span>
        ) : null}
      </span>
      {description === null ? null : (
        <span className="text-xs text-ink-3">
          <AgentLine text={description} />
        </span>
      )}
    </span>
  )
}
