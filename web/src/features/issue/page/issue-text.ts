import { isAppError } from '#domain/errors'
import { drop, keep, readKept } from '../../task/form/task-draft'
import type { IssueText } from './issue-page-search'

/** A text that is being edited, and the text that the edit started from. */
export interface TextDraft {
  text: string
  base: string
  /** `updatedAt` of the issue that `base` was read from. */
  updatedAt: string
}

const keyOf = (id: string, field: IssueText) => `lodeline.edit.${id}.${field}`

/** The stored draft of an unfinished edit. */
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

/** Stores a draft; null removes it. */
export function keepTextDraft(id: string, field: IssueText, draft: TextDraft | null): void {
  if (draft === null) drop(keyOf(id, field))
  else keep(keyOf(id, field), JSON.stringify(draft))
}

/** Somebody else changed the text. Nothing was saved, so that no text is lost. */
export class TextChanged extends Error {}

/** How often saving is tried if other fields of the issue keep changing. */
const MAX_TRIES = 4

interface SaveText {
  draft: TextDraft
  read(): Promise<{ value: string; updatedAt: string }>
  write(text: string, ifUpdatedAt: string): Promise<void>
}

/**
 * Saves an edited text unless somebody changed the same text in the meantime.
 *
 * @throws TextChanged  somebody changed it
 */
export async function saveText({ draft, read, write }: SaveText): Promise<void> {
  let { updatedAt } = draft
  for (let tries = 1; ; tries++)
    try {
      return await write(draft.text, updatedAt)
    } catch (error) {
      if (!isAppError(error) || error.code !== 'conflict' || typeof error.details?.updatedAt !== 'string') throw error
      const now = await read()
      if (now.value !== draft.base) throw new TextChanged('Somebody changed this text while you were editing.')
      if (tries >= MAX_TRIES) throw error
      updatedAt = now.updatedAt
    }
}
