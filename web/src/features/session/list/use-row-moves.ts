import { useSession } from '../page/session-context'
import { nextShown, type RowBook } from '../rows/session-rows'
import type { OpenSet } from './session-open'
import type { Lane } from './session-pages'
import type { ListView } from './use-list'
import type { PromptJump } from './use-prompt-jump'
import type { RowCursor } from './use-row-cursor'
import { useRowKeys } from './use-row-keys'
import { useRowToggles } from './use-row-toggles'

interface RowMovesInput {
  lane: Lane
  view: ListView
  book: RowBook
  open: OpenSet
  cursor: RowCursor
  jump: PromptJump['jump']
  /** Goes to the next or previous failed call, counted from a row. */
  toError(by: 1 | -1, from: number): void
  toEnd(): void
}

/** Part of the viewport by which a tall row is scrolled before it is left. */
const TALL_ROW_SHARE = 0.7
/** A row that ends within this distance of the viewport's end counts as read to its end. Pixels. */
const ROW_END_SLOP_PX = 8

/** Binds the shortcuts of a conversation to its list. */
export function useRowMoves({ lane, view, book, open, cursor, jump, toError, toEnd }: RowMovesInput): void {
  const { list, isSeen } = view
  const { current } = cursor
  const { fork } = useSession()
  const toggles = useRowToggles(lane, open, book)
  const currentRow = current === null ? undefined : book.rows.get(current)
  /** The current row if it is visible; otherwise moves start at the edge of the viewport. */
  const start = () => {
    const { seen } = list
    return current !== null && current >= seen.first && current <= seen.last ? current : null
  }
  useRowKeys(
    {
      step: (by) => {
        const from = start()
        // A row that is taller than the page is scrolled to its end before it is left.
        if (from !== null && by === 1 && list.offsetOf(from + 1) > list.top + list.viewportHeight + ROW_END_SLOP_PX)
          return list.scrollBy(list.viewportHeight * TALL_ROW_SHARE)
        const edge = by === 1 ? list.seen.first - 1 : list.seen.last + 1
        const next = nextShown(book, from ?? edge, by, open.has)
        if (next !== null) cursor.moveTo(next)
      },
      prompt: (by) => jump(by, start() ?? (by === 1 ? list.seen.first - 1 : list.seen.first)),
      error: (by) => toError(by, start() ?? (by === 1 ? list.seen.first - 1 : list.seen.last + 1)),
      first: () => cursor.moveTo(0),
      end: toEnd,
      toggle: (event) => toggles.toggle(event, currentRow),
      into: () => toggles.into(currentRow),
      fork: () => {
        if (fork === null || currentRow === undefined) return false
        fork({ event: currentRow.event.id, isCompaction: currentRow.kind === 'compaction' })
      },
      out: () => toggles.out(currentRow),
    },
    isSeen,
  )
}
