import type { SessionId } from '../../../domain/ids'
import type { Attempt, AttemptConversation } from '../../../domain/task/task'
import type { Assignment, ConversationSource } from '../../../domain/task/worker-protocol'
import type { WhyNot } from './ladder'

/** What an attempt is to continue, and why it is not what the claim named. */
export interface BegunSource {
  source: ConversationSource
  /** Reasons for the conversations that were passed over, in order. */
  passed: WhyNot
}

export interface BegunOptions {
  /** The task's attempts. */
  look(): Promise<{ attempts: Attempt[] }>
  /** Whether anything of the conversation is on this machine or in the record. */
  isBegun(session: SessionId): Promise<boolean>
}

/**
 * A conversation of the task's own that was announced and never begun, because its attempt was killed at its very start, holds
 * nothing: what that attempt was to continue is continued instead, else there is nothing to continue.
 */
export async function begunSource({ conversation, task }: Assignment, options: BegunOptions): Promise<BegunSource> {
  const passed: WhyNot = []
  let source = conversation
  let attempts: Attempt[] | null = null
  while (source.kind === 'own' && source.startRung === null && !(await options.isBegun(source.sessionId))) {
    attempts ??= (await options.look()).attempts
    const { sessionId } = source
    const maker = makerOf(attempts, sessionId)
    if (maker === undefined || passed.length > attempts.length * 2) break
    passed.push(...source.whyNot)
    for (const rung of ['native', 'restored'] as const)
      passed.push({ rung, reason: 'not_begun', detail: `attempt ${maker.number} ended before its session began` })
    source = formerSource(maker.conversation, attempts, task)
  }
  return { source, passed }
}

type Maker = Attempt & { conversation: AttemptConversation }

/** The attempt that this conversation began with. */
function makerOf(attempts: readonly Attempt[], session: SessionId): Maker | undefined {
  return attempts.find(
    (attempt): attempt is Maker =>
      attempt.conversation?.sessionId === session && attempt.conversation.resumedSessionId !== session,
  )
}

function formerSource(
  { rung, resumedSessionId, whyNot }: AttemptConversation,
  attempts: readonly Attempt[],
  task: Assignment['task'],
): ConversationSource {
  if (rung === 'fresh' || resumedSessionId === null) return { kind: 'none', reason: 'first' }
  // A conversation that was refused, or is saturated, is still so.
  const isSpent = whyNot.some(({ reason }) => reason === 'prompt_too_long' || reason === 'resume_refused')
  const rest = isSpent ? { startRung: 'preamble' as const, whyNot } : { startRung: null, whyNot: [] }
  const ran = attempts.findLast((attempt) => attempt.conversation?.sessionId === resumedSessionId)
  // A server of a former version does not know of forks.
  if (ran === undefined && task.forkAt)
    return { kind: 'fork', sessionId: resumedSessionId, at: task.forkAt, cwd: null, ...rest }
  const parentTaskId = task.continuity === 'continue' ? task.parentTaskId : null
  if (ran === undefined && parentTaskId !== null)
    return { kind: 'parent', sessionId: resumedSessionId, parentTaskId, cwd: null, ...rest }
  return { kind: 'own', sessionId: resumedSessionId, cwd: ran?.cwd ?? null, hostName: null, ...rest }
}
