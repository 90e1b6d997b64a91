import { memo, useMemo, useRef } from 'react'
import { type Language, languageOfFile } from '../../../lib/code/languages'
import { useColours } from '../../../lib/code/use-colours'
import { useSeen } from '../../../lib/use-seen'
import { visibleText } from '../../../lib/visible-text'
import type { PatchLine } from '../rows/session-texts'
import { type PatchPair, patchPairs } from './patch-pairs'
import { type OnComment, PairRow, PatchRow } from './patch-rows'
import { patchSides, rowOfLine } from './patch-sides'

/** Rows that are laid out and coloured together once they are in view. */
const CHUNK_ROWS = 100
/** The height of an unbroken line, in rem: it gives a chunk's height until it is laid out. */
const ROW_HEIGHT = 1.125

interface PatchTableProps {
  path: string
  lines: readonly (PatchLine | null)[]
  /** Lines that are shown. */
  most: number
  isSplit: boolean
  onComment: OnComment
}

/** The lines of a patch in the colours of their language. */
export function PatchTable({ path, lines, most, isSplit, onComment }: PatchTableProps) {
  const rows = useMemo(() => (isSplit ? patchPairs(lines) : lines.map(rowOfLine)), [isSplit, lines])
  const language = useMemo(() => languageOfFile(path), [path])
  const count = Math.min(most, rows.length)
  return (
    <div role="table" aria-label={`Changes in ${visibleText(path)}`} className="font-mono text-xs">
      {Array.from({ length: Math.ceil(count / CHUNK_ROWS) }, (_, at) => (
        <PatchChunk
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a chunk is
          key={at}
          rows={rows}
          from={at * CHUNK_ROWS}
          to={Math.min((at + 1) * CHUNK_ROWS, count)}
          isSplit={isSplit}
          language={language}
          onComment={onComment}
        />
      ))}
    </div>
  )
}

interface PatchChunkProps {
  rows: readonly (PatchPair | null)[]
  from: number
  to: number
  isSplit: boolean
  language: Language | null
  onComment: OnComment
}

const PatchChunk = memo(function PatchChunk({ rows, from, to, isSplit, language, onComment }: PatchChunkProps) {
  const chunk = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(chunk)
  const { blocks, places } = useMemo(() => patchSides(isSeen ? rows : [], from, to), [isSeen, rows, from, to])
  const coloursAt = useColours(language, blocks, isSeen)
  const runsOf = (line: PatchLine | null | undefined) => {
    const place = line ? places.get(line) : undefined
    return place && coloursAt(...place)
  }
  return (
    <div
      ref={chunk}
      role="rowgroup"
      className="[content-visibility:auto]"
      style={{ containIntrinsicSize: `auto ${(to - from) * ROW_HEIGHT}rem` }}
    >
      {rows.slice(from, to).map((row, index) => {
        const line = row && (row.right ?? row.left)
        return isSplit ? (
          <PairRow
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move
            key={index}
            pair={row}
            left={runsOf(row?.left)}
            right={runsOf(row?.right)}
            onComment={onComment}
          />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <PatchRow key={index} line={line} runs={runsOf(line)} onComment={onComment} />
        )
      })}
    </div>
  )
})
