/** A file that two sessions changed, or one of them. */
export interface ComparedFile {
  path: string
  by: 'both' | 'first' | 'second'
}

interface ChangedFiles {
  cwd: string | null
  files: readonly { path: string }[]
}

/** Which files both sessions changed, and which one of them alone. Below their folders, so that two worktrees have the same paths. */
export function compareFiles(first: ChangedFiles, second: ChangedFiles): ComparedFile[] {
  const [a, b] = [pathsOf(first), pathsOf(second)]
  const by = (path: string): ComparedFile['by'] => (!b.has(path) ? 'first' : a.has(path) ? 'both' : 'second')
  const order = { both: 0, first: 1, second: 2 }
  return [...new Set([...a, ...b])]
    .map((path) => ({ path, by: by(path) }))
    .sort((one, other) => order[one.by] - order[other.by] || (one.path < other.path ? -1 : 1))
}

/** The names that a compared file may have in a session that works in this folder. */
export const pathsIn = (cwd: string | null, path: string): string[] =>
  cwd === null || path.startsWith('/') ? [path] : [path, `${cwd}/${path}`]

const pathsOf = ({ cwd, files }: ChangedFiles): Set<string> =>
  new Set(files.map(({ path }) => (cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)))
