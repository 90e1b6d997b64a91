/**
 * Ends a background shell of Claude Code. Nothing names its process; but the CLI starts each in a session of its own, whose leader
 * writes to `<session>/tasks/<task>.output`: which process that is, the system says. (Seen with 2.1.197 and 2.1.328.)
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { AppError } from '../domain/errors'

export interface ShellTask {
  session: string
  task: string
  /** As recorded. */
  outputFile: string | null
}

/** So long it has to end in order. */
const GRACE_MS = 2_000
const LOOK_MS = 25

/**
 * Asks the shell and all of its process group to end, and ends them when they don't.
 *
 * @returns the process that was ended; `null` = none writes to this output any longer
 * @throws `conflict` when several processes could be it, or this system does not show them
 */
export async function stopShell(task: ShellTask, graceMs = GRACE_MS): Promise<number | null> {
  if (process.platform !== 'linux')
    throw new AppError('conflict', `which process ${task.task} is can't be told on this system`, { hint: ASK })
  const leaders = leadersOf(task)
  const [leader] = leaders
  if (leader === undefined) return null
  if (leaders.length > 1)
    throw new AppError('conflict', `${leaders.length} processes write to the output of ${task.task}`, {
      hint: 'Look at them yourself, and end the right one.',
      details: { processIds: leaders },
    })
  signal(leader, 'SIGTERM')
  for (const end = Date.now() + graceMs; Date.now() < end; await Bun.sleep(LOOK_MS))
    if (!leadersOf(task).includes(leader) && !hasGroup(leader)) return leader
  signal(leader, 'SIGKILL')
  return leader
}

const ASK = 'Ask the agent of its session to stop it (TaskStop), or press x on it in /tasks.'

/** Session leaders of this user whose output goes to the task's file. */
function leadersOf(task: ShellTask): number[] {
  const own = process.getuid?.()
  return readdirSync('/proc').flatMap((name) => {
    if (!/^[1-9]\d*$/.test(name) || Number(name) === process.pid) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || group !== name || session !== name) return []
      if (!isOutput(readlinkSync(`/proc/${name}/fd/1`), task)) return []
      const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
      return own === undefined || uid === String(own) ? [Number(name)] : []
    } catch {
      // It is gone, or another user's.
      return []
    }
  })
}

/** The very file, also when it was removed meanwhile. */
function isOutput(target: string, { session, task, outputFile }: ShellTask): boolean {
  const path = target.replace(/ \(deleted\)$/, '')
  // The record's path alone proves nothing: a transcript may name any file.
  return (
    path.endsWith(`/tasks/${task}.output`) && (path === outputFile || path.endsWith(`/${session}/tasks/${task}.output`))
  )
}

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
