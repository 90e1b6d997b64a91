import { realpathSync } from 'node:fs'
import type { WorkerConfig } from '../../config/load'

/**
 * The folders that a worker names when it joins: those of `worker.dirs`, also as they really are, and that of its worktrees, since a task
 * may go on in one. Empty = it runs tasks anywhere. Which tasks it runs, `findWorkplace` has the last word on.
 */
export function offeredDirs({ dirs, worktreeFolder }: Pick<WorkerConfig, 'dirs' | 'worktreeFolder'>): string[] {
  return dirs.length === 0 ? [] : [...new Set([...dirs, worktreeFolder].flatMap((dir) => [dir, real(dir)]))]
}

function real(dir: string): string {
  try {
    return realpathSync(dir)
  } catch {
    return dir
  }
}
