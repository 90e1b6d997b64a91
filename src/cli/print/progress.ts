import type { Progress } from '../../api/contract/wire'
import type { Context } from '../kit/context'
import { bytes, duration, plural } from './measures'
import { cut } from './text'

/** A line on stderr that is drawn over itself; silent when stderr is no terminal, and with `--quiet`. */
export interface ProgressBar {
  show(progress: Progress): void
  /** Removes the line; call it before anything else is printed, also after an error. */
  clear(): void
}

const CELLS = 20
/** Drawn at most this often: a terminal over a slow line must not slow the work. */
const INTERVAL_MS = 80

export function progressBar(context: Context, verb: string): ProgressBar {
  const { io, globals } = context
  if (!io.isErrTerminal || globals.isQuiet) return { show: () => {}, clear: () => {} }
  const startedAt = io.now()
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    show(progress) {
      const now = io.now()
      if (now - drawnAt < INTERVAL_MS) return
      drawnAt = now
      io.err(`\r\u001b[K${cut(progressLine(verb, progress, now - startedAt), (io.columns || 80) - 1)}`)
    },
    clear() {
      if (drawnAt > Number.NEGATIVE_INFINITY) io.err('\r\u001b[K')
    },
  }
}

/** A speed over less than this is chance. */
const MEASURED_MS = 500

/** `importing [########............]  42%  98 MB of 235 MB  104 MB/s  2s left`; totals may still grow. Files that are all empty are counted. */
export function progressLine(verb: string, progress: Progress, elapsedMs: number): string {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress
  const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesTotal > 0 ? filesDone / filesTotal : 0
  const part = Math.min(1, Math.max(0, share))
  const full = Math.floor(part * CELLS)
  const bar = `[${'#'.repeat(full)}${'.'.repeat(CELLS - full)}] ${String(Math.floor(part * 100)).padStart(3)}%`
  const amount = bytesTotal > 0 ? `${bytes(bytesDone)} of ${bytes(bytesTotal)}` : `${filesDone}/${filesTotal} files`
  return [`${verb} ${bar}`, amount, ...speedOf(progress, elapsedMs)].join('  ')
}

function speedOf({ bytesDone, bytesTotal }: Progress, elapsedMs: number): string[] {
  if (elapsedMs < MEASURED_MS || bytesDone === 0) return []
  const perMs = bytesDone / elapsedMs
  const left = Math.max(0, bytesTotal - bytesDone) / perMs
  return [`${bytes(perMs * 1_000)}/s`, ...(left >= MEASURED_MS ? [`${duration(Math.max(left, 1_000))} left`] : [])]
}

/** `12 files, 98 MB in 1.4 s (70 MB/s)`: what was read, and how fast. */
export function readText({
  files,
  bytes: size,
  durationMs,
}: {
  files: number
  bytes: number
  durationMs: number
}): string {
  const seconds = durationMs / 1_000
  const speed = seconds > 0.5 ? ` (${bytes(size / seconds)}/s)` : ''
  return `${plural(files, 'file')}, ${bytes(size)} in ${seconds.toFixed(1)} s${speed}`
}
