import { MESSAGE_LIMITS } from '../../domain/message/message'
import { messagesText, type ShownMessage } from '../../domain/message/message-text'
import { cut } from '../../util/quote'

/** Characters around the text of each message. */
const AROUND = 1_500

/** Messages as a run reads them, all of them: a long one is cut and says where the rest is. */
export function mailText(messages: readonly ShownMessage[]): string {
  const shown = messages.map((message) => {
    const { text, left } = cut(message.text, MESSAGE_LIMITS.shown)
    return { ...message, text, isCut: message.isCut || left > 0 }
  })
  const room = shown.reduce((sum, { text }) => sum + text.length + AROUND, AROUND)
  return messagesText(shown, room).text
}
