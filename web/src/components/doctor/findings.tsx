import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Doctor } from '../../../../src/api/contract/wire'
import { counted } from '../../lib/format'
import { type Column, type PlainRow, PlainTable } from '../plain-table'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { CommandLine } from '../ui/id-chip'
import { Panel } from '../ui/panel'
import { When } from '../ui/when'

/** Something that is odd: what it means, what can be done, and where. */
export interface Finding {
  id: string
  title: string
  means: string
  /** What a person does about it. */
  advice: string
  command?: string
  columns: readonly Column[]
  rows: readonly PlainRow[]
}

const FILE: Column = { name: 'File', className: 'max-md:w-auto' }

/** All that is odd, what loses most first; none is healthy. */
export function findingsOf(doctor: Doctor): Finding[] {
  const { collector, gaps, malformedLines, unknownKinds } = doctor
  const found: Finding[] = []
  if (collector === null || !collector.isRunning)
    found.push({
      id: 'collector',
      title: 'Nothing is collected',
      means:
        "This server follows no folders of this machine: what agents do here is recorded only where a run's worker sends it.",
      advice: 'Start Lodeline with its collector. What was written meanwhile is caught up on.',
      command: 'lode up',
      columns: [],
      rows: [],
    })
  if (gaps.length > 0)
    found.push({
      id: 'gaps',
      title: counted(gaps.length, 'gap'),
      means: 'Files or folders hold what the record does not have. Their agents may have done more than is shown.',
      advice:
        'What is only behind is taken in by itself. A file or folder that cannot be read needs rights for the user that runs Lodeline; then it is read by itself within half a minute, or at once by importing it.',
      command: `lode import ${quoted(gaps.find(({ path }) => path !== '')?.path ?? '~/.claude')}`,
      columns: [
        { name: 'Reason', className: 'w-[40%]' },
        { ...FILE, name: 'File or folder' },
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
        'Lines that are no JSON, or too long to read. They are kept byte for byte; only what they say is not shown.',
      advice:
        'Mostly a process was killed while it wrote: then there is nothing to do. Where they keep coming, something else writes to the file.',
      columns: [
        { name: 'Reason', className: 'w-[35%]' },
        FILE,
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
        "The agent's CLI writes records that this version of Lodeline does not know, mostly as it is newer. They are kept as they are and shown by their name alone.",
      advice: 'A newer Lodeline may know them: after an update all is derived again from what was kept.',
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

/** For a shell, whatever stands in the path. */
const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`

const Path = ({ path }: { path: string }): ReactNode =>
  path === '' ? null : <AgentText text={path} className="font-mono text-2xs break-all" />

/** In a line: healthy, or how much is to be looked at. */
export function Verdict({ findings }: { findings: readonly Finding[] }) {
  const isHealthy = findings.length === 0
  const isKept = findings.every(({ id }) => id === 'malformed' || id === 'unknown')
  const Icon = isHealthy ? CircleCheck : TriangleAlert
  return (
    <p role="status" className={`flex items-center gap-2 text-sm font-medium ${isHealthy ? 'text-done' : 'text-need'}`}>
      <Icon aria-hidden size={16} className="shrink-0" />
      {isHealthy
        ? 'Healthy: every file is wholly recorded, and every line is understood.'
        : `${counted(findings.length, 'thing')} to look at.${isKept ? ' Nothing is lost: what is not understood is kept.' : ''}`}
    </p>
  )
}

/** More rows are shown when they are asked for. */
const FEW = 20

export function FindingPanel({ finding }: { finding: Finding }) {
  const { id, title, means, advice, command, columns, rows } = finding
  const [isWhole, setWhole] = useState(false)
  const left = rows.length - FEW
  return (
    <Panel title={title} id={`finding-${id}`}>
      <div data-testid="finding" data-finding={id} className="flex flex-col items-start gap-1 px-3 py-2.5 text-sm">
        <p className="max-w-prose">{means}</p>
        <p className="max-w-prose text-ink-2">{advice}</p>
        {command === undefined ? null : <CommandLine command={command} />}
      </div>
      {rows.length === 0 ? null : (
        <div className="border-t border-line">
          <PlainTable label={title} columns={columns} rows={isWhole ? rows : rows.slice(0, FEW)} />
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
