import type { Message } from '../../domain/message/message'
import { isFinal } from '../../domain/task/task'
import { mailText } from '../mail/mail-text'
import type { RecallStore, TaskFacts } from './facts'

/** Messages in one prompt: as many as one flight carries. */
const MAX_MESSAGES = 50
/** Tasks that are named. */
const NAMED = 20

/** The messages that go with the first prompt of the live attempt. */
export async function mailWithPrompt(store: RecallStore, { attempts }: TaskFacts): Promise<Message[]> {
  const live = attempts.findLast(({ isLive }) => isLive)
  if (live === undefined) return []
  const { rows } = await store.messages.list({ target: live.id, statuses: ['queued'] }, { limit: MAX_MESSAGES })
  return rows.filter(({ route }) => route === 'resume')
}

/** A prompt with messages behind it, each with its mark. */
export const withMail = (prompt: string, mail: readonly Message[]): string =>
  mail.length === 0 ? prompt : `${prompt}\n\n${mailText(mail)}`

/** The task's last run had ended, and waited for others. */
export function wokenPrompt({ task, children }: TaskFacts, hasMail: boolean): string {
  const open = children
    .filter(({ status }) => status !== 'offered' && (status === 'waiting' || !isFinal(status)))
    .map(({ id }) => id)
  const names = `${open.slice(0, NAMED).join(', ')}${open.length > NAMED ? ` and ${open.length - NAMED} more` : ''}`
  const left =
    open.length === 0
      ? 'No task below it is open any more: finish it.'
      : `Still open below it: ${names}. Their results will be delivered to you; end your turn to wait for them.`
  const news = hasMail
    ? 'The messages received in the meantime follow below.'
    : 'Use get-task to see the results of the tasks below it.'
  return `Continue task ${task.id} of Lodeline, which was waiting for other tasks. ${news} ${left}`
}
