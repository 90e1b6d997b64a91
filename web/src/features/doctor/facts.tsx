import type { ReactNode } from 'react'
import type { Doctor } from '#api/contract/wire'
import { AgentText } from '../../components/ui/agent-text'
import { IdChip } from '../../components/ui/id-chip'
import { Facts, Panel } from '../../components/ui/panel'
import { When } from '../../components/ui/when'
import { bytesInWords, counted } from '../../lib/format'

/** Versions, collector and storage. */
export function DoctorFacts({ doctor }: { doctor: Doctor }) {
  const { storage, collector, agentVersions, knownKinds } = doctor
  const rows = Object.entries(storage.rows)
  const versions = agentVersions.map(({ agent, version }) => (version === null ? agent : `${agent} ${version}`))
  return (
    <div className="grid items-start gap-3 lg:grid-cols-2">
      <Panel title="Versions" id="versions">
        <Facts
          rows={[
            ['Lodeline', `${doctor.version}, ${doctor.runtime}`],
            [
              'Agent CLIs seen',
              versions.length === 0 ? (
                <Quiet key="none">none yet</Quiet>
              ) : (
                <AgentText key="v" text={versions.join(', ')} />
              ),
            ],
            ['Records', `${counted(knownKinds, 'kind')} known, ${doctor.unknownKinds.length} unknown`],
          ]}
        />
      </Panel>
      <Panel title="Collector" id="collector">
        {collector === null ? (
          <p className="px-3 py-2.5 text-sm text-ink-2">This server has no collector.</p>
        ) : (
          <Facts
            rows={[
              ['State', collector.isRunning ? 'running' : 'stopped'],
              [
                'Folders',
                collector.roots.length === 0 ? (
                  <Quiet key="none">none</Quiet>
                ) : (
                  <details key="roots">
                    <summary className="cursor-pointer">{counted(collector.roots.length, 'folder')}</summary>
                    <ul>
                      {collector.roots.map((root) => (
                        <li key={root}>
                          <AgentText text={root} className="font-mono text-xs break-all" />
                        </li>
                      ))}
                    </ul>
                  </details>
                ),
              ],
              ['Files', `${counted(collector.files, 'file')}, ${collector.filesBehind} behind`],
              ['Last scan', <When key="scan" at={collector.lastScanAt} />],
            ]}
          />
        )}
      </Panel>
      <div className="lg:col-span-2">
        <Panel title="Storage" id="storage">
          <Facts
            rows={[
              [
                'Database',
                <span key="db">
                  {storage.kind} <IdChip id={storage.location} />
                </span>,
              ],
              ['Size', storage.bytes === null ? <Quiet key="size">unknown</Quiet> : bytesInWords(storage.bytes)],
              ['Schema', storage.schemaVersion],
              [
                'Settings',
                Object.entries(storage.settings)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(', ') || <Quiet key="settings">unknown</Quiet>,
              ],
            ]}
          />
          {rows.length === 0 ? null : (
            <details className="border-t border-line px-3 py-2 text-xs">
              <summary className="cursor-pointer text-ink-2">Rows of each table</summary>
              <dl aria-label="Rows" className="grid grid-cols-2 gap-x-6 pt-1.5 sm:grid-cols-3 lg:grid-cols-5">
                {rows.map(([name, count]) => (
                  <div key={name} className="flex justify-between gap-2 py-0.5">
                    <dt className="min-w-0 truncate text-ink-3">{name.replaceAll('_', ' ')}</dt>
                    <dd>{count.toLocaleString('en')}</dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </Panel>
      </div>
    </div>
  )
}

const Quiet = ({ children }: { children: ReactNode }) => <span className="text-ink-3">{children}</span>
