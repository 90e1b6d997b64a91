import type {
  Company,
  CurrentIssue,
  Fellow,
  Leaver,
  RecalledChange,
  RecalledChanges,
  RecalledTodo,
} from '../../domain/recall/recall'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import { inline } from '../../util/quote'
import { lines, type Section } from './compose'
import { overlapping } from './overlap'
import { minute, shownId, todoText, workText } from './sections'

/** Changes of an issue that one text reports. */
export const CHANGES_TOLD = 5
/** Items of an earlier session, and of one that is at work. */
const LEFT_SHOWN = 10
const OVERLAPS_SHOWN = 3

const WHY: Record<IssueLinkSource, string> = {
  person: '',
  claim: 'which you claimed',
  task: 'which your task serves',
  environment: 'named by LODELINE_ISSUE',
  prompt: 'named in your prompt',
  branch: 'named by the git branch',
}

/** Why a session is thought to work on its issue, in a few words; '' where a person said so. */
export function whyLinked(issue: CurrentIssue | null): string {
  const [strongest] = issue?.evidence ?? []
  return strongest === undefined ? '' : WHY[strongest.source]
}

/** What others did to the issue. @param isFirst  the agent heard nothing of it before */
export function issueChanges(
  issue: Pick<CurrentIssue, 'id'> | null,
  recalled: RecalledChanges | null,
  isFirst: boolean,
): Section {
  const { changes, total } = recalled ?? { changes: [], total: 0 }
  const more = total > changes.length ? `, the newest ${changes.length} of ${total}` : ''
  const heading = isFirst
    ? `Changed on ${shownId(issue?.id ?? '')} by others so far${more}:`
    : `Changed on ${shownId(issue?.id ?? '')} by others since your last reminder${more}:`
  return {
    name: 'changes of the issue',
    floor: 450,
    write: lines(
      heading,
      changes.map((change) => `- ${minute(change.at)}, ${inline(change.by, 60)} ${whatChanged(change)}`),
    ),
  }
}

const shortValue = (value: unknown, limit = 200): string =>
  inline(typeof value === 'string' ? value : JSON.stringify(value), limit)

/** One id, or several. */
const idOf = (value: unknown): string =>
  [value]
    .flat()
    .slice(0, 5)
    .map((one) => (typeof one === 'string' ? shownId(one) : shortValue(one, 40)))
    .join(', ')

/** A change in words. Its values are anybody's text. */
function whatChanged({ event, old, new: now }: RecalledChange): string {
  const status =
    typeof old?.status === 'string' && typeof now?.status === 'string' && old.status !== now.status
      ? `status ${shownId(old.status)} → ${shownId(now.status)}`
      : ''
  switch (event) {
    case 'commented':
      return `commented: ${shortValue(now?.text ?? '', 300)}`
    case 'closed':
      return `closed it${now?.closeReason ? `: ${shortValue(now.closeReason)}` : ''}`
    case 'reopened':
      return `reopened it${now?.reason ? `: ${shortValue(now.reason)}` : ''}`
    case 'dependency_added':
      return `made it depend on ${idOf(now?.dependsOnId)} (${idOf(now?.type)})`
    case 'dependency_removed':
      return `removed its dependency on ${idOf(old?.dependsOnId)}`
    case 'claim_lapsed':
      return `ended the claim of ${shortValue(old?.holder, 60)}, who is gone${status === '' ? '' : `; ${status}`}`
    case 'updated': {
      const fields = Object.keys(now ?? {}).filter(
        (field) => field !== 'updatedAt' && (field !== 'status' || status === ''),
      )
      const others =
        fields.length === 0
          ? ''
          : `changed ${fields
              .slice(0, 6)
              .map((field) => shortValue(field, 40))
              .join(', ')}`
      return [status, others].filter((part) => part !== '').join('; ') || 'changed it'
    }
    default:
      return `${/^[a-z_]{1,40}$/.test(event) ? event.replaceAll('_', ' ') : shortValue(event, 60)}${status === '' ? '' : `; ${status}`}`
  }
}

/** What sessions that are over left open on this work. */
export function leftBehind(earlier: readonly Leaver[]): Section {
  const all = earlier.flatMap((leaver) => {
    const { sessionId, todos, todoTotal, work } = leaver
    const hidden = todoTotal - Math.min(todos.length, LEFT_SHOWN)
    return [
      `- ${nameOf(leaver)}: ${todoTotal} open${todos.length === 0 ? '' : `; \`lode todo take --from ${shownId(sessionId)}\` makes them yours`}`,
      ...todos.slice(0, LEFT_SHOWN).map((todo) => `  - ${todoText(todo)}`),
      ...(hidden > 0 ? [`  - and ${hidden} more`] : []),
      ...work.map((one) => `  - ${workText(one, ', no end seen')}`),
    ]
  })
  return {
    name: 'left by earlier sessions',
    floor: 450,
    write: lines('Left by earlier sessions on this work, newest first:', all),
  }
}

/** Others at the same issue now, and the to-dos of ours that are on their lists too. */
export function atWork(live: readonly Fellow[], ours: readonly RecalledTodo[]): Section {
  const all = live.flatMap((fellow) => {
    const { todos, todoTotal } = fellow
    const current = todos.find(({ status }) => status === 'in_progress')
    const both = overlapping(ours, todos)
    return [
      `- ${nameOf(fellow)}${todoTotal === 0 ? '' : `, ${todoTotal} open to-dos`}${current === undefined ? '' : `, at ${inline(current.content, 120)}`}`,
      ...both.slice(0, OVERLAPS_SHOWN).map(({ content }) => `  - on both lists: ${inline(content, 150)}`),
      ...(both.length > OVERLAPS_SHOWN ? [`  - and ${both.length - OVERLAPS_SHOWN} more on both lists`] : []),
    ]
  })
  return {
    name: 'others at work',
    floor: 200,
    write: lines('Working on the same issue now (coordinate with them before you do the same work):', all),
  }
}

const nameOf = ({ sessionId, title, lastEventAt }: Fellow): string =>
  `session ${shownId(sessionId)}${title === null ? '' : ` ${inline(title, 80)}`}${lastEventAt === null ? '' : `, last active ${minute(lastEventAt)}`}`

/** The same without to-dos: where they are switched off. */
export function withoutTodos({ earlier, live }: Company): Company {
  const bare = { todos: [], todoTotal: 0 }
  return {
    earlier: earlier.filter(({ work }) => work.length > 0).map((one) => ({ ...one, ...bare })),
    live: live.map((one) => ({ ...one, ...bare })),
  }
}
