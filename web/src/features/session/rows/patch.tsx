import { useState } from 'react'
import { Button } from '../../../components/ui/button'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { type PatchLine, patchLines } from './session-texts'

/** A part of a patch. `lines` start with `+`, `-` or a space. */
export interface Hunk {
  oldStart: number
  newStart: number
  lines: readonly string[]
}

/** Lines shown at first. */
const FIRST_LINES = 400

/** The changes of a file: lines with their old and new numbers and a sign. */
export function Patch({ path, hunks }: { path: string; hunks: readonly Hunk[] }) {
  const [isWhole, setWhole] = useState(false)
  const lines = hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [null]), ...patchLines(hunk)])
  const added = lines.filter((line) => line?.sign === '+').length
  const removed = lines.filter((line) => line?.sign === '-').length
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES)
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
      </figcaption>
      <div role="table" aria-label={`Changes in ${visibleText(path)}`} className="font-mono text-xs">
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
          <PatchRow key={index} line={line} />
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

function PatchRow({ line }: { line: PatchLine | null }) {
  if (line === null) return <div className="border-y border-line bg-sunken px-2 text-ink-3 select-none">⋯</div>
  const { sign, old, new: now, text } = line
  return (
    <div role="row" className={`flex ${SIGN_TONES[sign]}`}>
      <span role="cell" className="w-9 shrink-0 pr-1 text-right text-ink-3 select-none max-md:w-7">
        {old}
      </span>
      <span role="cell" className="w-9 shrink-0 pr-1 text-right text-ink-3 select-none max-md:w-7">
        {now}
      </span>
      <span role="cell" className="w-4 shrink-0 text-center text-ink-2 select-none">
        <span aria-hidden>{sign === '-' ? '−' : sign}</span>
        <span className="sr-only">{SIGN_NAMES[sign]}</span>
      </span>
      <span role="cell" dir="ltr" className="min-w-0 flex-1 whitespace-pre-wrap">
        {visibleText(text)}
      </span>
    </div>
  )
}
