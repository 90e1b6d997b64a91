import type { Fleet } from '../../lib/fleet-words'
import { type Column, PlainTable } from '../plain-table'
import { AgentLine } from '../ui/agent-text'
import { Empty } from '../ui/empty'
import { Panel } from '../ui/panel'
import { When } from '../ui/when'

const COLUMNS: readonly Column[] = [
  { name: 'Name' },
  { name: 'Installation', from: 'rows', className: 'w-[22%]' },
  { name: 'Agents', isNumber: true, className: 'w-16' },
  { name: 'Live sessions', isNumber: true, from: 'rows', className: 'w-24' },
  { name: 'Tasks at work', isNumber: true, from: 'rows', className: 'w-24' },
  { name: 'Last heard of', isNumber: true, className: 'w-28' },
]

/** Machines whose files are recorded, and those that agents run on. */
export function Hosts({ hosts }: { hosts: Fleet['hosts'] }) {
  return (
    <Panel title="Machines" id="hosts" count={hosts.length}>
      {hosts.length === 0 ? (
        <Empty title="No machine is known yet." />
      ) : (
        <PlainTable
          label="Machines"
          columns={COLUMNS}
          testId="host-row"
          rows={hosts.map((host) => ({
            key: host.name,
            cells: [
              <AgentLine key="name" text={host.hostname} />,
              host.name === host.hostname ? (
                <span key="id" className="text-ink-3">
                  not known
                </span>
              ) : (
                <AgentLine key="id" text={host.name} className="font-mono text-2xs text-ink-3" />
              ),
              host.agents,
              host.liveSessions,
              host.liveAttempts,
              <When key="seen" at={host.lastSeenAt} className="text-xs text-ink-3" />,
            ],
          }))}
        />
      )}
    </Panel>
  )
}
