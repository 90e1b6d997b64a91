import { AppError } from '../../domain/errors'
import type { IssueId, TrackerKey } from '../../domain/ids'
import { isIssueId } from '../../domain/issue/issue-id'
import type { Store } from '../../domain/store'

/**
 * The issue that a person's text means: its id, the part after the prefix, or a unique beginning of either.
 *
 * @param tracker  `null` = of any; an id that several trackers have is ambiguous then
 * @throws `invalid` no id · `not_found` · `conflict` several begin so (`details.ids`), or several trackers have it (`details.trackers`)
 */
export async function resolveIssue(
  store: Store,
  tracker: TrackerKey | null,
  ref: string,
): Promise<{ id: IssueId; tracker: TrackerKey }> {
  const text = ref.trim()
  if (text === '' || text.length > 200 || /[\p{Cc}\s/\\]/u.test(text))
    throw new AppError('invalid', `${JSON.stringify(ref.slice(0, 100))} is not an issue ID.`)
  const found = await store.issues.match(tracker, text)
  const [id] = found
  if (id === undefined) throw await unknownIssue(store, tracker, text)
  if (found.length > 1)
    throw new AppError('conflict', `${found.length === 20 ? '20 or more' : found.length} issues begin with ${text}.`, {
      hint: `Give more of the ID: ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}.`,
      details: { ids: found },
    })
  const issues = (await store.issues.find(tracker, id)).filter(({ isDeleted }) => !isDeleted)
  const [issue] = issues
  if (issue === undefined) throw await unknownIssue(store, tracker, text)
  if (issues.length > 1) {
    const keys = new Set(issues.map(({ trackerKey }) => trackerKey))
    const paths = (await store.issues.trackers()).filter(({ key }) => keys.has(key)).map(({ path }) => path)
    throw new AppError('conflict', `${issues.length} projects have an issue ${id}.`, {
      hint: 'Pass `dir`, a folder of the project that you mean.',
      details: { trackers: paths },
    })
  }
  return { id, tracker: issue.trackerKey }
}

async function unknownIssue(store: Store, tracker: TrackerKey | null, text: string): Promise<AppError> {
  let nearest: IssueId[] = []
  if (isIssueId(text))
    for (let length = text.length - 1; length >= 2 && nearest.length === 0; length--)
      nearest = await store.issues.match(tracker, text.slice(0, length))
  const hint =
    nearest.length > 0
      ? `Nearest: ${nearest.slice(0, 5).join(', ')}.`
      : 'Run `lode issue list --all` to see all issues.'
  return new AppError('not_found', `There is no issue ${text}.`, { hint, details: { nearest: nearest.slice(0, 5) } })
}
