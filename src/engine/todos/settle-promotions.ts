import { isAppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import { closeIssue } from '../issues/change-issue'
import { recordChange } from '../issues/issue-unit'
import type { TrackerUnits } from '../issues/trackers/tracker-units'

/** Promotions that are settled in one go; the rest is for the next. */
const PROMOTIONS_PER_CALL = 100

/**
 * Closes issues whose to-do its agent completed, each once: who opens such an issue again is not overruled. One that must not be
 * closed yet (it is blocked, an epic with open children) stays open and says so in its history.
 */
export async function settlePromotions(units: TrackerUnits): Promise<{ closed: IssueId[] }> {
  // On PostgreSQL a unit may be run again from its start.
  const closed = new Set<IssueId>()
  for (const { todoId, tracker, issueId } of await units.store.todos.promotionsToClose(PROMOTIONS_PER_CALL)) {
    const target = { place: await units.placeOfKey(tracker), tracker }
    // Another program keeps these issues, and its user closes them.
    if (target.place !== null && units.isOutOfReach(target.place)) {
      await units.store.write((tx) => tx.todos.settle(todoId))
      continue
    }
    const isDone = await units.changeUnasked(target, async (unit) => {
      closed.delete(issueId)
      const { todos } = unit.tx
      const due = (await todos.promotionsToClose(PROMOTIONS_PER_CALL)).some((promotion) => promotion.todoId === todoId)
      const todo = await todos.find(todoId)
      const issue = await unit.issues.find(unit.key, issueId)
      if (!due || todo === undefined) return []
      await todos.settle(todoId)
      if (issue === undefined || issue.isDeleted || unit.statuses.isDone(issue.status)) return []
      try {
        await closeIssue(unit, issue, { reason: `Its to-do ${todoId} was completed in session ${todo.sessionId}` })
        closed.add(issueId)
      } catch (thrown) {
        if (!isAppError(thrown) || thrown.code !== 'conflict') throw thrown
        await recordChange(unit, issue, 'todo_completed', { new: { todoId, isOpenBecause: thrown.message } })
      }
      return [issueId]
    })
    if (!isDone) closed.delete(issueId)
  }
  return { closed: [...closed] }
}
