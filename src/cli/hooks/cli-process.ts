/** Which process of the agent's CLI this hook belongs to. Loaded by `lode hook --answer`: node:fs only. */
import { readFileSync } from 'node:fs'

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'ksh', 'fish'])
/** A shell that runs the hook, and one that a person put around it. */
const MOST_SHELLS = 3

/**
 * `<pid>@<start>`: the nearest process above that is no shell, so that all hooks of one CLI agree. Where the system doesn't show its
 * processes as files, what the CLI says of itself; `null` = not known.
 */
export function cliProcess(env: Readonly<Record<string, string | undefined>>, parent = process.ppid): string | null {
  let pid = parent
  for (let shells = 0; shells <= MOST_SHELLS; shells++) {
    const stat = readStat(pid)
    if (stat === undefined) break
    if (!SHELLS.has(stat.name)) return `${pid}@${stat.startedAt}`
    pid = stat.parent
  }
  const said = env.CLAUDE_PID ?? ''
  return /^[1-9]\d{0,9}$/.test(said) && process.platform !== 'linux' ? said : null
}

/** Clock ticks in a second, as `/proc` counts them on every Linux. */
const TICKS = 100

/** When that process began, in milliseconds since the epoch, to a hundredth of a second; `null` = not to be seen. */
export function cliStartedAt(env: Readonly<Record<string, string | undefined>>, now = Date.now()): number | null {
  const ticks = Number(cliProcess(env)?.split('@')[1] ?? Number.NaN)
  try {
    const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
    const at = now - upSeconds * 1_000 + (ticks / TICKS) * 1_000
    return Number.isFinite(at) ? at : null
  } catch {
    return null
  }
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The session that the process was started to resume, as its own arguments name it; `null` = none, or not to be seen.
 *
 * @param isForkToo  also where a fork of it was asked for; default true
 */
export function resumedByArguments(cli: string, { isForkToo = true } = {}): string | null {
  try {
    const words = readFileSync(`/proc/${cli.split('@')[0]}/cmdline`, 'utf8').split('\0')
    if (!isForkToo && words.includes('--fork-session')) return null
    const at = words.findIndex((word) => /^(--resume|-r)(=|$)/.test(word))
    const named = at < 0 ? undefined : (words[at]?.split('=')[1] ?? words[at + 1])
    return named !== undefined && SESSION_ID.test(named) ? named : null
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
