import { MessageSquarePlus } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../components/ui/button'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { type PatchPair, patchPairs } from './patch-pairs'
import { type PatchLine, patchLines } from './session-texts'

/** A part of a patch. `lines` start with `+`, `-` or a space. */
export interface Hunk {
  oldStart: number
  newStart: number
  lines: readonly string[]
}

interface PatchProps {
  path: string
  hunks: readonly Hunk[]
  /** Shows what was there beside what is there now. */
  isSplit?: boolean
  /** The person has something to say about a line. A press of a line's number does it, too. */
  onComment?: (line: PatchLine) => void
}

/** Lines shown at first. */
const FIRST_LINES = 400

/** The changes of a file: lines with their old and new numbers and a sign. */
export function Patch({ path, hunks, isSplit = false, onComment }: PatchProps) {
  const [isWhole, setWhole] = useState(false)
  const lines = hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [null]), ...patchLines(hunk)])
  const added = lines.filter((line) => line?.sign === '+').length
  const removed = lines.filter((line) => line?.sign === '-').length
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES)
  const changed = lines.find((line) => line !== null && line.sign !== ' ')
  return (
    <figure className="my-1 overflow-hidden rounded border border-line">
      <figcaption className="flex items-baseline gap-2 border-b border-line bg-sunken px-2 py-0.5 text-xs">
        <span className="truncate font-mono">{visibleText(path)}</span>
        <span className="ml-auto whitespace-nowrap text-done">
          +{added}
          <span className="sr-only"> lines added</span>
        </span>
        <span className="whitespace-nowrap text-fail">
          −{removed}
          <span className="sr-only"> lines removed</span>
        </span>
        {onComment === undefined || !changed ? null : (
          <IconButton
            act="messages.send"
            label={`Comment on ${visibleText(path)}`}
            onClick={() => onComment(changed)}
            className="size-5! self-center max-md:size-8!"
          >
            <MessageSquarePlus aria-hidden size={13} />
          </IconButton>
        )}
      </figcaption>
      <div role="table" aria-label={`Changes in ${visibleText(path)}`} className="font-mono text-xs">
        {isSplit
          ? patchPairs(shown).map((pair, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
              <PairRow key={index} pair={pair} onComment={onComment} />
            ))
          : shown.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
              <PatchRow key={index} line={line} onComment={onComment} />
            ))}
      </div>
      {shown.length < lines.length ? (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {counted(lines.length - shown.length, 'more line')}
        </Button>
      ) : null}
    </figure>
  )
}

/** Looks and names of lines by sign. */
const SIGN_TONES = { '+': 'tint-done', '-': 'tint-fail', ' ': '' } as const
const SIGN_NAMES = { '+': 'added', '-': 'removed', ' ': '' } as const

type OnComment = PatchProps['onComment']

const Gap = () => <div className="border-y border-line bg-sunken px-2 text-ink-3 select-none">⋯</div>

function PatchRow({ line, onComment }: { line: PatchLine | null; onComment: OnComment }) {
  if (line === null) return <Gap />
  return (
    <div role="row" className={`flex ${SIGN_TONES[line.sign]}`}>
      <LineNumber number={line.old} line={line} onComment={line.sign === '-' ? onComment : undefined} />
      <LineNumber number={line.new} line={line} onComment={line.sign === '-' ? undefined : onComment} />
      <Text line={line} />
    </div>
  )
}

function PairRow({ pair, onComment }: { pair: PatchPair | null; onComment: OnComment }) {
  if (pair === null) return <Gap />
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
                <Text line={line} />
              </>
            )}
          </div>
        )
      })}
    </div>
  )
}

function Text({ line: { sign, text } }: { line: PatchLine }) {
  return (
    <>
      <span role="cell" className="w-4 shrink-0 text-center text-ink-2 select-none">
        <span aria-hidden>{sign === '-' ? '−' : sign}</span>
        <span className="sr-only">{SIGN_NAMES[sign]}</span>
      </span>
      <span role="cell" dir="ltr" className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {visibleText(text)}
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
