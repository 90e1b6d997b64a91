import { useGo } from '../../../lib/links'
import { useSession } from '../page/session-context'
import { openId, type Row, type RowBook, runId } from '../rows/session-rows'
import type { OpenSet } from './session-open'
import type { Lane } from './session-pages'

export interface RowToggles {
  toggle(event: KeyboardEvent, row: Row | undefined): boolean
  into(row: Row | undefined): boolean
  out(row: Row | undefined): boolean
}

/** Opens and closes the current row, and navigates to its sub-agent or out of this one. */
export function useRowToggles(lane: Lane, open: OpenSet, book: RowBook): RowToggles {
  const { pathTo, toLaunch } = useSession()
  const go = useGo()
  /** The first row of a run opens the run. */
  const idOf = (row: Row) => ((book.runs.get(row.number) ?? 0) > 1 ? runId(row) : openId(row))
  return {
    toggle(event, row) {
      // Enter on a button or link inside a row activates that one instead.
      const { target } = event
      if (target instanceof HTMLElement && target.closest('a,button,summary') !== null) return false
      if (row === undefined) return false
      const id = idOf(row)
      open.set(id, !open.has(id))
      return true
    },
    into(row) {
      if (row === undefined) return false
      const agent = row.launched.find(({ counts }) => counts.events > 0)
      if (agent === undefined) {
        open.set(idOf(row), true)
        return true
      }
      const branch = `agent ${agent.id}`
      if (open.has(branch)) go(pathTo({ agent: agent.id, at: null }))
      else open.set(branch, true)
      return true
    },
    out(row) {
      const ids = row === undefined ? [] : [...row.launched.map(({ id }) => `agent ${id}`), idOf(row)]
      const isOpen = ids.find((id) => open.has(id))
      if (isOpen !== undefined) {
        open.set(isOpen, false)
        return true
      }
      if (lane.agent === null) return false
      toLaunch(lane.agent)
      return true
    },
  }
}
