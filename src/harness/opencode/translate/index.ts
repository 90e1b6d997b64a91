import type { HarnessTranslation } from '../../../domain/harness/translation'
import { idOf } from './ids'
import { readConversation } from './read'
import { writeConversation } from './write'

/** A fork of a session begins with a copy of its messages. */
export const opencodeTranslation = {
  baseOf: () => null,
  read: (transcripts: readonly Uint8Array[]) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  writer: { idOf, write: writeConversation },
} satisfies HarnessTranslation
