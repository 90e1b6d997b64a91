import { AppError } from '../../domain/errors'
import type { JournalRef } from '../../domain/harness/harness'
import type { IncarnationKey, JournalKey, SessionKey } from '../../domain/ids'
import { incarnationKey, journalKey, sessionKey } from '../../domain/ids'
import type { CloseReason, IncarnationState, JournalCursor } from '../../domain/record/record-store'
import { changed, first, insert, type Program, run } from '../sql/program'

interface IncarnationRow {
  id: number
  number: number
  device: number | null
  inode: number | null
  size: number
  parsed: number
  head_length: number
  head_hash: Uint8Array | null
  tail_length: number
  tail_hash: Uint8Array | null
  own_from_at: number | null
  carry: string | null
  closed_at: number | null
}

const COLUMNS =
  'id, number, device, inode, size, parsed, head_length, head_hash, tail_length, tail_hash, own_from_at, carry, closed_at'

const toState = (row: IncarnationRow): IncarnationState => ({
  key: incarnationKey(row.id),
  number: row.number,
  device: row.device,
  inode: row.inode,
  size: row.size,
  parsed: row.parsed,
  headLength: row.head_length,
  headHash: row.head_hash,
  tailLength: row.tail_length,
  tailHash: row.tail_hash,
  ownFromAt: row.own_from_at,
  carry: row.carry,
})

/** Finds or creates the journal and says where it stands. `undefined` = its path is tombstoned. */
export function* journal(
  now: number,
  hostKey: number,
  ref: JournalRef,
  session: SessionKey | null,
): Program<JournalCursor | undefined> {
  const found = yield* first<{ id: number; session_id: number | null }>(
    'select id, session_id from journals where host_id = ? and path = ?',
    hostKey,
    ref.path,
  )
  if (found) {
    if (found.session_id === null && session !== null)
      yield* run('update journals set session_id = ? where id = ?', session, found.id)
    const newest = yield* first<IncarnationRow>(
      `select ${COLUMNS} from incarnations where journal_id = ? order by number desc limit 1`,
      found.id,
    )
    return {
      key: journalKey(found.id),
      sessionKey: found.session_id === null ? session : sessionKey(found.session_id),
      subagentNativeId: ref.subagentId,
      incarnation: newest && newest.closed_at === null ? toState(newest) : null,
      lastNumber: newest?.number ?? 0,
    }
  }
  const grave = yield* first('select 1 as x from tombstones where kind = ? and value = ?', 'path', ref.path)
  if (grave) return undefined
  const id = yield* insert(
    `insert into journals (host_id, agent, kind, path, session_id, subagent_native_id, created_at)
     values (?, ?, ?, ?, ?, ?, ?) on conflict (host_id, path) do nothing`,
    hostKey,
    ref.agent,
    ref.kind,
    ref.path,
    session,
    ref.subagentId,
    now,
  )
  if (id === null) return yield* journal(now, hostKey, ref, session)
  return {
    key: journalKey(id),
    sessionKey: session,
    subagentNativeId: ref.subagentId,
    incarnation: null,
    lastNumber: 0,
  }
}

export function* openIncarnation(
  now: number,
  key: JournalKey,
  state: Omit<IncarnationState, 'key' | 'parsed' | 'size' | 'ownFromAt' | 'carry'>,
  restoredFrom: IncarnationKey | null,
): Program<IncarnationState> {
  const id = yield* insert(
    `insert into incarnations (journal_id, number, device, inode, head_length, head_hash, tail_length, tail_hash, restored_from, opened_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (journal_id, number) do nothing`,
    key,
    state.number,
    state.device,
    state.inode,
    state.headLength,
    state.headHash,
    state.tailLength,
    state.tailHash,
    restoredFrom,
    now,
  )
  if (id === null) throw raced('incarnation', state.number)
  return { ...state, key: incarnationKey(id), size: 0, parsed: 0, ownFromAt: null, carry: null }
}

export function* closeIncarnation(now: number, key: IncarnationKey, reason: CloseReason): Program<void> {
  yield* run(
    'update incarnations set closed_at = ?, close_reason = ? where id = ? and closed_at is null',
    now,
    reason,
    key,
  )
}

/** @throws `conflict` when another recorder moved the cursor first: read it again and go on from there. */
export function* appendChunk(
  now: number,
  key: IncarnationKey,
  expected: { size: number; parsed: number },
  chunk: { length: number; body: Uint8Array } | null,
  next: Omit<IncarnationState, 'key' | 'number'>,
): Program<void> {
  const moved = yield* changed(
    `update incarnations set size = ?, parsed = ?, head_length = ?, head_hash = ?, tail_length = ?, tail_hash = ?,
       own_from_at = ?, carry = ?, device = ?, inode = ?, grew_at = ?
     where id = ? and size = ? and parsed = ? and closed_at is null`,
    next.size,
    next.parsed,
    next.headLength,
    next.headHash,
    next.tailLength,
    next.tailHash,
    next.ownFromAt,
    next.carry,
    next.device,
    next.inode,
    now,
    key,
    expected.size,
    expected.parsed,
  )
  if (moved === 0) throw raced('offset', expected.size)
  if (chunk)
    yield* run(
      'insert into journal_chunks (incarnation_id, "offset", length, body) values (?, ?, ?, ?)',
      key,
      expected.size,
      chunk.length,
      chunk.body,
    )
}

export function* moveParsed(
  key: IncarnationKey,
  { parsed, ownFromAt, carry }: Pick<IncarnationState, 'parsed' | 'ownFromAt' | 'carry'>,
): Program<void> {
  yield* run(
    'update incarnations set parsed = ?, own_from_at = ?, carry = ? where id = ?',
    parsed,
    ownFromAt,
    carry,
    key,
  )
}

export function* addMalformed(
  key: IncarnationKey,
  lines: { offset: number; length: number; reason: string }[],
): Program<number> {
  let added = 0
  for (const line of lines)
    added += yield* changed(
      `insert into malformed_lines (incarnation_id, "offset", length, reason) values (?, ?, ?, ?)
       on conflict (incarnation_id, "offset") do nothing`,
      key,
      line.offset,
      line.length,
      line.reason,
    )
  if (added > 0) yield* run('update incarnations set malformed_count = malformed_count + ? where id = ?', added, key)
  return added
}

const raced = (what: string, value: number): AppError =>
  new AppError('conflict', `Another recorder was first (${what} ${value}).`, { details: { raced: true } })
