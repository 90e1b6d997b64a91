/** Which process of the agent's CLI this hook belongs to. Loaded by `lode hook --answer`: node:fs only. */
import { readFileSync } from 'node:fs'
import type { HookWork } from './hook-call'

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'ksh', 'fish'])
/** A shell that runs the hook, and one that a person put around it. */
const MAX_SHELLS = 3

/**
 * `<pid>@<start>`: the nearest process above that is no shell, so that all hooks of one CLI agree. Where the system doesn't show its
 * processes as files, the one that the CLI's environment names; `null` = not known.
 */
export function cliProcess({ hooks, env }: Pick<HookWork, 'hooks' | 'env'>, parent = process.ppid): string | null {
  let pid = parent
  for (let shells = 0; shells <= MAX_SHELLS; shells++) {
    const stat = readStat(pid)
    if (stat === undefined) break
    if (!SHELLS.has(stat.name)) return `${pid}@${stat.startedAt}`
    pid = stat.parent
  }
  return process.platform === 'linux' ? null : hooks.processOf(env)
}

/** Clock ticks in a second, as `/proc` counts them on every Linux. */
const TICKS = 100

/** When that process began, in milliseconds since the epoch, to a hundredth of a second; `null` = not to be seen. */
export function cliStartedAt(cli: string | null, now = Date.now()): number | null {
  const ticks = Number(cli?.split('@')[1] ?? Number.NaN)
  try {
    const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
    const at = now - upSeconds * 1_000 + (ticks / TICKS) * 1_000
    return Number.isFinite(at) ? at : null
  } catch {
    return null
  }
}

/** The arguments that the CLI's process was started with; `null` = not to be seen. */
export function argumentsOf(cli: string): string[] | null {
  try {
    return readFileSync(`/proc/${cli.split('@')[0]}/cmdline`, 'utf8').split('\0')
  } catch {
    return null
  }
}

function readStat(pid: number): { name: string; parent: number; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets and may hold any character.
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
