import { adoptOrphans } from './process-tree'

const LEFT_LOOK_MS = 2_000

/**
 * The first process of a container gets all that lose their parents there, such as those of a killed guard. Nobody else waits for them, and
 * each would stay in the process table. Elsewhere this does nothing.
 */
export async function waitForAdopted(): Promise<void> {
  if (process.pid !== 1) return
  const orphans = await adoptOrphans()
  if (orphans !== null) setInterval(() => orphans.reapLeft(), LEFT_LOOK_MS).unref()
}
