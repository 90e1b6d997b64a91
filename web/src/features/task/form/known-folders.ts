/** A folder that is suggested. `host`: where it is, if the folders are of several hosts. */
export interface KnownFolder {
  dir: string
  host: string | null
}

/** Each folder of sessions once for each host, and the hosts if there are several. */
export function foldersOf(sessions: readonly { cwd: string | null; host: string | null }[]): KnownFolder[] {
  const hosts = new Set(sessions.map(({ host }) => host))
  const all = sessions.flatMap(({ cwd, host }) =>
    cwd === null ? [] : [{ dir: cwd, host: hosts.size > 1 ? host : null }],
  )
  const known = new Map(all.map((one) => [`${one.host} ${one.dir}`, one]))
  return [...known.values()].sort((a, b) => (a.dir < b.dir ? -1 : 1))
}

/** The folders on the host of the chosen worker. @param worker  its name; '' = any */
export function foldersFor(
  dirs: readonly KnownFolder[],
  agents: readonly { name: string; host: string | null }[],
  worker: string,
): readonly KnownFolder[] {
  const at = agents.find(({ name }) => name === worker)?.host ?? null
  return at === null ? dirs : dirs.filter(({ host }) => host === null || host === at)
}
