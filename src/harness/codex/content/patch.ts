import type { ContentBlock, PatchHunk } from '../../../domain/conversation/line-content'
import { isRecord } from '../../json-lines/json-value'
import { patchedFiles } from '../../json-lines/written-files'

type Patch = Extract<ContentBlock, { kind: 'patch' }>

const BEGIN = '*** Begin Patch\n'
const END = '\n*** End Patch'
/** Characters of a patch that are taken apart. */
const PATCH_LIMIT = 4_000_000

/** The changes of files that a call asks for: the text of `apply_patch`, given to the tool of that name or to a shell. */
export function patchesOf(input: unknown): Patch[] {
  const text = textIn(input)
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END, begin + BEGIN.length - 1)
  if (begin === -1 || end === -1 || text.length > PATCH_LIMIT) return []
  const patches: Patch[] = []
  for (const line of text.slice(begin + BEGIN.length, end).split('\n')) {
    const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1]
    if (path !== undefined) patches.push({ kind: 'patch', path, hunks: [] })
    else addLine(patches.at(-1)?.hunks, line)
  }
  return patches.filter(({ hunks }) => hunks.length > 0)
}

/** The files that a call of `apply_patch` changes. */
export const filesIn = (input: unknown): string[] | undefined => {
  const text = textIn(input)
  return text.includes(BEGIN) && text.length <= PATCH_LIMIT ? patchedFiles(text) : undefined
}

function textIn(input: unknown): string {
  if (typeof input === 'string') return input
  if (!isRecord(input)) return ''
  const found = [input.input, input.patch, input.cmd, input.command].find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : ''
}

/** Places of a file are not told: a hunk begins at `@@`, or at the first line. */
function addLine(hunks: PatchHunk[] | undefined, line: string): void {
  if (hunks === undefined) return
  if (line.startsWith('@@')) hunks.push({ oldStart: 0, newStart: 0, lines: [] })
  else if (/^[ +-]/.test(line)) {
    if (hunks.length === 0) hunks.push({ oldStart: 0, newStart: 0, lines: [] })
    hunks.at(-1)?.lines.push(line)
  }
}
