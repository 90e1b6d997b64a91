import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Doctor } from '#api/contract/wire'
import { type Column, type PlainRow, PlainTable } from '../../components/plain-table'
import { AgentText } from '../../components/ui/agent-text'
import { Button } from '../../components/ui/button'
import { CommandLine } from '../../components/ui/id-chip'
import { Panel } from '../../components/ui/panel'
import { When } from '../../components/ui/when'
import { counted } from '../../lib/format'

/** A problem: what it means, what to do about it, and where it is. */
export interface Finding {
  id: string
  title: string
  means: string
  /** What the person can do about it. */
  advice: string
  command?: string
  columns: readonly Column[]
  rows: readonly PlainRow[]
}

const FILE_COLUMN: Column = { name: 'File', className: 'max-md:w-auto' }

/** All problems, those that lose most data first. Empty if everything is healthy. */
export function findingsOf(doctor: Doctor): Finding[] {
  const { collector, gaps, malformedLines, unknownKinds } = doctor
  const found: Finding[] = []
  if (collector === null || !collector.isRunning)
    found.push({
      id: 'collector',
      title: 'Nothing is collected',
      means: 'This server does not watch any folders on this host. Only what workers send is recorded.',
      advice: 'Start Lodeline with its collector. It catches up on everything that was written in the meantime.',
      command: 'lode up',
      columns: [],
      rows: [],
    })
  if (gaps.length > 0)
    found.push({
      id: 'gaps',
      title: counted(gaps.length, 'gap'),
      means: 'Some files or folders contain data that is not recorded. Agents may have done more than is shown.',
      advice:
        'Files that are only behind catch up automatically. If a file or folder cannot be read, give the user that runs Lodeline access to it. Lodeline then reads it within half a minute, or at once if you import it.',
      command: `lode import ${quoted(gaps.find(({ path }) => path !== '')?.path ?? '~/.claude')}`,
      columns: [
        { name: 'Reason', className: 'w-[40%]' },
        { ...FILE_COLUMN, name: 'File or folder' },
      ],
      rows: gaps.map(({ path, reason }, at) => ({
        key: `${at} ${path}`,
        cells: [<AgentText key="reason" text={reason} />, <Path key="path" path={path} />],
      })),
    })
  if (malformedLines.length > 0)
    found.push({
      id: 'malformed',
      title: `${counted(malformedLines.length, 'malformed line')}${malformedLines.length === 100 ? ' or more' : ''}`,
      means:
        'These lines are not valid JSON, or too long to parse. They are kept byte for byte, but their content is not shown.',
      advice:
        'Usually a process was killed while it wrote; then there is nothing to do. If new ones keep appearing, something else writes to the file.',
      columns: [
        { name: 'Reason', className: 'w-[35%]' },
        FILE_COLUMN,
        { name: 'Offset', isNumber: true, from: 'rows', className: 'w-24' },
        { name: 'Bytes', isNumber: true, from: 'rows', className: 'w-20' },
      ],
      rows: malformedLines.map(({ path, offset, length, reason }) => ({
        key: `${path} ${offset}`,
        cells: [
          <AgentText key="reason" text={reason} />,
          <Path key="path" path={path} />,
          offset.toLocaleString('en'),
          length.toLocaleString('en'),
        ],
      })),
    })
  if (unknownKinds.length > 0)
    found.push({
      id: 'unknown',
      title: counted(unknownKinds.length, 'unknown kind of record', 'unknown kinds of records'),
      means:
        'The agent CLI writes kinds of records that this version of Lodeline does not know, usually because the CLI is newer. They are kept unchanged and shown by name only.',
      advice: 'Update Lodeline: a newer version may know them. Then rebuild the record from what was kept.',
      command: 'lode rebuild',
      columns: [
        { name: 'Kind' },
        { name: 'In', from: 'rows', className: 'w-36' },
        { name: 'Version', className: 'w-24' },
        { name: 'Count', isNumber: true, className: 'w-20' },
        { name: 'Last seen', isNumber: true, from: 'rows', className: 'w-28' },
      ],
      rows: unknownKinds.map((kind) => ({
        key: `${kind.agent} ${kind.journalKind} ${kind.name}`,
        cells: [
          <AgentText key="name" text={kind.name} className="font-mono text-xs" />,
          kind.journalKind,
          kind.version ?? (
            <span key="version" className="text-ink-3">
              unknown
            </span>
          ),
          kind.count.toLocaleString('en'),
          <When key="seen" at={kind.lastSeenAt} className="text-xs text-ink-3" />,
        ],
      })),
    })
  return found
}

/** Quotes a path for a shell. */
const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`

const Path = ({ path }: { path: string }): ReactNode =>
  path === '' ? null : <AgentText text={path} className="font-mono text-2xs break-all" />

/** The overall verdict: healthy, or the number of problems. */
export function Verdict({ findings }: { findings: readonly Finding[] }) {
  const isHealthy = findings.length === 0
  const isKept = findings.every(({ id }) => id === 'malformed' || id === 'unknown')
  const Icon = isHealthy ? CircleCheck : TriangleAlert
  return (
    <p role="status" className={`flex items-center gap-2 text-sm font-medium ${isHealthy ? 'text-done' : 'text-need'}`}>
      <Icon aria-hidden size={16} className="shrink-0" />
      {isHealthy
        ? 'Healthy: all files are recorded completely, and all lines are understood.'
        : `${counted(findings.length, 'problem')} found.${isKept ? ' No data is lost: lines that are not understood are kept.' : ''}`}
    </p>
  )
}

/** Rows shown at first. */
const FIRST_ROWS = 20

/** A problem with its advice and the places where it was found. */
export function FindingPanel({ finding }: { finding: Finding }) {
  const { id, title, means, advice, command, columns, rows } = finding
  const [isWhole, setWhole] = useState(false)
  const left = rows.length - FIRST_ROWS
  return (
    <Panel title={title} id={`finding-${id}`}>
      <div data-testid="finding" data-finding={id} className="flex flex-col items-start gap-1 px-3 py-2.5 text-sm">
        <p className="max-w-prose">{means}</p>
        <p className="max-w-prose text-ink-2">{advice}</p>
        {command === undefined ? null : <CommandLine command={command} />}
      </div>
      {rows.length === 0 ? null : (
        <div className="border-t border-line">
          <PlainTable label={title} columns={columns} rows={isWhole ? rows : rows.slice(0, FIRST_ROWS)} />
        </div>
      )}
      {left > 0 && !isWhole ? (
        <div className="border-t border-line p-2">
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show {left.toLocaleString('en')} more
          </Button>
        </div>
      ) : null}
    </Panel>
  )
}
