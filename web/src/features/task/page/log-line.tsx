import type { CSSProperties, Ref } from 'react'
import type { Attempt, TaskLogKind, TaskLogLine } from '#domain/task/task'
import { AgentText } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { exactTime } from '../../../lib/time'

/** Names and looks of kinds of lines. The CLI uses the same names. */
const KIND_LOOKS: Record<TaskLogKind, { name: string; tone: string; isCode: boolean }> = {
  move: { name: 'task', tone: 'text-accent', isCode: false },
  run: { name: 'run', tone: 'text-wait', isCode: false },
  text: { name: 'agent', tone: 'text-ink', isCode: false },
  tool: { name: 'tool', tone: 'text-run', isCode: true },
  tool_result: { name: 'result', tone: 'text-ink-3', isCode: true },
  result: { name: 'result', tone: 'text-done', isCode: false },
  stderr: { name: 'stderr', tone: 'text-fail', isCode: true },
}

/** Longer texts are folded: lines, and characters. */
const MAX_LINES = 4
const MAX_CHARACTERS = 360

interface RowProps {
  'data-index': number
  style: CSSProperties
  rowRef: Ref<HTMLDivElement>
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

function clockTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? '--:--:--' : CLOCK.format(time)
}

interface LogLineProps extends RowProps {
  line: TaskLogLine
  isOpen: boolean
  onToggle(): void
}

/** A line of the log. */
export function LogLine({ line, isOpen, onToggle, rowRef, ...place }: LogLineProps) {
  const { name, tone, isCode } = KIND_LOOKS[line.kind]
  const lines = line.text.split('\n')
  const isLong = lines.length > MAX_LINES || line.text.length > MAX_CHARACTERS
  const shown = isLong && !isOpen ? lines.slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS) : line.text
  return (
    <div
      ref={rowRef}
      {...place}
      tabIndex={-1}
      data-kind={line.kind}
      className={`grid grid-cols-[3.75rem_2.75rem_minmax(0,1fr)] gap-x-2 px-3 py-0.75 text-xs focus-visible:outline-offset-[-2px]`}
    >
      <time dateTime={line.at} title={exactTime(line.at)} className="font-mono text-2xs leading-4.5 text-ink-3">
        {clockTime(line.at)}
      </time>
      <span className={`text-2xs leading-4.5 ${tone}`}>{name}</span>
      <div
        className={`min-w-0 ${isCode ? 'font-mono text-2xs leading-4.5' : ''} ${line.kind === 'tool_result' ? 'text-ink-2' : ''}`}
      >
        <AgentText text={shown} />
        {isLong ? (
          <button
            type="button"
            tabIndex={-1}
            aria-expanded={isOpen}
            onClick={onToggle}
            className="ml-1 rounded-sm font-sans text-2xs text-accent underline underline-offset-2"
          >
            {isOpen
              ? 'Show less'
              : `Show all (${lines.length > 1 ? `${lines.length} lines` : `${line.text.length.toLocaleString('en')} characters`})`}
          </button>
        ) : null}
      </div>
    </div>
  )
}

interface LogSeparatorProps extends RowProps {
  number: number
  attempt: Attempt | undefined
}

/** The heading of another attempt. */
export function LogSeparator({ number, attempt, rowRef, ...place }: LogSeparatorProps) {
  const rung = attempt?.conversation?.rung
  return (
    <div ref={rowRef} {...place} tabIndex={-1} className={`flex items-center gap-2 px-3 pt-2 pb-1 text-xs`}>
      <h3 className="font-semibold">Attempt {number}</h3>
      {attempt === undefined ? null : <Status status={attempt.isLive ? 'running' : (attempt.outcome ?? 'ended')} />}
      {rung === undefined ? null : <span className="text-ink-3">{rung}</span>}
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  )
}
