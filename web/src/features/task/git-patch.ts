/** A file of a patch, as git writes it. */
export interface PatchedFile {
  path: string
  /** What happened to it beside its lines: `new`, `deleted`, `renamed from a.ts`, `binary`. */
  notes: string[]
  hunks: { oldStart: number; newStart: number; lines: string[] }[]
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Reads a patch. What git writes about modes is left out; a patch that was cut ends in the middle of a file. */
export function readPatch(patch: string): PatchedFile[] {
  const files: PatchedFile[] = []
  let isHead = true
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      files.push({ path: pathOf(line), notes: [], hunks: [] })
      isHead = true
      continue
    }
    const file = files.at(-1)
    if (file === undefined) continue
    const [, oldStart, newStart] = HUNK.exec(line) ?? []
    if (oldStart !== undefined && newStart !== undefined) {
      file.hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] })
      isHead = false
    } else if (isHead) readHead(file, line)
    else if (/^[-+ ]/.test(line)) file.hunks.at(-1)?.lines.push(line)
  }
  return files
}

/** From `diff --git a/x b/x`; the lines below say it better where there are any. */
const pathOf = (line: string): string => unquoted(/ "?b\/(.*?)"?$/.exec(line)?.[1] ?? line.slice('diff --git '.length))

function readHead(file: PatchedFile, line: string): void {
  if (line.startsWith('+++ b/')) file.path = line.slice('+++ b/'.length).replace(/\t$/, '')
  else if (line.startsWith('+++ "b/')) file.path = unquoted(line.slice('+++ "b/'.length, -1))
  else if (line.startsWith('new file')) file.notes.push('new')
  else if (line.startsWith('deleted file')) file.notes.push('deleted')
  else if (line.startsWith('rename from '))
    file.notes.push(`renamed from ${unquoted(line.slice('rename from '.length))}`)
  else if (line.startsWith('Binary files') || line.startsWith('GIT binary')) file.notes.push('binary')
}

/** Git quotes names with characters beyond ASCII by their bytes, in octal. */
function unquoted(name: string): string {
  const bytes: number[] = []
  for (const [part, octal, escaped] of name.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...new TextEncoder().encode(escaped ?? part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
