import { isAppError } from '../../../src/domain/errors'
import type { IssueText } from './issue-page-search'
import { drop, keep, readKept } from './task-draft'

/** A text that is being edited, and what it was when that began. */
export interface TextDraft {
  text: string
  base: string
  /** `updatedAt` of the issue that `base` was read from. */
  updatedAt: string
}

const keyOf = (id: string, field: IssueText) => `lodeline.edit.${id}.${field}`

/** What this tab kept of an edit that was not finished. */
export function readTextDraft(id: string, field: IssueText): TextDraft | null {
  try {
    const value: unknown = JSON.parse(readKept(keyOf(id, field)) ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    const { text, base, updatedAt } = value as Record<string, unknown>
    return typeof text === 'string' && typeof base === 'string' && typeof updatedAt === 'string'
      ? { text, base, updatedAt }
      : null
  } catch {
    return null
  }
}

export function keepTextDraft(id: string, field: IssueText, draft: TextDraft | null): void {
  if (draft === null) drop(keyOf(id, field))
  else keep(keyOf(id, field), JSON.stringify(draft))
}

/** The text is another than the one that was edited: nobody's words are thrown away. */
export class TextChanged extends Error {}

/** Other fields may have changed meanwhile, so often in a row; that is no reason not to save this one. */
const TRIES = 4

interface SaveText {
  draft: TextDraft
  read(): Promise<{ value: string; updatedAt: string }>
  write(text: string, ifUpdatedAt: string): Promise<void>
}

/**
 * Saves an edited text unless somebody changed the same text since it was read.
 * @throws TextChanged  somebody did
 */
export async function saveText({ draft, read, write }: SaveText): Promise<void> {
  let { updatedAt } = draft
  for (let tries = 1; ; tries++)
    try {
      return await write(draft.text, updatedAt)
    } catch (error) {
      if (!isAppError(error) || error.code !== 'conflict' || typeof error.details?.updatedAt !== 'string') throw error
      const now = await read()
      if (now.value !== draft.base) throw new TextChanged('Somebody changed this text while you wrote.')
      if (tries >= TRIES) throw error
      updatedAt = now.updatedAt
    }
}
