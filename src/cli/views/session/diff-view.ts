import type { Answers } from '../../../api/contract/operations'
import { localTime, plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { type ConversationSettings, turnsView } from './conversation-view'

export type Difference = Answers['sessions']['diff']

/** What two sessions share, then what each went on with. */
export function diffView(answer: Difference, settings: ConversationSettings): string {
  const { first, second } = answer
  return `${commonText(answer)}\n${sideText(first, settings)}${sideText(second, settings)}`
}

/** How two sessions belong together, and what they share. */
export function commonText(answer: Difference): string {
  const { shared } = answer
  const common =
    shared === null
      ? 'They share no lines.'
      : `They share ${plural(shared.count, 'line')}, until ${localTime(shared.lastAt)} (event ${shared.lastId}).`
  return `${relationText(answer)}\n${common}`
}

function relationText({ relation, origin, first, second }: Difference): string {
  const [a, b] = [oneLine(first.session.id), oneLine(second.session.id)]
  if (relation === 'from_first') return `${b} came from ${a}.`
  if (relation === 'to_first') return `${a} came from ${b}.`
  if (relation === 'same_origin')
    return origin === null
      ? `${a} and ${b} started as one conversation.`
      : `${a} and ${b} both came from ${oneLine(origin)}.`
  return `${a} and ${b} are unrelated.`
}

function sideText(
  { session, lineCount, turns, nextCursor }: Difference['first'],
  settings: ConversationSettings,
): string {
  const title = session.title === null ? '' : `  ${oneLine(session.title)}`
  const head = `\n== only in ${oneLine(session.id)}: ${plural(lineCount, 'line')} ==${title}\n`
  const body = lineCount === 0 ? '(nothing)\n' : turnsView(session, turns, settings)
  const id = oneLine(session.id).slice(0, 8)
  const rest = nextCursor === null ? '' : `(there is more: lode session show ${id} --cursor ${oneLine(nextCursor)})\n`
  return head + body + rest
}
