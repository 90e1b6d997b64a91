import type { Attempt, Task } from '../../../src/domain/task'
import { MOVES_FROM, type MoveKind } from '../../../src/domain/task-machine'

/** What a person does to a task by one press. `queue` takes it out of the backlog. */
export const TASK_MOVES = ['resume', 'retry', 'queue', 'pause', 'cancel'] as const satisfies readonly MoveKind[]
export type TaskMove = (typeof TASK_MOVES)[number]

/** Which of them the task's state allows. The server decides by the same table. */
export function possibleMoves({ status, pausedBy }: Pick<Task, 'status' | 'pausedBy'>): TaskMove[] {
  // An offer stands beside the task's own status, which is one of those that wait.
  const own = status === 'offered' ? 'unassigned' : status === 'waiting' ? 'in_progress' : status
  return TASK_MOVES.filter(
    (move) =>
      (MOVES_FROM[move] as readonly string[]).includes(own) &&
      !(move === 'pause' && own === 'paused' && pausedBy === 'person'),
  )
}

/** The command that opens a task's conversation in a terminal; or why not now, and the command that helps. */
export type TaskOpening = { canOpen: true; command: string } | { canOpen: false; why: string; command: string }

export function taskOpening(
  task: Pick<Task, 'id' | 'status' | 'claudeSessionId'>,
  attempts: readonly Pick<Attempt, 'isLive' | 'number' | 'agentName'>[],
): TaskOpening {
  const live = attempts.find((attempt) => attempt.isLive)
  const pause = `lode task pause ${task.id}`
  if (live !== undefined)
    return {
      canOpen: false,
      why: `It is at work: attempt ${live.number}, by ${live.agentName}. Pause it first.`,
      command: pause,
    }
  if (task.claudeSessionId === null)
    return {
      canOpen: false,
      why: 'It has no conversation yet: no attempt was made. Begin it in a terminal of your own.',
      command: `lode run --task ${task.id}`,
    }
  if (task.status === 'pending' || task.status === 'unassigned' || task.status === 'offered')
    return { canOpen: false, why: 'A worker may go on with it at any moment. Pause it first.', command: pause }
  return { canOpen: true, command: `lode task open ${task.id}` }
}
