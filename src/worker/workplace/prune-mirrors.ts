import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { git, inTurn } from './git'
import { mirrorsIn } from './mirror'

/** What of unused mirrors stays. */
export interface MirrorLimits {
  /** One that was not fetched for this long goes. */
  ageMs: number
  /** Those fetched first go until all have no more. */
  bytes: number
  /** One that was fetched within this time stays: a worktree is about to be made of it. */
  freshMs: number
}
export const MIRROR_LIMITS: MirrorLimits = { ageMs: 30 * 86_400_000, bytes: 20e9, freshMs: 3_600_000 }

/**
 * Removes mirrors that nobody uses any more: those that have no worktree and no commit of ours. What was removed is fetched again when a task
 * needs it.
 *
 * @param folder  that of all mirrors
 * @returns the remotes of those that were removed
 */
export async function pruneMirrors(folder: string, now: number, limits = MIRROR_LIMITS): Promise<string[]> {
  const mirrors = mirrorsIn(folder)
    .sort((a, b) => a.fetchedAt - b.fetchedAt)
    .map((mirror) => ({ ...mirror, bytes: sizeOf(mirror.repository) }))
  let bytes = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0)
  const removed: string[] = []
  for (const mirror of mirrors) {
    const age = now - mirror.fetchedAt
    if (age < limits.freshMs || (age < limits.ageMs && bytes <= limits.bytes)) continue
    const isGone = await inTurn(mirror.repository, async () => {
      if (await isInUse(mirror.repository)) return false
      rmSync(mirror.repository, { recursive: true, force: true })
      return true
    })
    if (!isGone) continue
    bytes -= mirror.bytes
    removed.push(mirror.remote)
  }
  return removed
}

/** A worktree that is there, or a commit that only this mirror has. Where git can't say, it is. */
async function isInUse(repository: string): Promise<boolean> {
  try {
    const worktrees = await git(repository, 'worktree', 'list', '--porcelain')
    // The first is the mirror itself.
    if ((worktrees.match(/^worktree /gm) ?? []).length > 1) return true
    const own = ['--branches', '--glob=refs/lodeline/*', '--not', '--remotes', '--tags']
    return (await git(repository, 'rev-list', '--max-count=1', ...own)) !== ''
  } catch {
    return true
  }
}

/** Bytes of its files; those that vanish meanwhile count nothing. */
function sizeOf(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}
