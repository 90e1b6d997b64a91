import { Link } from '../../components/link'
import { type Column, PlainTable } from '../../components/plain-table'
import { AgentLine } from '../../components/ui/agent-text'
import { Empty } from '../../components/ui/empty'
import { CommandLine } from '../../components/ui/id-chip'
import { Panel } from '../../components/ui/panel'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { visibleText } from '../../lib/visible-text'
import { taskListPath } from '../task/list/task-list-search'
import { type FleetAgent, machineInWords } from './fleet-words'
import { Unknown } from './leases'

const COLUMNS: readonly Column[] = [
  { name: 'Status', className: 'w-24' },
  { name: 'Name' },
  { name: 'Host', from: 'rows', className: 'w-28' },
  { name: 'Load', isNumber: true, className: 'w-14' },
  { name: 'Capabilities', from: 'xl', className: 'w-[18%]' },
  { name: 'Model', from: 'xl', className: 'w-32' },
  { name: 'Version', from: 'xl', className: 'w-20' },
  { name: 'Last seen', isNumber: true, className: 'w-24' },
]

/** Rows shown at most. `lode agent list` has the others. */
const MAX_ROWS = 200

/** Workers, specialists and leads; those online first. */
export function Agents({ agents, now }: { agents: readonly FleetAgent[]; now: string }) {
  const rank = ({ status, isSpecialist }: FleetAgent) => (status === 'online' ? 0 : isSpecialist ? 1 : 2)
  const sorted = [...agents].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  return (
    <Panel title="Workers, specialists and leads" id="agents" count={agents.length}>
      {agents.length === 0 ? (
        <Empty title="No worker has connected yet.">
          <p>Lodeline runs its own worker while it is up. Start another one, on this host or for a remote server:</p>
          <CommandLine command="lode work --name second" />
        </Empty>
      ) : (
        <PlainTable
          label="Workers, specialists and leads"
          columns={COLUMNS}
          testId="agent-row"
          rows={sorted.slice(0, MAX_ROWS).map((agent) => ({
            key: agent.id,
            cells: [
              <Presence key="status" agent={agent} />,
              <Name key="name" agent={agent} now={now} />,
              agent.host === null ? <Unknown key="host" /> : <AgentLine key="host" text={agent.host} />,
              <span key="load" title={`${agent.running} of ${agent.concurrency} slots in use`}>
                {agent.running} / {agent.concurrency}
              </span>,
              agent.capabilities.length === 0 && agent.machine === null ? (
                <span key="capabilities" className="text-ink-3">
                  none
                </span>
              ) : (
                <Abilities key="capabilities" agent={agent} />
              ),
              agent.model === null ? (
                <span key="model" className="text-ink-3">
                  default
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
      {agents.length > MAX_ROWS ? (
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2 text-xs text-ink-3">
          {agents.length - MAX_ROWS} more <CommandLine command="lode agent list" />
        </div>
      ) : null}
    </Panel>
  )
}

/** Its words, then what was found of its machine. */
function Abilities({ agent: { capabilities, machine, clis } }: { agent: FleetAgent }) {
  const repositories = machine?.repositories ?? []
  return (
    <span className="flex min-w-0 flex-col">
      {capabilities.length === 0 ? null : <AgentLine text={capabilities.join(', ')} />}
      {machine === null ? null : (
        <span className="text-xs text-ink-3" title={visibleText([...machineTitle(clis), ...repositories].join('\n'))}>
          <AgentLine text={machineInWords(machine)} />
        </span>
      )}
    </span>
  )
}

const machineTitle = (clis: FleetAgent['clis']): string[] =>
  (clis ?? []).map(({ name, version }) => `${name} ${version}`)

/** Whether it is online. A specialist need not be: any worker runs its tasks. */
function Presence({ agent }: { agent: FleetAgent }) {
  if (agent.isSpecialist && agent.status === 'offline')
    return (
      <span className="text-xs text-ink-2" title="Any worker can run its tasks, with its instructions.">
        specialist
      </span>
    )
  if (agent.drainingSince !== null && agent.status === 'online')
    return (
      <span className="text-xs font-medium text-need" title="It takes no new tasks; what it runs goes on.">
        draining
      </span>
    )
  if (agent.restartAskedAt !== null && agent.status === 'online')
    return (
      <span
        className="text-xs font-medium text-ink-2"
        title={`It runs ${agent.version ?? 'a former program'}, takes tasks, and restarts when nothing runs there.`}
      >
        restart due
      </span>
    )
  const evidence = agent.status === 'online' ? 'heard from within a lease' : 'not heard from for longer than a lease'
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
        {kind === 'lead' ? <span className="text-xs text-ink-3">lead</span> : null}
        {isLimited ? (
          <span className="shrink-0 text-xs font-medium text-need">
            usage limit, resets <When at={limitedUntil} />
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
