import { memo } from 'react'
import { CodeLine } from '../../../components/ui/code-line'
import type { Runs } from '../../../lib/code/colour-kinds'
import { visibleText } from '../../../lib/visible-text'
import type { PatchLine } from '../rows/session-texts'
import type { PatchPair } from './patch-pairs'

/** Looks and names of lines by sign. */
const SIGN_TONES = { '+': 'tint-done', '-': 'tint-fail', ' ': '' } as const
const SIGN_NAMES = { '+': 'added', '-': 'removed', ' ': '' } as const

/** The person has something to say about a line. */
export type OnComment = ((line: PatchLine) => void) | undefined

const Gap = () => <div className="border-y border-line bg-sunken px-2 text-ink-3 select-none">⋯</div>

interface PatchRowProps {
  line: PatchLine | null
  runs: Runs | undefined
  onComment: OnComment
}

/** A line of a patch in one column. */
export const PatchRow = memo(function PatchRow({ line, runs, onComment }: PatchRowProps) {
  if (line === null) return <Gap />
  return (
    <div role="row" className={`flex ${SIGN_TONES[line.sign]}`}>
      <LineNumber number={line.old} line={line} onComment={line.sign === '-' ? onComment : undefined} />
      <LineNumber number={line.new} line={line} onComment={line.sign === '-' ? undefined : onComment} />
      <Text line={line} runs={runs} />
    </div>
  )
})

interface PairRowProps {
  pair: PatchPair | null
  left: Runs | undefined
  right: Runs | undefined
  onComment: OnComment
}

/** What was there beside what is there now. */
export const PairRow = memo(function PairRow({ pair, left, right, onComment }: PairRowProps) {
  if (pair === null) return <Gap />
  const runs = { left, right }
  return (
    <div role="row" className="grid grid-cols-2">
      {(['left', 'right'] as const).map((side) => {
        const line = pair[side]
        return (
          <div
            key={side}
            role="presentation"
            className={`flex min-w-0 ${side === 'right' ? 'border-l border-line' : ''} ${line === null ? 'bg-sunken' : SIGN_TONES[line.sign]}`}
          >
            {line === null ? (
              <span role="cell" />
            ) : (
              <>
                <LineNumber number={side === 'left' ? line.old : line.new} line={line} onComment={onComment} />
                <Text line={line} runs={runs[side]} />
              </>
            )}
          </div>
        )
      })}
    </div>
  )
})

function Text({ line: { sign, text }, runs }: { line: PatchLine; runs: Runs | undefined }) {
  return (
    <>
      <span role="cell" className="w-4 shrink-0 text-center text-ink-2 select-none">
        <span aria-hidden>{sign === '-' ? '−' : sign}</span>
        <span className="sr-only">{SIGN_NAMES[sign]}</span>
      </span>
      <span role="cell" dir="ltr" className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <CodeLine text={visibleText(text)} runs={runs} />
      </span>
    </>
  )
}

interface LineNumberProps {
  number: number | null
  line: PatchLine
  onComment: OnComment
}

/** With a mouse a press comments on the line; by keys the button of the file does, so that lines are no stops of Tab. */
function LineNumber({ number, line, onComment }: LineNumberProps) {
  const comment = onComment === undefined || number === null ? undefined : () => onComment(line)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a shortcut for pointers
    <span
      role="cell"
      title={comment && `Comment on line ${number}`}
      onClick={comment}
      className={`w-9 shrink-0 pr-1 text-right text-ink-3 select-none max-md:w-7 ${comment ? 'cursor-pointer hover:text-accent' : ''}`}
    >
      {number}
    </span>
  )
}
