/** Ends a background shell of Claude Code with all that it started. */
import { AppError } from '../../domain/errors'
import type { ProcessIdentity } from '../../util/process/process-tree'
import { leadersOf, type ShellTask, showsOutputs } from './shell-processes'

/** So long it has to end in order. */
const ORDERLY_END_MS = 2_000
const END_LOOK_MS = 25

/**
 * Asks the shell and all of its process group to end, and ends them when they don't.
 *
 * @param onFound  called with the process before it is asked to end, so that its end has a known cause
 * @returns the process that was ended; `null` = none writes to this output any longer
 * @throws `conflict` when several processes could be it, or this system does not show them
 */
export async function stopShell(
  task: ShellTask,
  onFound: (process: ProcessIdentity) => Promise<void>,
  graceMs = ORDERLY_END_MS,
): Promise<ProcessIdentity | null> {
  if (!showsOutputs())
    throw new AppError('conflict', `The process of ${task.task} can't be identified on this system.`, { hint: ASK })
  const findLeaders = (): ProcessIdentity[] => leadersOf([task])[0] ?? []
  const leaders = findLeaders()
  const [leader] = leaders
  if (leader === undefined) return null
  if (leaders.length > 1)
    throw new AppError('conflict', `${leaders.length} processes write to the output of ${task.task}.`, {
      hint: 'Check them, and end the right one.',
      details: { processIds: leaders.map(({ pid }) => pid) },
    })
  await onFound(leader)
  signal(leader.pid, 'SIGTERM')
  for (const end = Date.now() + graceMs; Date.now() < end; await Bun.sleep(END_LOOK_MS))
    if (!findLeaders().some(({ pid }) => pid === leader.pid) && !hasGroup(leader.pid)) return leader
  signal(leader.pid, 'SIGKILL')
  return leader
}

const ASK = 'Ask the agent of its session to stop it (TaskStop), or press x on it in /tasks.'

function hasGroup(leader: number): boolean {
  try {
    process.kill(-leader, 0)
    return true
  } catch {
    return false
  }
}

function signal(leader: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-leader, name)
  } catch {
    // It ended by itself.
  }
}
