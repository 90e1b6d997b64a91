import type { Answers } from '#api/contract/operations/index'

export type SessionChange = Answers['sessions']['changes']['changes'][number]

/** What one call changed in one file. */
export interface FileChange {
  path: string
  change: SessionChange
  /** `null` = the agent CLI does not tell what was written. */
  hunks: SessionChange['patches'][number]['hunks'] | null
}

/** Each file of each call, in the order of time. */
export const inOrder = (changes: readonly SessionChange[]): FileChange[] =>
  changes.flatMap((change) => {
    const told = change.patches.map(({ path, hunks }): FileChange => ({ path, change, hunks }))
    const untold = change.files.filter((path) => !told.some((one) => isSameFile(one.path, path)))
    return [...told, ...untold.map((path): FileChange => ({ path, change, hunks: null }))]
  })

/** The same by file, those that were changed first come first. */
export function byFile(changes: readonly SessionChange[]): { path: string; changes: FileChange[] }[] {
  const files = new Map<string, FileChange[]>()
  for (const one of inOrder(changes)) {
    const known = files.get(one.path)
    if (known === undefined) files.set(one.path, [one])
    else known.push(one)
  }
  return [...files].map(([path, all]) => ({ path, changes: all }))
}

/** A patch may name a file from its folder, and the call from the root. */
const isSameFile = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

/** A path as people write it: from the session's folder on, where it is in there. */
export const shortPath = (path: string, folder: string | null): string =>
  folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
