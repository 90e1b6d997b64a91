import { Bell, Bot, CircleAlert, FileText, User } from 'lucide-react'
import { memo } from 'react'
import type { EventId } from '#domain/ids'
import { AnswerRow } from './answer-row'
import { CallRow } from './call-row'
import { CallsRun } from './calls-run'
import { FoldedRow } from './folded-row'
import { LongText } from './long-text'
import { CompactionLine } from './mark-line'
import { runWords } from './quiet-calls'
import { QuietRow } from './quiet-row'
import { RowFrame } from './row-frame'
import { RowGuard } from './row-guard'
import { callLine } from './session-calls'
import { type Row, type RowBook, SHOWN_LINES } from './session-rows'

interface RowBodyProps {
  row: Row
  /** Whether it is a result directly below its call. */
  isJoined: boolean
  /** Number of rows that are folded into this one; 0 = only itself. */
  runLength: number
  /** What the calls that are folded into this one did; '' = none are. */
  calls: string
  /** When the last of them was answered. */
  callsUntil: string | null
  /** Event with the result of the call, if it is loaded. */
  answer: EventId | null
  /** Description of the call of a result, if the call is further up. */
  about: string
}

/** One line of a conversation, by its kind. */
const RowBody = memo(function RowBody({ row, isJoined, runLength, calls, callsUntil, answer, about }: RowBodyProps) {
  const { at, inherited } = row.event
  switch (row.kind) {
    case 'prompt':
      return (
        <div className="pt-2 pb-0.5">
          <RowFrame
            name={inherited ? 'Prompt, inherited from the parent session' : 'Prompt'}
            icon={User}
            tone="text-accent"
            at={at}
            className="border-l-2 border-accent py-2 tint-accent"
          >
            <LongText row={row} />
          </RowFrame>
        </div>
      )
    case 'text':
      return (
        <RowFrame name="Agent" icon={Bot} at={at}>
          <LongText row={row} isMarkdown />
        </RowFrame>
      )
    case 'thinking':
      return <FoldedRow row={row} name="Thinking" />
    case 'tool':
      return (
        <CallsRun row={row} words={calls} until={callsUntil}>
          <CallRow row={row} answer={answer} renderRow={renderRow} />
        </CallsRun>
      )
    case 'answer':
      return <AnswerRow row={row} isJoined={isJoined} about={about} />
    case 'summary':
      return (
        <RowFrame name="Summary of the compacted part" icon={FileText} at={at}>
          <p className="pb-0.5 text-xs font-medium text-ink-2">Summary of the compacted part</p>
          <div className="text-ink-2">
            <LongText row={row} isMarkdown lines={SHOWN_LINES / 2} />
          </div>
        </RowFrame>
      )
    case 'error':
      return (
        <RowFrame name="Error" icon={CircleAlert} tone="text-fail" at={at} className="tint-fail">
          <p className="text-xs font-medium text-fail">Error from the model’s API</p>
          <LongText row={row} />
        </RowFrame>
      )
    case 'notice':
      return <FoldedRow row={row} name="CLI notice" icon={Bell} />
    case 'system':
    case 'attachment':
      return <QuietRow row={row} runLength={runLength} />
    default:
      return <CompactionLine event={row.event.id} at={at} />
  }
})

/** Renders a row with what it needs from the others. */
export function renderRow(row: Row, book: RowBook) {
  const isJoined = book.joined.has(row.number)
  const call = row.kind === 'answer' && !isJoined && row.call !== null ? book.calls.get(row.call.id) : undefined
  const runLength = book.runs.get(row.number) ?? 0
  const run =
    row.kind === 'tool' && runLength > 1
      ? Array.from({ length: runLength }, (_, at) => book.rows.get(row.number + at) ?? [])
          .flat()
          .filter(({ call }) => call !== null)
      : []
  return (
    <RowGuard key={row.event.id} command={`lode event show ${row.event.id} --session ${row.event.sessionId}`}>
      <RowBody
        row={row}
        isJoined={isJoined}
        runLength={runLength}
        calls={runWords(run)}
        callsUntil={run.at(-1)?.event.at ?? null}
        answer={row.kind === 'tool' && row.call !== null ? (book.answers.get(row.call.id) ?? null) : null}
        about={call === undefined ? '' : callLine(call.event.text, call.call?.name ?? null).about}
      />
    </RowGuard>
  )
}
