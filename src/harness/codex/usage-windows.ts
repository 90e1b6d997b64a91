/** What the newest rollouts say of the windows of a subscription: each count of tokens brings them. (Codex 0.114 to 0.169; some are empty.) */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { ToldWindow } from '../../domain/budget/usage-window'

/** Rollouts that are looked at, newest first, and bytes from the end of each. */
const MOST_FILES = 5
const TAIL_BYTES = 262_144

/** @param root  the CLI's folder. @returns `null` = none says anything. Never throws */
export function lastWindows(root: string): { told: ToldWindow[]; at: number } | null {
  let left = MOST_FILES
  for (const path of newestFirst(join(root, 'sessions'), 3)) {
    if (left-- === 0) return null
    const found = windowsIn(tailOf(path))
    if (found !== null) return found
  }
  return null
}

/** Files of the folder of years, months and days, whose names sort by time. */
function* newestFirst(folder: string, levels: number): Generator<string> {
  for (const name of namesIn(folder).sort().reverse())
    if (levels > 0) yield* newestFirst(join(folder, name), levels - 1)
    else if (/^rollout-.*\.jsonl$/.test(name)) yield join(folder, name)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function tailOf(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return ''
      const bytes = Buffer.alloc(Math.min(stat.size, TAIL_BYTES))
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, stat.size - bytes.length))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

function windowsIn(text: string): { told: ToldWindow[]; at: number } | null {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes('"rate_limits"')) continue
    const { timestamp, payload } = parsed(line)
    const at = Date.parse(String(timestamp))
    const limits = recordOf(recordOf(payload)?.rate_limits)
    const told = [limits?.primary, limits?.secondary].flatMap((window) => toldOf(recordOf(window)))
    if (told.length > 0 && !Number.isNaN(at)) return { told, at }
  }
  return null
}

function toldOf(window: Record<string, unknown> | null): ToldWindow[] {
  if (window === null) return []
  const { used_percent: used, window_minutes: minutes, resets_at: resets } = window
  if (typeof used !== 'number' || typeof minutes !== 'number') return []
  return [{ minutes, usedPercent: used, resetsAt: typeof resets === 'number' ? resets * 1_000 : null }]
}

function parsed(line: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(line)) ?? {}
  } catch {
    // The first line of a tail is half a line.
    return {}
  }
}

const recordOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
