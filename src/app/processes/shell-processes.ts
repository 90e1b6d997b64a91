/**
 * The processes of background shells of Claude Code. Nothing names them; but the CLI starts each in a session of its own, whose leader
 * writes to `<session>/tasks/<task>.output`: which process that is, the system says. (Seen with 2.1.197 and 2.1.328.) Whoever asks whether
 * a shell runs, or ends one, asks here.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { OpenShell, ShellProcess } from '../../domain/session/shell'
import { isSameProcess, type ProcessIdentity, startOf } from '../../util/process/process-tree'

export interface ShellTask {
  session: string
  task: string
  /** As recorded. */
  outputFile: string | null
}

/** Whether this system shows what a process writes to. */
export const showsOutputs = (): boolean => process.platform === 'linux'

/** Shells that are looked at in one go. */
export const MAX_SHELLS = 1_000

/** What became of these, as far as that is new. Looks at the system once; where it shows nothing, nothing is said. */
export function checkShells(shells: readonly OpenShell[], at: number): ShellProcess[] {
  if (shells.length === 0 || !showsOutputs()) return []
  const leaders = leadersOf(shells.map(({ sessionId, task, outputFile }) => ({ session: sessionId, task, outputFile })))
  return shells.flatMap(({ sessionId, task, process: known }, place): ShellProcess[] => {
    if (known !== null && isSameProcess(known)) return []
    const found = leaders[place]?.[0] ?? null
    if (found !== null) return [{ sessionId, task, state: 'alive', process: found, at }]
    return [{ sessionId, task, state: known === null ? 'gone' : 'ended', process: null, at }]
  })
}

/** Session leaders of this user whose output goes to the task's file, for each task. */
export function leadersOf(tasks: readonly ShellTask[]): ProcessIdentity[][] {
  const own = process.getuid?.()
  const found = tasks.map((): ProcessIdentity[] => [])
  const placesOf = Map.groupBy(tasks.keys(), (place) => `${tasks[place]?.task}.output`)
  for (const name of readdirSync('/proc')) {
    if (!/^[1-9]\d*$/.test(name) || Number(name) === process.pid) continue
    const output = outputOf(name)
    if (output === null) continue
    for (const place of placesOf.get(basename(output)) ?? []) {
      const task = tasks[place]
      const startedAt = task !== undefined && isOutput(output, task) && isOwn(name, own) ? startOf(Number(name)) : null
      if (startedAt !== null) found[place]?.push({ pid: Number(name), startedAt })
    }
  }
  return found
}

/** The file that a session leader writes to, also when it was removed meanwhile; `null` = it is none, or another user's. */
function outputOf(pid: string): string | null {
  try {
    const output = readlinkSync(`/proc/${pid}/fd/1`)
    if (!output.includes('/tasks/')) return null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || group !== pid || session !== pid ? null : output.replace(/ \(deleted\)$/, '')
  } catch {
    return null
  }
}

function isOwn(pid: string, own: number | undefined): boolean {
  try {
    const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return own === undefined || uid === String(own)
  } catch {
    return false
  }
}

/** The record's path alone proves nothing: a transcript may name any file. */
const isOutput = (path: string, { session, task, outputFile }: ShellTask): boolean =>
  path.endsWith(`/tasks/${task}.output`) && (path === outputFile || path.endsWith(`/${session}/tasks/${task}.output`))
