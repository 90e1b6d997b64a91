import type { SecretMark, SecretTx } from '../../domain/secrets/secret-store'
import type { Driver, Program } from '../sql/program'
import { statement } from '../sql/statement'

/** The port of secrets over one connection. */
export function createSecretTx(driver: Driver, now: () => number): SecretTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    addMarks: (marks) => drive(addMarks(now(), marks)),
    linesIn: (incarnation, session, from, to) =>
      session === null ? [] : drive(LINES_IN.rows({ incarnation, session, from, to })),
    setScanned: (incarnation, scanned, rules) => drive(setScanned(incarnation, scanned, rules)),
  }
}

const ADD_SECRET = statement<{ id: string; rule: string; preview: string; at: number }>()((db, param) =>
  db
    .insertInto('secrets')
    .values({ public_id: param('id'), rule: param('rule'), preview: param('preview'), first_seen_at: param('at') })
    .onConflict((conflict) => conflict.column('public_id').doNothing()),
)
const KEY_OF = statement<{ id: string }>()((db, param) =>
  db.selectFrom('secrets').select('id').where('public_id', '=', param('id')),
)
const ADD_MARK = statement<{
  incarnation: SecretMark['incarnation']
  offset: number
  length: number
  secret: number
  session: SecretMark['session']
  line: Uint8Array | null
}>()((db, param) =>
  db
    .insertInto('secret_marks')
    .values({
      incarnation_id: param('incarnation'),
      offset: param('offset'),
      length: param('length'),
      secret_id: param('secret'),
      session_id: param('session'),
      line_uuid: param('line'),
    })
    .onConflict((conflict) => conflict.columns(['incarnation_id', 'offset']).doNothing()),
)

/** Secrets first and in one order, so that two recorders never wait for each other. */
function* addMarks(at: number, marks: readonly SecretMark[]): Program<number> {
  const keys = new Map<string, number>()
  for (const { id, rule, preview } of marks.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (keys.has(id)) continue
    yield* ADD_SECRET.run({ id, rule, preview, at })
    const found = yield* KEY_OF.first({ id })
    if (found !== undefined) keys.set(id, found.id)
  }
  let added = 0
  for (const { id, incarnation, offset, length, session, line } of marks) {
    const secret = keys.get(id)
    if (secret !== undefined) added += yield* ADD_MARK.changed({ incarnation, offset, length, secret, session, line })
  }
  return added
}

const LINES_IN = statement<{
  incarnation: SecretMark['incarnation']
  session: NonNullable<SecretMark['session']>
  from: number
  to: number
}>()((db, param) =>
  db
    .selectFrom('conversation_events')
    .select(['offset', 'length', 'uuid as line'])
    .where('session_id', '=', param('session'))
    .where('incarnation_id', '=', param('incarnation'))
    .where('offset', '>=', param('from'))
    .where('offset', '<', param('to'))
    .orderBy('offset'),
)

const SCANNED = statement<{ incarnation: SecretMark['incarnation']; scanned: number; rules: string }>()((db, param) =>
  db
    .insertInto('secret_scans')
    .values({ incarnation_id: param('incarnation'), scanned: param('scanned'), rules: param('rules') })
    .onConflict((conflict) =>
      conflict.column('incarnation_id').doUpdateSet((eb) => ({
        scanned: eb.ref('excluded.scanned'),
        rules: eb.ref('excluded.rules'),
      })),
    ),
)

function* setScanned(incarnation: SecretMark['incarnation'], scanned: number, rules: string): Program<void> {
  yield* SCANNED.run({ incarnation, scanned, rules })
}
