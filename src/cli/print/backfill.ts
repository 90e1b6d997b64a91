import type { Progress } from '../../api/contract/wire'
import type { Context } from '../kit/context'
import { progressBar, readText } from './progress'

/**
 * Draws how far the recording of what was found at a start is, the newest first, and says at its end how much that was. Everything else can be
 * used meanwhile.
 */
export function backfillTeller(context: Context): (progress: Progress, isDone: boolean) => void {
  const { io } = context
  const startedAt = io.now()
  const bar = progressBar(context, 'recording')
  context.signal.addEventListener('abort', bar.clear, { once: true })
  return (progress, isDone) => {
    if (context.signal.aborted || progress.bytesTotal === 0) return
    if (!isDone) return bar.show(progress)
    bar.clear()
    const { filesDone, bytesDone } = progress
    const read = readText({ files: filesDone, bytes: bytesDone, durationMs: io.now() - startedAt })
    context.note(`recorded ${read}; 'lode session list' lists the sessions`)
  }
}
