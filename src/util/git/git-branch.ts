import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The branch that is checked out where `cwd` is, by files alone; `null` = none, or no repository. In a worktree its own. */
export function branchOf(cwd: string): string | null {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const head = headOf(join(at, '.git'))
    if (head !== undefined) return /^ref: refs\/heads\/(.{1,400})$/m.exec(head)?.[1] ?? null
    if (dirname(at) === at) return null
  }
}

/** The path of `.git`, a folder, or in a worktree a file that names one; `undefined` = there is none. */
function headOf(dotGit: string): string | undefined {
  try {
    if (statSync(dotGit).isDirectory()) return small(join(dotGit, 'HEAD'))
    const named = /^gitdir: (.+)$/m.exec(small(dotGit))?.[1]
    return named === undefined ? '' : small(join(resolve(dirname(dotGit), named.trim()), 'HEAD'))
  } catch {
    return undefined
  }
}

function small(path: string): string {
  const stat = statSync(path)
  return stat.isFile() && stat.size <= 4_096 ? readFileSync(path, 'utf8') : ''
}
