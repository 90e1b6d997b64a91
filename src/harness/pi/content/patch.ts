import type { ContentBlock, PatchHunk } from '../../../domain/conversation/line-content'
import { isRecord, listOf, textOf } from '../../json-lines/json-value'
import type { Call } from '../parts'

type Patch = Extract<ContentBlock, { kind: 'patch' }>

/** Replacements of one call that are shown. */
const EDIT_LIMIT = 1_000

/** The changes that a call of `edit` asks for. Places of a file are not told. Older releases replaced one text at a time. */
export function patchOf({ name, input }: Call): Patch | null {
  if (name !== 'edit' || !isRecord(input)) return null
  const path = textOf(input.path)
  const edits = [...listOf(input.edits).slice(0, EDIT_LIMIT), input]
  const hunks = edits.flatMap((edit): PatchHunk[] => {
    const [before, after] = isRecord(edit) ? [textOf(edit.oldText), textOf(edit.newText)] : []
    if (before === undefined || after === undefined) return []
    return [{ oldStart: 0, newStart: 0, lines: [...signed('-', before), ...signed('+', after)] }]
  })
  return path === undefined || hunks.length === 0 ? null : { kind: 'patch', path, hunks }
}

const signed = (sign: string, text: string): string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${sign}${line}`)
