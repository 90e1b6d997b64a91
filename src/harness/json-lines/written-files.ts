import { ownValue } from '../../domain/own-value'
import { isRecord, textOf } from './json-value'

/** Files of one call that are kept. */
const FILE_LIMIT = 100
/** Characters of a path: it becomes a key, and PostgreSQL's have no more than 2,700 bytes. */
const PATH_LIMIT = 600

/** The field of a call's input that names the file, by the tools that write one. */
export type WritingTools = Readonly<Record<string, string>>

/** The files that a call is to write, each once; `undefined` = none. */
export function writtenFiles(tools: WritingTools, name: string, input: unknown): string[] | undefined {
  const field = ownValue(tools, name)
  if (field === undefined || !isRecord(input)) return undefined
  return pathsOf([textOf(input[field])])
}

/** The files that the text of a patch adds, changes, moves or removes, in the form of `apply_patch`. */
export function patchedFiles(patch: string): string[] | undefined {
  const paths: string[] = []
  for (const [, path] of patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)) {
    if (path !== undefined) paths.push(path)
    if (paths.length >= FILE_LIMIT) break
  }
  return pathsOf(paths)
}

function pathsOf(found: readonly (string | undefined)[]): string[] | undefined {
  const paths = new Set<string>()
  for (const path of found) {
    const clean = path?.replaceAll('\0', '').trim()
    if (clean !== undefined && clean !== '' && clean.length <= PATH_LIMIT) paths.add(clean.toWellFormed())
  }
  return paths.size === 0 ? undefined : [...paths]
}
