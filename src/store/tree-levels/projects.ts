import type { ReadContext } from '../sql/read-context'

/** A repository: one folder, or all clones of one remote on all hosts. */
export interface ProjectGroup {
  /** The length of letters and digits; the same as long as the remote or the folder is. */
  key: string
  name: string
  /** The folder that was heard of first. */
  root: string
  /** Keys of its rows. */
  ids: number[]
}

export interface Projects {
  groups: ReadonlyMap<string, ProjectGroup>
  /** The group of a row; `null` = no project. */
  ofRow(id: number | null): string | null
  /** The group of the project whose folder this is, of any clone. */
  at(root: string): string | null
  /** The group of the nearest project around a folder. */
  around(dir: string | null): string | null
}

/** A row of a project, in the order in which they were heard of. */
export interface ProjectRow {
  id: number
  root: string
  remote: string | null
  name: string
}

/** All projects. There are few: one for each folder on each host. */
export const readProjects = async ({ db }: ReadContext): Promise<Projects> =>
  groupProjects(await db.selectFrom('projects').select(['id', 'root', 'remote', 'name']).orderBy('id').execute())

export function groupProjects(rows: readonly ProjectRow[]): Projects {
  const groups = new Map<string, ProjectGroup>()
  const keys = new Map<number, string>()
  const byRoot = new Map<string, string>()
  for (const { id, root, remote, name } of rows) {
    const key = digest(remote === null ? `root ${root}` : `remote ${remote}`)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { key, name, root, ids: [id] })
    else group.ids.push(id)
    keys.set(id, key)
    if (!byRoot.has(root)) byRoot.set(root, key)
  }
  return {
    groups,
    ofRow: (id) => (id === null ? null : (keys.get(id) ?? null)),
    at: (root) => byRoot.get(root) ?? null,
    around: (dir) => (dir === null ? null : nearest(dir, byRoot)),
  }
}

/** Names and folders are strangers' words of any length; ids are not. */
const digest = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'hex').slice(0, 20)

function nearest(dir: string, byRoot: ReadonlyMap<string, string>): string | null {
  for (let at = dir; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const found = byRoot.get(at)
    if (found !== undefined) return found
  }
  return byRoot.get('/') ?? null
}

/** The project that a person or a link names: an entry's key, a folder or a name. */
export function findProject(projects: Projects, given: string): ProjectGroup | undefined {
  const all = [...projects.groups.values()]
  return projects.groups.get(projects.at(given) ?? given) ?? all.find(({ name }) => name === given)
}
