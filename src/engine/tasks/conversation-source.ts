import type { AttemptConversation } from '../../domain/task'
import type { AttemptRow, TaskRow } from '../../domain/task-store'
import type { ConversationSource } from '../../domain/worker-protocol'
import type { Unit } from './unit'

/**
 * What the next attempt of a task should continue: its own conversation (or the one that an operator set), else its parent's, else
 * nothing, with the reason. The worker looks at its disk and finds the rung.
 */
export async function conversationSource(unit: Unit, task: TaskRow): Promise<ConversationSource> {
  const own = task.nextSessionId ?? task.lastSessionId
  const former = task.attemptCount === 0 ? undefined : await unit.tasks.newestAttempt(task.key)
  if (own !== null) {
    const ranThere = task.nextSessionId === null || task.nextSessionId === task.lastSessionId
    return {
      kind: 'own',
      sessionId: own,
      cwd: ranThere ? (former?.cwd ?? null) : null,
      hostName: ranThere ? (former?.hostName ?? null) : null,
      startRung: task.startRung,
      whyNot: whyNot(task, former),
    }
  }
  if (task.parentTaskId === null) return { kind: 'none', reason: 'first' }
  if (task.continuity === 'fresh') return { kind: 'none', reason: 'fresh_asked' }
  const parent = task.parentKey === null ? undefined : await unit.tasks.taskByKey(task.parentKey)
  if (parent === undefined) return { kind: 'none', reason: 'parent_not_found' }
  if (parent.lastSessionId === null) return { kind: 'none', reason: 'parent_has_no_session' }
  const ran = await unit.tasks.newestAttempt(parent.key)
  return {
    kind: 'parent',
    sessionId: parent.lastSessionId,
    parentTaskId: parent.id,
    cwd: ran?.cwd ?? parent.dir,
    startRung: task.startRung,
    whyNot: whyNot(task, former),
  }
}

/** Why the rungs above `startRung` are not tried again: the former attempt failed by them. */
function whyNot(task: TaskRow, former: AttemptRow | undefined): AttemptConversation['whyNot'] {
  if (task.startRung === null) return []
  const tried = former?.conversation?.rung ?? (task.startRung === 'fresh' ? 'preamble' : 'native')
  const reason = former?.failureClass ?? 'resume_refused'
  return [{ rung: tried, reason, detail: former?.failureReason ?? null }]
}
