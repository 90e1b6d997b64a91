import type { Progress } from '../../api/contract/wire'
import type { Context } from '../kit/context'
import { bytes } from './measures'

/** A line on stderr that is drawn over itself; silent when stderr is no terminal, and with `--quiet`. */
export interface ProgressBar {
  show(progress: Progress): void
  /** Removes the line; call it before anything else is printed, also after an error. */
  clear(): void
}

const CELLS = 24
/** Drawn at most so often: a terminal over a slow line must not slow the work. */
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
      io.err(`\r\u001b[K${progressLine(verb, progress, now - startedAt)}`)
    },
    clear() {
      if (drawnAt > Number.NEGATIVE_INFINITY) io.err('\r\u001b[K')
    },
  }
}

/** `importing [#####.....] 42%  120/300 files  98 MB of 235 MB  104 MB/s`; totals may still grow. */
export function progressLine(verb: string, progress: Progress, elapsedMs: number): string {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress
  const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesTotal > 0 ? filesDone / filesTotal : 0
  const part = Math.min(1, Math.max(0, share))
  const full = Math.floor(part * CELLS)
  const bar = `[${'#'.repeat(full)}${'.'.repeat(CELLS - full)}] ${String(Math.floor(part * 100)).padStart(3)}%`
  const speed = elapsedMs >= 500 ? `  ${bytes((bytesDone * 1_000) / elapsedMs)}/s` : ''
  return `${verb} ${bar}  ${filesDone}/${filesTotal} files  ${bytes(bytesDone)} of ${bytes(bytesTotal)}${speed}`
}
