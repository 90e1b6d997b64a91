import { MessageSquarePlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button, IconButton } from '../../../components/ui/button'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { type PatchLine, patchLines } from '../rows/session-texts'
import { PatchTable } from './patch-table'

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

/** Lines shown at first, and with each press more: a page that lays out a whole file of 50,000 lines answers nobody meanwhile. */
const FIRST_LINES = 400
const MORE_LINES = 1_000

/** The changes of a file: lines with their old and new numbers and a sign, in the colours of its language. */
export function Patch({ path, hunks, isSplit = false, onComment }: PatchProps) {
  const [most, setMost] = useState(FIRST_LINES)
  const lines = useMemo(
    () => hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [null]), ...patchLines(hunk)]),
    [hunks],
  )
  const added = lines.filter((line) => line?.sign === '+').length
  const removed = lines.filter((line) => line?.sign === '-').length
  const changed = lines.find((line) => line !== null && line.sign !== ' ')
  const left = lines.length - most
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
      <PatchTable path={path} lines={lines} most={most} isSplit={isSplit} onComment={onComment} />
      {left > 0 ? (
        <Button look="quiet" onClick={() => setMost(most + MORE_LINES)}>
          {left > MORE_LINES
            ? `${MORE_LINES.toLocaleString('en')} of ${left.toLocaleString('en')} more lines`
            : counted(left, 'more line')}
        </Button>
      ) : null}
    </figure>
  )
}
