import { isDeepStrictEqual } from 'node:util'
import type { IssueId } from '../../../domain/ids'
import type { FullIssue } from '../../../domain/issue/issue'
import { issueFieldsOf } from '../../../domain/issue/issue-fields'
import type { KeeperChange } from './issue-keeper'

/** Fields that a change sets; times of the record itself, and who made it, are the keeper's own. */
const TEXTS = ['title', 'closeReason', ...issueFieldsOf('text')] as const
/** Without the owner: the keeper chooses it. */
const NAMES = issueFieldsOf('name', 'minutes').filter((name) => name !== 'owner')
const VALUES = ['status', 'priority', 'issueType', ...NAMES] as const
const TIMES = issueFieldsOf('time')

/**
 * Which of the wanted changes a keeper's issues do not show, one phrase each; none = they are all there. Blanks at the ends of texts
 * and fractions of seconds, which it does not keep, do not count.
 */
export function missingIn(
  changes: readonly KeeperChange[],
  issues: ReadonlyMap<IssueId, FullIssue>,
  idOf: (id: IssueId) => IssueId,
): string[] {
  return changes.flatMap(({ before, after, isDeleted }) => {
    const id = idOf(after.id)
    const found = issues.get(id)
    if (isDeleted) return found === undefined ? [] : [`${id} is still there`]
    if (found === undefined) return [`${id} is missing`]
    return differences(before, after, found, idOf).map((field) => `${field} of ${id}`)
  })
}

function differences(
  before: FullIssue | null,
  after: FullIssue,
  found: FullIssue,
  idOf: (id: IssueId) => IssueId,
): string[] {
  const isChanged = (field: keyof FullIssue) => before === null || !isDeepStrictEqual(before[field], after[field])
  const missing: string[] = []
  const expect = (field: keyof FullIssue, isThere: boolean) => {
    if (isChanged(field) && !isThere) missing.push(field)
  }
  for (const field of TEXTS) expect(field, (after[field] ?? '').trim() === (found[field] ?? '').trim())
  for (const field of VALUES) expect(field, after[field] === found[field])
  for (const field of TIMES) expect(field, isSameTime(after[field], found[field]))
  expect('labels', hasLabels(before, after, found))
  expect('dependencies', hasEdges(before, after, found, idOf))
  expect('comments', hasComments(before, after, found))
  if (!isDeepStrictEqual(before?.extra.metadata, after.extra.metadata)) {
    const wanted = after.extra.metadata ?? {}
    if (!isDeepStrictEqual(wanted, found.extra.metadata ?? {})) missing.push('metadata')
  }
  return missing
}

/** A new child has its parent's labels too: that is what bd does. */
function hasLabels(before: FullIssue | null, after: FullIssue, found: FullIssue): boolean {
  const labels = new Set(found.labels)
  const gone = before?.labels.filter((label) => !after.labels.includes(label)) ?? []
  return after.labels.every((label) => labels.has(label.trim())) && !gone.some((label) => labels.has(label))
}

function hasEdges(
  before: FullIssue | null,
  after: FullIssue,
  found: FullIssue,
  idOf: (id: IssueId) => IssueId,
): boolean {
  const edges = new Set(found.dependencies.map(({ dependsOnId, type }) => `${type}\0${dependsOnId}`))
  const wanted = after.dependencies.map(({ dependsOnId, type }) => `${type}\0${idOf(dependsOnId)}`)
  const gone = before?.dependencies.map(({ dependsOnId, type }) => `${type}\0${dependsOnId}`) ?? []
  return wanted.every((edge) => edges.has(edge)) && !gone.some((edge) => !wanted.includes(edge) && edges.has(edge))
}

function hasComments(before: FullIssue | null, after: FullIssue, found: FullIssue): boolean {
  const wordsOf = ({ author, text }: FullIssue['comments'][number]) => `${author}\0${text.trim()}`
  const known = new Set(before?.comments.map(({ id }) => id))
  const added = after.comments.filter(({ id }) => !known.has(id)).map(wordsOf)
  const news = found.comments.filter(({ id }) => !known.has(id)).map(wordsOf)
  return added.every((words) => {
    const at = news.indexOf(words)
    if (at >= 0) news.splice(at, 1)
    return at >= 0
  })
}

function isSameTime(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a === b
  return Math.abs(Date.parse(a) - Date.parse(b)) <= 1_000
}
