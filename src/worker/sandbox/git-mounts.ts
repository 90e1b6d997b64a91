import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitFoldersOf } from '../../util/git/git-project'
import { isFolder, type Mount, namesIn } from './mounts'

/**
 * What a run needs of its repository to commit, without what git would run for the person later: hooks, settings, and where a worktree has
 * its settings. What must not be replaced is a mount of its own, which can't be renamed.
 */
export function gitMounts(cwd: string): { root: string | null; mounts: Mount[] } {
  const found = gitFoldersOf(cwd)
  if (found === null) return { root: null, mounts: [] }
  const { dotGit, common } = found
  const hooks = join(common, 'hooks')
  // A missing one could be made.
  if (!isFolder(hooks) && isFolder(common)) mkdirSync(hooks, { recursive: true })
  const worktrees = namesIn(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name))
  return {
    root: dirname(dotGit),
    mounts: [
      { kind: 'write', path: common },
      ...['hooks', 'config', 'config.worktree', 'modules'].map(
        (name): Mount => ({ kind: 'read', path: join(common, name) }),
      ),
      ...worktrees.flatMap((path): Mount[] => [
        { kind: 'write', path },
        ...['commondir', 'gitdir', 'config.worktree'].map((name): Mount => ({ kind: 'read', path: join(path, name) })),
      ]),
      ...(lstatSync(dotGit, { throwIfNoEntry: false })?.isFile() ? [{ kind: 'read', path: dotGit } as const] : []),
    ],
  }
}
