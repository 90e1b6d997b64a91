import { readFileSync, statSync } from 'node:fs'

/** Larger files are not compared. Bytes. */
const MAX_COMPARED_BYTES = 500_000_000

/** Ids of issues that a file has and `text` has not: what writing `text` in its place would lose. */
export function lossBy(path: string, text: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.size === 0 || found.size > MAX_COMPARED_BYTES) return []
  const kept = new Set(idsIn(text))
  return [...new Set(idsIn(readFileSync(path, 'utf8')))].filter((id) => !kept.has(id))
}

function idsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (!line.includes('"id"')) return []
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
        ? [value.id]
        : []
    } catch {
      return []
    }
  })
}
