import type { HarnessTranslation } from '../../../domain/harness/translation'
import { readConversation } from './read'
import { writeConversation } from './write'

/** A transcript repeats what it was forked from. */
export const claudeCodeTranslation = {
  baseOf: () => null,
  read: (transcripts: readonly Uint8Array[]) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  writer: { write: writeConversation },
} satisfies HarnessTranslation
