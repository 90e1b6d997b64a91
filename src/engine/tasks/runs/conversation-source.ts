import type { AttemptConversation } from '../../../domain/task/task'
import type { AttemptRow, TaskRow } from '../../../domain/task/task-store'
import type { ConversationSource } from '../../../domain/task/worker-protocol'
import type { Unit } from '../../unit/unit'
import { attemptOf, lastPlace } from '../folder'

/**
 * What the next attempt of a task should continue: its own conversation (or the one that an operator set), else its parent's, else
 * nothing, with the reason. The worker looks at its disk and finds the rung.
 *
 * @param formerCount  attempts before that one
 */
export async function conversationSource(unit: Unit, task: TaskRow, formerCount: number): Promise<ConversationSource> {
  const own = task.nextSessionId ?? task.lastSessionId
  const former = await attemptOf(unit, task, formerCount)
  if (own !== null) {
    const isLast = task.nextSessionId === null || task.nextSessionId === task.lastSessionId
    if (task.forkAt !== null && task.nextSessionId !== null)
      return {
        kind: 'fork',
        sessionId: own,
        at: task.forkAt,
        cwd: task.dir,
        startRung: task.startRung,
        whyNot: whyNot(task, former),
      }
    const ran = isLast ? await lastPlace(unit, task, former) : await placeOfParent(unit, task, own)
    return {
      kind: 'own',
      sessionId: own,
      cwd: ran?.cwd ?? null,
      hostName: ran?.hostName ?? null,
      startRung: task.startRung,
      whyNot: whyNot(task, former),
    }
  }
  if (task.parentTaskId === null) return { kind: 'none', reason: 'first' }
  if (task.continuity === 'fresh') return { kind: 'none', reason: 'fresh_asked' }
  const parent = task.parentKey === null ? undefined : await unit.tasks.taskByKey(task.parentKey)
  if (parent === undefined) return { kind: 'none', reason: 'parent_not_found' }
  if (parent.lastSessionId === null) return { kind: 'none', reason: 'parent_has_no_session' }
  const ran = await lastPlace(unit, parent, await attemptOf(unit, parent, parent.attemptCount))
  return {
    kind: 'parent',
    sessionId: parent.lastSessionId,
    parentTaskId: parent.id,
    cwd: ran?.cwd ?? parent.dir,
    startRung: task.startRung,
    whyNot: whyNot(task, former),
  }
}

/** Where the conversation ran, when it is the parent's: a follow-up goes on in it. */
async function placeOfParent(
  unit: Unit,
  task: TaskRow,
  own: TaskRow['lastSessionId'],
): Promise<AttemptRow | undefined> {
  const parent = task.parentKey === null ? undefined : await unit.tasks.taskByKey(task.parentKey)
  if (parent === undefined || parent.lastSessionId !== own) return undefined
  return await lastPlace(unit, parent, await attemptOf(unit, parent, parent.attemptCount))
}

/** Why the rungs above `startRung` are not tried again: the former attempt failed by them. */
function whyNot(task: TaskRow, former: AttemptRow | undefined): AttemptConversation['whyNot'] {
  if (task.startRung === null) return []
  const tried = former?.conversation?.rung ?? (task.startRung === 'fresh' ? 'preamble' : 'native')
  const reason = former?.failureClass ?? 'resume_refused'
  return [{ rung: tried, reason, detail: former?.failureReason ?? null }]
}
