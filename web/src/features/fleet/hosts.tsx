import { type Column, PlainTable } from '../../components/plain-table'
import { AgentLine } from '../../components/ui/agent-text'
import { Empty } from '../../components/ui/empty'
import { Panel } from '../../components/ui/panel'
import { When } from '../../components/ui/when'
import type { Fleet } from './fleet-words'

const COLUMNS: readonly Column[] = [
  { name: 'Name' },
  { name: 'Host ID', from: 'rows', className: 'w-[22%]' },
  { name: 'Workers', isNumber: true, className: 'w-16' },
  { name: 'Live sessions', isNumber: true, from: 'rows', className: 'w-24' },
  { name: 'Running tasks', isNumber: true, from: 'rows', className: 'w-24' },
  { name: 'Last seen', isNumber: true, className: 'w-28' },
]

/** Hosts whose files are recorded or on which workers run. */
export function Hosts({ hosts }: { hosts: Fleet['hosts'] }) {
  return (
    <Panel title="Hosts" id="hosts" count={hosts.length}>
      {hosts.length === 0 ? (
        <Empty title="No hosts are known yet." />
      ) : (
        <PlainTable
          label="Hosts"
          columns={COLUMNS}
          testId="host-row"
          rows={hosts.map((host) => ({
            key: host.name,
            cells: [
              <AgentLine key="name" text={host.hostname} />,
              host.name === host.hostname ? (
                <span key="id" className="text-ink-3">
                  unknown
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
