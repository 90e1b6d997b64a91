import type { OverviewReads, SessionFace, TaskFace } from '../../domain/overview/overview-store'
import type { NeedDraft } from './scene'
import { failureText } from './show-needs'

/** What is known of needs without their texts. */
interface Faces {
  task: TaskFace | null
  session: SessionFace | null
}

/** Characters of a cause. Other calls must not pass for the one that a person looked at, so its digest is a long one. */
const CAUSE = 32

/**
 * What each need shares with others that one decision fits, by its ID; see `Need.cause`. It reads few columns: of needs that are not shown,
 * too.
 */
export async function causesOf(
  reads: OverviewReads,
  needs: readonly NeedDraft[],
): Promise<ReadonlyMap<string, string>> {
  const placed = needs.filter(
    ({ kind }) => kind === 'failure' || kind === 'lost' || kind === 'stuck' || kind === 'waiting',
  )
  const [tasks, sessions] = await Promise.all([
    reads.taskFaces([...new Set(placed.flatMap(({ task }) => task?.key ?? []))]),
    reads.sessionFaces([...new Set(placed.flatMap(({ session }) => session?.key ?? []))]),
  ])
  return new Map(
    needs.flatMap((need) => {
      const cause = causeOf(need, {
        task: (need.task && tasks.get(need.task.key)) ?? null,
        session: (need.session && sessions.get(need.session.key)) ?? null,
      })
      return cause === null ? [] : [[need.id, `${need.kind}:${digestOf(JSON.stringify(cause))}`] as const]
    }),
  )
}

/** What is not known whole is like nothing else. */
function causeOf(need: NeedDraft, faces: Faces): unknown[] | null {
  const project = faces.task?.project ?? faces.session?.project ?? null
  switch (need.kind) {
    case 'question':
      return need.question.isCut ? null : [need.question.toolName, need.question.input]
    case 'failure':
      return [need.task?.failureClass ?? null, failureText(faces.task)]
    case 'lost':
      return [need.task === null, project]
    case 'stuck':
    case 'waiting':
      return [project]
    case 'unread':
      return [need.run.sessionId]
    default:
      return null
  }
}

const digestOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, CAUSE)

/** How many of the needs have each of these causes. */
export function countCauses(
  needs: readonly NeedDraft[],
  causes: ReadonlyMap<string, string>,
): (cause: string) => number {
  const counts = new Map<string, number>()
  for (const { id } of needs) {
    const cause = causes.get(id)
    if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return (cause) => counts.get(cause) ?? 0
}
