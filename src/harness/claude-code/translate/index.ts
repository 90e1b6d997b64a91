import type { HarnessTranslation } from '../../../domain/harness/translation'
import { readConversation } from './read'
import { writeConversation } from './write'

/** A transcript repeats what it was forked from. */
export const claudeCodeTranslation: HarnessTranslation = {
  baseOf: () => null,
  read: (transcripts) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  write: writeConversation,
}
