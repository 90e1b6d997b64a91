import type { Context } from '../kit/context'
import { json } from '../print/print'
import { oneLine } from '../print/text'
import { taskTree } from '../views/task/task-tree'
import { statusText } from '../views/task/task-views'
import type { TreeState } from './keep-tree'

/** Lines of a tree that are drawn over and over; what is beyond scrolls away and could not be reached. */
const MAX_LINES = 40

/**
 * Shows a tree as it changes: drawn in place at a terminal, else a line for each task whose state changed; with `--json` one document a
 * line.
 */
export function liveTree({ io, globals }: Context): { show(look: TreeState): void } {
  const isDrawn = io.isTerminal && !globals.isJson && !globals.isQuiet
  const known = new Map<string, string>()
  let drawn = ''
  return {
    show(look) {
      if (globals.isQuiet) return
      if (!isDrawn) return lines(look)
      const whole = taskTree(look.tree, { now: io.now(), columns: io.columns })
      const shown = whole.split('\n').slice(0, -1)
      const cut =
        shown.length > MAX_LINES
          ? [...shown.slice(0, MAX_LINES - 1), `... ${shown.length - MAX_LINES + 1} more`]
          : shown
      const next = `${cut.join('\n')}\n`
      if (next === drawn) return
      // Up to where it began, and everything below is drawn anew.
      const up = drawn === '' ? '' : `\u001b[${drawn.split('\n').length - 1}A\u001b[J`
      io.out(`${up}${next}`)
      drawn = next
    },
  }

  function lines({ tasks }: TreeState): void {
    for (const task of tasks) {
      const { id, title, progress, parentTaskId } = task
      const status = statusText(task)
      const state = `${status}${progress === null ? '' : `\n${progress}`}`
      if (known.get(id) === state) continue
      known.set(id, state)
      if (globals.isJson)
        io.out(json({ change: { taskId: id, parentTaskId, status: task.status, title, progress } }, false))
      else io.out(`${oneLine(`${id}  ${status}  ${title}${progress === null ? '' : `: ${progress}`}`)}\n`)
    }
  }
}
