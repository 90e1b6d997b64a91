import type { PatchHunk } from '../../../domain/conversation/line-content'
import { isRecord, type JsonRecord, listOf, textOf } from '../../json-lines/json-value'
import { diffTexts, newText } from './line-diff'

/** What is changed in one file. */
export interface Patch {
  path: string
  hunks: PatchHunk[]
}

/** What a call is to change, from its input alone: nothing in it tells where in the file. `null` = it changes no file, or tells nothing. */
export function patchOfCall(name: string, input: unknown): Patch | null {
  if (!isRecord(input)) return null
  if (name === 'NotebookEdit') return patch(input.notebook_path, cellHunks(undefined, input.new_source))
  if (name === 'Write') return patch(input.file_path, hunksOfText(input.content))
  if (name === 'Edit') return patch(input.file_path, editHunks(input))
  if (name === 'MultiEdit')
    return patch(
      input.file_path,
      listOf(input.edits).flatMap((edit) => (isRecord(edit) ? editHunks(edit) : [])),
    )
  return null
}

/** What a call changed, as the CLI notes it beside the answer. Its fields identify it: the line names no tool. */
export function patchOfResult(result: unknown): Patch | null {
  if (!isRecord(result)) return null
  if (typeof result.notebook_path === 'string')
    return patch(result.notebook_path, cellHunks(result.old_source, result.new_source))
  const recorded = listOf(result.structuredPatch).flatMap(hunkOf)
  if (recorded.length > 0) return patch(result.filePath, recorded)
  if (result.type === 'create') return patch(result.filePath, hunksOfText(result.content))
  const [before, after] = [textOf(result.oldString), textOf(result.newString)]
  return before === undefined || after === undefined ? null : patch(result.filePath, diffTexts(before, after))
}

function patch(path: unknown, hunks: PatchHunk[]): Patch | null {
  return typeof path === 'string' && hunks.length > 0 ? { path, hunks } : null
}

const editHunks = ({ old_string, new_string }: JsonRecord): PatchHunk[] =>
  diffTexts(textOf(old_string) ?? '', textOf(new_string) ?? '')

const hunksOfText = (text: unknown): PatchHunk[] => newText(textOf(text) ?? '')

/** A cell's place in its file is not known. */
function cellHunks(before: unknown, after: unknown): PatchHunk[] {
  return diffTexts(textOf(before) ?? '', textOf(after) ?? '')
}

/** Remarks of the patch (`\ No newline at end of file`) are no lines of the file. */
function hunkOf(hunk: unknown): PatchHunk[] {
  if (!isRecord(hunk)) return []
  const lines = listOf(hunk.lines).filter((line): line is string => typeof line === 'string' && /^[ +-]/.test(line))
  return lines.length === 0 ? [] : [{ oldStart: placeOf(hunk.oldStart), newStart: placeOf(hunk.newStart), lines }]
}

const placeOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
