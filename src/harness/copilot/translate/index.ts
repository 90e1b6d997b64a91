import type { HarnessTranslation } from '../../../domain/harness/translation'
import { readConversation } from './read'
import { writeConversation } from './write'

/** A session's file holds all of it. */
export const copilotTranslation = {
  baseOf: () => null,
  read: (transcripts: readonly Uint8Array[]) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  writer: { write: writeConversation },
} satisfies HarnessTranslation
