import type { Attempt, Task } from '#domain/task/task'
import { MOVES_FROM, type MoveKind } from '#domain/task/task-machine'

/** Moves of a task that have a button. `queue` takes it out of the backlog. */
export const TASK_MOVES = ['resume', 'retry', 'queue', 'pause', 'cancel'] as const satisfies readonly MoveKind[]
export type TaskMove = (typeof TASK_MOVES)[number]

/** The moves that the task's status allows, by the same table as on the server. */
export function possibleMoves({ status, pausedBy }: Pick<Task, 'status' | 'pausedBy'>): TaskMove[] {
  // `offered` and `waiting` are display statuses; the table knows the stored ones.
  const own = status === 'offered' ? 'unassigned' : status === 'waiting' ? 'in_progress' : status
  return TASK_MOVES.filter(
    (move) =>
      (MOVES_FROM[move] as readonly string[]).includes(own) &&
      !(move === 'pause' && own === 'paused' && pausedBy === 'person'),
  )
}

/** The command that opens the task's conversation in a terminal, or why that is not possible and the command that helps. */
export type TaskOpening = { canOpen: true; command: string } | { canOpen: false; why: string; command: string }

/** How to open the conversation of a task in a terminal. */
export function taskOpening(
  task: Pick<Task, 'id' | 'status' | 'claudeSessionId'>,
  attempts: readonly Pick<Attempt, 'isLive' | 'number' | 'agentName'>[],
): TaskOpening {
  const live = attempts.find((attempt) => attempt.isLive)
  const pause = `lode task pause ${task.id}`
  if (live !== undefined)
    return {
      canOpen: false,
      why: `The task is running: attempt ${live.number}, by ${live.agentName}. Pause it first.`,
      command: pause,
    }
  if (task.claudeSessionId === null)
    return {
      canOpen: false,
      why: 'The task has no conversation yet. Start it in your own terminal:',
      command: `lode run --task ${task.id}`,
    }
  if (task.status === 'pending' || task.status === 'unassigned' || task.status === 'offered')
    return { canOpen: false, why: 'A worker may continue the task at any moment. Pause it first.', command: pause }
  return { canOpen: true, command: `lode task open ${task.id}` }
}
