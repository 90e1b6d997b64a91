import { AppError } from '../../../domain/errors'
import { type TrackerKey, trackerKey } from '../../../domain/ids'
import type { KeptLine } from '../../../domain/issue/issue-file'
import type { NewTracker, Tracker } from '../../../domain/issue/issue-store'
import { type TaskDialect, takeTurn } from '../../sql/dialect'
import { first, insert, type Program, rows, run } from '../../sql/program'
import { TRACKER, TRACKER_COLUMNS } from '../rows'

const NEW_FIELDS = TRACKER.names('key')

export function* tracker(key: TrackerKey): Program<Tracker | undefined> {
  const found = yield* first<object>(`select ${TRACKER_COLUMNS} from trackers t where t.id = ?`, key)
  return found && TRACKER.read({ ...found })
}

export function* trackerAt(hostName: string, path: string): Program<Tracker | undefined> {
  const found = yield* first<object>(
    `select ${TRACKER_COLUMNS} from trackers t where t.host_name = ? and t.path = ?`,
    hostName,
    path,
  )
  return found && TRACKER.read({ ...found })
}

export function* insertTracker(row: NewTracker): Program<TrackerKey> {
  const id = yield* insert(
    `${TRACKER.insert(NEW_FIELDS)} on conflict (host_name, path) do nothing`,
    ...TRACKER.values(row, NEW_FIELDS),
  )
  if (id === null) throw new AppError('conflict', `A tracker for ${row.path} already exists.`)
  return trackerKey(id)
}

export function* updateTracker(key: TrackerKey, patch: Partial<NewTracker>): Program<void> {
  const update = TRACKER.update(patch)
  if (update) yield* run(update.sql, ...update.params, key)
}

/** Units that write issues of one tracker go on one after the other. */
export const lockTracker = (db: TaskDialect, key: TrackerKey): Program<void> => takeTurn(db, `tracker ${key}`)

export const keptLines = (key: TrackerKey): Program<KeptLine[]> =>
  rows<KeptLine>(
    'select raw as raw, line as line, kind as kind, native_id as id from issue_kept_lines where tracker_id = ? order by id',
    key,
  )

export function* replaceKeptLines(key: TrackerKey, lines: readonly KeptLine[]): Program<void> {
  yield* run('delete from issue_kept_lines where tracker_id = ?', key)
  for (const { raw, line, kind, id } of lines)
    yield* run(
      'insert into issue_kept_lines (tracker_id, line, kind, native_id, raw) values (?, ?, ?, ?, ?)',
      key,
      line,
      kind,
      id,
      raw,
    )
}
