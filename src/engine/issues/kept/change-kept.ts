import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../../domain/errors'
import type { IssueId } from '../../../domain/ids'
import { issueFacts } from '../../../domain/issue/issue-facts'
import { statusCatalog } from '../../../domain/issue/issue-status'
import type { StoredIssue, Tracker } from '../../../domain/issue/issue-store'
import type { Store, WriteTx } from '../../../domain/store'
import { decodeIssue } from '../../issue-file/decode'
import type { Changed } from '../issue-inputs'
import { type IssueUnit, onlyIssue } from '../issue-unit'
import type { IssueFiles, IssuePlace } from '../trackers/issue-files'
import type { Asked, IssueKeeper, KeeperChange } from './issue-keeper'
import { ingestKept, parseKept, readKept } from './read-kept'
import { missingIn } from './verify-kept'

/** Runs the use case in a transaction, and gives its result. */
export type RunUnit = (
  tx: WriteTx,
  more: { now?: number; newIds: IssueId[] },
  after: (unit: IssueUnit) => Promise<void>,
) => Promise<Changed>

/** Ends a transaction that was only to show what would change. */
class OnlyPlanned extends AppError {
  constructor() {
    super('internal', 'only planned')
  }
}

interface Plan {
  changes: KeeperChange[]
  asked: Asked
  actor: string
  now: number
}

/**
 * One command on a tracker that another program keeps, with the file's lock held: the use case is tried, the keeper gets what would change,
 * its issues are read again, and only when they show the change is it made here, as the keeper says it.
 *
 * @throws `conflict` `unavailable` what the keeper answered; nothing here says that it happened
 */
export async function changeKept(
  store: Store,
  files: IssueFiles,
  place: IssuePlace,
  keeper: IssueKeeper,
  tracker: Tracker,
  run: RunUnit,
): Promise<Changed> {
  // From a time when the file counted: changes that it never got are not this command's.
  const former = new Map((await store.write((tx) => tx.issues.dirty(tracker.key))).map((issue) => [issue.id, issue]))
  const plan = await planOf(store, run, former)
  if (plan.changes.length === 0) return await store.write((tx) => run(tx, { newIds: [] }, async () => {}))
  let ids: Map<IssueId, IssueId>
  try {
    ids = await keeper.write(plan.changes, plan.asked, plan.actor)
  } catch (error) {
    // Some of it may have been done: what the keeper says is what is shown.
    if (!(error instanceof AppError && error.code === 'invalid'))
      await readKept(store, files, place, keeper, 'bd', true).catch(() => undefined)
    throw error
  }
  const text = await keeper.read(true)
  const parsed = parseKept(text)
  const issues = new Map(parsed.issues.map(({ issue }) => [issue.id, issue]))
  const idOf = (id: IssueId): IssueId => ids.get(id) ?? id
  const missing = missingIn(plan.changes, issues, idOf)
  const lines = new Map(parsed.issues.map(({ issue, raw }) => [issue.id, raw]))
  const knownLines = () => store.write((tx) => tx.issues.knownLines(tracker.key))
  if (missing.length > 0) {
    await ingestKept(store, files, place, tracker, { text, parsed, known: await knownLines() }, 'bd')
    throw new AppError('conflict', `bd accepted the change but does not show it: ${missing.slice(0, 5).join(', ')}.`, {
      hint: 'Run `bd show` to see its version, and check its settings and hooks.',
      details: { missing },
    })
  }
  const changedIds = new Set(plan.changes.map(({ after }) => idOf(after.id)))
  const newIds = plan.changes.filter(({ before }) => before === null).map(({ after }) => idOf(after.id))
  const changed = await store.write((tx) =>
    run(tx, { now: plan.now, newIds: [...newIds] }, (unit) => asKept(unit, lines, changedIds)),
  )
  const { notices } = await ingestKept(store, files, place, tracker, { text, parsed, known: await knownLines() }, 'bd')
  return { ...changed, notices: [...changed.notices, ...notices] }
}

async function planOf(store: Store, run: RunUnit, former: ReadonlyMap<IssueId, StoredIssue>): Promise<Plan> {
  let plan: Plan | undefined
  try {
    await store.write((tx) =>
      run(tx, { newIds: [] }, async (unit) => {
        const dirty = (await unit.issues.dirty(unit.key)).filter(
          (issue) => !isDeepStrictEqual(issue, former.get(issue.id)),
        )
        plan = { changes: dirty.map(changeOf), asked: { ...unit.asked }, actor: unit.actor, now: unit.now }
        throw new OnlyPlanned()
      }),
    )
  } catch (error) {
    if (!(error instanceof OnlyPlanned)) throw error
  }
  if (plan === undefined) throw new Error('The use case returned no result.')
  return plan
}

const changeOf = (issue: StoredIssue): KeeperChange => ({
  before: issue.raw === null ? null : decodeIssue(JSON.parse(issue.raw) as Record<string, unknown>),
  after: onlyIssue(issue),
  isDeleted: issue.isDeleted,
})

/** What the use case changed is kept as the keeper has it, with its times and ids. */
async function asKept(unit: IssueUnit, lines: ReadonlyMap<IssueId, string>, ids: ReadonlySet<IssueId>): Promise<void> {
  const catalog = statusCatalog(unit.tracker.statuses)
  const dirty = (await unit.issues.dirty(unit.key)).filter(({ id }) => ids.has(id))
  for (const ours of dirty) {
    const raw = lines.get(ours.id) ?? null
    const said = raw === null ? onlyIssue(ours) : decodeIssue(JSON.parse(raw) as Record<string, unknown>)
    const issue = { ...said, activeTaskSession: ours.activeTaskSession }
    const state = { isDeleted: ours.isDeleted, isAbsent: false, isDirty: false, raw: ours.isDeleted ? null : raw }
    await unit.issues.save(unit.key, [{ key: ours.key, issue, facts: issueFacts(issue, catalog), state }])
  }
  await unit.issues.refreshBlocked(
    unit.key,
    dirty.map(({ id }) => id),
  )
}
