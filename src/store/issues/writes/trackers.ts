import { AppError } from '../../../domain/errors'
import { type TrackerKey, trackerKey } from '../../../domain/ids'
import type { KeptLine } from '../../../domain/issue/issue-file'
import type { NewTracker, Tracker } from '../../../domain/issue/issue-store'
import { type TaskDialect, takeTurn } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import { TRACKER } from '../rows'

const BY_KEY = statement<{ key: TrackerKey }>()((db, param) => selectRows(db, TRACKER).where('t.id', '=', param('key')))
const AT = statement<{ hostName: string; path: string }>()((db, param) =>
  selectRows(db, TRACKER).where('t.host_name', '=', param('hostName')).where('t.path', '=', param('path')),
)

export function* tracker(key: TrackerKey): Program<Tracker | undefined> {
  const row = yield* BY_KEY.first({ key })
  return row && TRACKER.read(row)
}

export function* trackerAt(hostName: string, path: string): Program<Tracker | undefined> {
  const row = yield* AT.first({ hostName, path })
  return row && TRACKER.read(row)
}

const INSERT = insertRow(TRACKER, TRACKER.names('key'), [], (insert) =>
  insert.onConflict((conflict) => conflict.columns(['host_name', 'path']).doNothing()),
)

export function* insertTracker(row: NewTracker): Program<TrackerKey> {
  const id = yield* INSERT.insert(row)
  if (id === null) throw new AppError('conflict', `there is a tracker for ${row.path} already`)
  return trackerKey(id)
}

export function* updateTracker(key: TrackerKey, patch: Partial<NewTracker>): Program<void> {
  yield* updateRow(TRACKER, patch, key)
}

/** Of units that write issues of a tracker one goes on after the other. */
export const lockTracker = (db: TaskDialect, key: TrackerKey): Program<void> => takeTurn(db, `tracker ${key}`)

const KEPT = statement<{ key: TrackerKey }>()((db, param) =>
  db
    .selectFrom('issue_kept_lines')
    .select(['raw', 'line', 'kind', 'native_id as id'])
    .where('tracker_id', '=', param('key'))
    .orderBy('issue_kept_lines.id'),
)

export const keptLines = (key: TrackerKey): Program<KeptLine[]> => KEPT.rows({ key })

const REMOVE_KEPT = statement<{ key: TrackerKey }>()((db, param) =>
  db.deleteFrom('issue_kept_lines').where('tracker_id', '=', param('key')),
)
const ADD_KEPT = statement<{ key: TrackerKey; line: number; kind: KeptLine['kind']; id: string | null; raw: string }>()(
  (db, param) =>
    db.insertInto('issue_kept_lines').values({
      tracker_id: param('key'),
      line: param('line'),
      kind: param('kind'),
      native_id: param('id'),
      raw: param('raw'),
    }),
)

export function* replaceKeptLines(key: TrackerKey, lines: readonly KeptLine[]): Program<void> {
  yield* REMOVE_KEPT.run({ key })
  for (const line of lines) yield* ADD_KEPT.run({ ...line, key })
}
