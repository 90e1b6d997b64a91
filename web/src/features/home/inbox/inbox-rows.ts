import { callLine } from '../../../lib/call-words'
import { counted } from '../../../lib/format'
import { projectName } from '../../../lib/visible-text'
import type { Need } from '../needs'

/** A row of the list of needs: a need, or needs with one cause. */
export type InboxRow = { id: string; needs: readonly Need[] } & (
  | { kind: 'need'; isInGroup: boolean }
  /** `count` is that of all its needs; while it `isPartial`, `needs` has only some of them. */
  | { kind: 'group'; title: string; isOpen: boolean; cause: string; count: number; isPartial: boolean }
)

/** How many needs each cause has, loaded or not. */
export type CauseCounts = ReadonlyMap<string, number>

/** How many needs with one cause make a group. Equal questions get one answer, so two of them are enough. */
const LEAST = { question: 2, other: 3 } as const

/**
 * The needs as rows, in their order. Needs with one cause become a group, at the place of the first of them.
 *
 * @param counts  of a cause that is missing all needs are loaded
 * @param open    IDs of groups whose needs are shown
 * @param named   a need that is shown in any case
 */
export function inboxRows(
  needs: readonly Need[],
  counts: CauseCounts,
  open: ReadonlySet<string>,
  named: string | undefined,
): InboxRow[] {
  const byCause = Map.groupBy(needs, ({ cause }) => cause)
  const rows: InboxRow[] = []
  for (const need of needs) {
    const { cause } = need
    const group = (cause === null ? undefined : byCause.get(cause)) ?? [need]
    const [first = need] = group
    const count = countOf(group, counts)
    if (cause === null || count < (need.kind === 'question' ? LEAST.question : LEAST.other)) {
      rows.push({ kind: 'need', id: need.id, needs: [need], isInGroup: false })
    } else if (need === first) {
      // Named by its cause, a group stays the same while needs come and go.
      const id = `group:${cause}`
      const isOpen = open.has(id) || group.some((one) => one.id === named)
      const isPartial = count > group.length
      rows.push({ kind: 'group', id, needs: group, title: titleOf(count, first), isOpen, cause, count, isPartial })
      if (isOpen)
        rows.push(...group.map((one): InboxRow => ({ kind: 'need', id: one.id, needs: [one], isInGroup: true })))
    }
  }
  return rows
}

const countOf = (group: readonly Need[], counts: CauseCounts): number => {
  const cause = group[0]?.cause ?? null
  return Math.max(group.length, (cause === null ? undefined : counts.get(cause)) ?? 0)
}

/** Adds to needs those of a cause that were loaded by themselves, which are all that there are of it, or more. */
export const withWhole = (needs: readonly Need[], whole: readonly Need[]): Need[] => {
  const cause = whole[0]?.cause
  if (cause === undefined) return [...needs]
  const at = needs.findIndex((need) => need.cause === cause)
  const others = needs.filter((need) => need.cause !== cause)
  return at < 0 ? others : others.toSpliced(at, 0, ...whole)
}

/** How many needs the rows stand for. */
export const coveredBy = (needs: readonly Need[], counts: CauseCounts): number =>
  inboxRows(needs, counts, new Set(), undefined).reduce(
    (sum, row) => sum + (row.kind === 'group' ? row.count : row.isInGroup ? 0 : 1),
    0,
  )

function titleOf(many: number, { kind, question, project, text }: Need): string {
  const where = project === null ? '' : ` in ${projectName(project)}`
  if (question !== null) return `${many} ask for the same call: ${question.toolName} ${callLine(question.input)}`
  if (kind === 'failure') return `${many} failed alike: ${text.split('\n')[0]?.slice(0, 120) ?? ''}`
  if (kind === 'lost') return `${many} lost${where}`
  if (kind === 'unread') return `${counted(many, 'unread result')} of one session`
  return `${many} ${kind}${where}`
}
