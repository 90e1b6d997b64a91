import type { HarnessTranslation } from '../../../domain/harness/translation'
import { readConversation } from './read'

/** Lodeline does not run the CLI, so it gives it no conversations. */
export const qwenTranslation = {
  baseOf: () => null,
  read: (transcripts: readonly Uint8Array[]) => readConversation(transcripts.at(-1) ?? new Uint8Array()),
  writer: null,
} satisfies HarnessTranslation
