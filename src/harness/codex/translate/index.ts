import type { HarnessTranslation } from '../../../domain/harness/translation'
import { baseOf, readConversation } from './read'
import { writeConversation } from './write'

export const codexTranslation: HarnessTranslation = {
  baseOf: (transcript) => baseOf(transcript)?.thread ?? null,
  read: readConversation,
  write: writeConversation,
}
