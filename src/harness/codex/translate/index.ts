import type { HarnessTranslation } from '../../../domain/harness/translation'
import { providerIn } from './provider'
import { baseOf, readConversation } from './read'
import { writeConversation } from './write'

export const codexTranslation = {
  baseOf: (transcript: Uint8Array) => baseOf(transcript)?.thread ?? null,
  read: readConversation,
  writer: { providerIn, write: writeConversation },
} satisfies HarnessTranslation
