import { callLine } from '../../../lib/call-words'
import { counted } from '../../../lib/format'
import { projectName } from '../../../lib/visible-text'
import type { Need } from '../needs'

/** A row of the list of needs: a need, or needs with one cause. */
export type InboxRow = { id: string; needs: readonly Need[] } & (
  | { kind: 'need'; isInGroup: boolean }
  | { kind: 'group'; title: string; isOpen: boolean }
)

/** Of so many needs with one cause a group is made. Equal questions get one answer, so two of them are enough. */
const LEAST = { question: 2, other: 3 } as const

/**
 * The needs as rows, in their order. Needs with one cause become a group, at the place of the first of them.
 *
 * @param open   IDs of groups whose needs are shown
 * @param named  a need that is shown in any case
 */
export function inboxRows(needs: readonly Need[], open: ReadonlySet<string>, named: string | undefined): InboxRow[] {
  const byCause = Map.groupBy(needs, causeOf)
  const rows: InboxRow[] = []
  for (const need of needs) {
    const group = byCause.get(causeOf(need)) ?? [need]
    const [first = need] = group
    if (group.length < (need.kind === 'question' ? LEAST.question : LEAST.other)) {
      rows.push({ kind: 'need', id: need.id, needs: [need], isInGroup: false })
    } else if (need === first) {
      const id = groupId(need)
      const isOpen = open.has(id) || group.some((one) => one.id === named)
      rows.push({ kind: 'group', id, needs: group, title: titleOf(group, first), isOpen })
      if (isOpen)
        rows.push(...group.map((one): InboxRow => ({ kind: 'need', id: one.id, needs: [one], isInGroup: true })))
    }
  }
  return rows
}

/** A group is named by its cause: it stays the same while needs come and go. */
const groupId = (need: Need): string => `group:${digestOf(causeOf(need))}`

/** What needs share that one decision fits. What is not known whole is like nothing else. */
function causeOf(need: Need): string {
  const { kind, id, question } = need
  if (question !== null) return question.isCut ? id : JSON.stringify([kind, question.toolName, question.input])
  if (kind === 'failure') return JSON.stringify([kind, need.failureClass, need.text])
  if (kind === 'lost') return JSON.stringify([kind, need.taskId === null, need.project])
  if (kind === 'unread') return JSON.stringify([kind, need.sessionId])
  if (kind === 'stuck' || kind === 'waiting') return JSON.stringify([kind, need.project])
  return id
}

function titleOf(group: readonly Need[], { kind, question, project, text }: Need): string {
  const many = group.length
  const where = project === null ? '' : ` in ${projectName(project)}`
  if (question !== null) return `${many} ask for the same call: ${question.toolName} ${callLine(question.input)}`
  if (kind === 'failure') return `${many} failed alike: ${text.split('\n')[0]?.slice(0, 120) ?? ''}`
  if (kind === 'lost') return `${many} lost${where}`
  if (kind === 'unread') return `${counted(many, 'unread result')} of one session`
  return `${many} ${kind}${where}`
}

/** A short name for a text (FNV-1a): for addresses, not for security. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
