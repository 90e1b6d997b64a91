import type { HarnessTranslation } from '../../../domain/harness/translation'
import { readConversation } from './read'
import { writeConversation } from './write'

/** A fork of a session begins with a copy of its entries. */
export const piTranslation = {
  baseOf: () => null,
  read: (transcripts: readonly Uint8Array[]) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  writer: { write: writeConversation },
} satisfies HarnessTranslation
