import type { IssueId, IssueKey, TrackerKey } from '../../../domain/ids'
import type { TaskDialect } from '../../sql/dialect'
import { changed, first, type Program, rows, run } from '../../sql/program'

/** A row of `issues` that is there: neither deleted nor out of the file. */
export const IS_THERE = (alias: string) => `${alias}.is_deleted = 0 and ${alias}.is_absent = 0`

/** An edge of `d` with type blocks or conditional-blocks to `b` (which may be missing) that holds up. */
export const HOLDS = `(d.depends_on like 'external:%'
  or (b.is_over = 0 or (d.type = 'conditional-blocks' and b.has_failed = 0)))`

/** An edge of `d` with type waits-for is not passed by the first of the children that is over. */
export const IS_GATE_SHUT = `not (d.is_any_gate = 1 and exists (
  select 1 from issue_parents e join issues o on o.id = e.issue_id
   where e.tracker_id = d.tracker_id and e.parent = d.depends_on and o.is_over = 1 and ${IS_THERE('o')}))`

/**
 * Whether `i` is held up by an edge of its own: the rule of `domain/issue/issue-ready.ts`, as a look-up along indexes. A test compares
 * the two on random trackers.
 */
const HELD_UP = `(i.is_over = 0 and ${IS_THERE('i')} and (
  exists (
    select 1 from issue_dependencies d
      left join issues b on b.tracker_id = d.tracker_id and b.public_id = d.depends_on and ${IS_THERE('b')}
     where d.issue_id = i.id and d.type in ('blocks', 'conditional-blocks') and ${HOLDS})
  or exists (
    select 1 from issue_dependencies d
     where d.issue_id = i.id and d.type = 'waits-for'
       and exists (
         select 1 from issue_parents p join issues c on c.id = p.issue_id
          where p.tracker_id = d.tracker_id and p.parent = d.depends_on and c.is_over = 0 and ${IS_THERE('c')})
       and ${IS_GATE_SHUT})))`

/** A parent of `i` is blocked. */
const HAS_BLOCKED_PARENT = `exists (
  select 1 from issue_parents p join issues b on b.tracker_id = p.tracker_id and b.public_id = p.parent
   where p.issue_id = i.id and b.is_blocked = 1 and ${IS_THERE('b')})`

/**
 * Everything below what is blocked, in one walk: a turn over all issues for each level took 90 ms of 60,000. The order of the joins
 * is given, since by itself SQLite looks through all parents for each issue.
 */
const BLOCK_BELOW = `with recursive blocked(id, public_id) as (
    select i.id, i.public_id from issues i where i.tracker_id = ? and i.is_blocked = 1 and ${IS_THERE('i')}
    union
    select c.id, c.public_id from blocked b cross join issue_parents p cross join issues c
     where p.tracker_id = ? and p.parent = b.public_id and c.id = p.issue_id and c.is_over = 0 and ${IS_THERE('c')}
  ) update issues set is_blocked = 1 where id in (select id from blocked) and is_blocked = 0`

/** The same, of parents that are not worked out in this very turn. */
const HAS_BLOCKED_PARENT_BUT = (inKeys: string) => `exists (
  select 1 from issue_parents p join issues b on b.tracker_id = p.tracker_id and b.public_id = p.parent
   where p.issue_id = i.id and b.is_blocked = 1 and ${IS_THERE('b')} and not (${inKeys}))`

const asNumber = (condition: string) => `case when ${condition} then 1 else 0 end`

/**
 * Works out `is_blocked` of all that these issues can have an effect on: themselves, those with an edge to them, those that wait for
 * their siblings, and everything below. First each by its own edges and by parents outside of the set, then down the tree until
 * nothing changes: what only blocked each other in a circle of parents comes free.
 */
export function* refreshBlocked(db: TaskDialect, tracker: TrackerKey, ids: readonly IssueId[] | 'all'): Program<void> {
  if (ids === 'all') {
    const own = `case when ${HELD_UP} then 1 else 0 end`
    yield* run(`update issues as i set is_blocked = ${own} where i.tracker_id = ? and i.is_blocked <> ${own}`, tracker)
    yield* run(BLOCK_BELOW, tracker, tracker)
    return
  }
  if (ids.length === 0) return
  const keys = yield* affected(db, tracker, ids)
  if (keys.length === 0) return
  const list = db.keyList(keys)
  const isThere = `i.is_over = 0 and ${IS_THERE('i')}`
  const now = asNumber(`${HELD_UP} or (${isThere} and ${HAS_BLOCKED_PARENT_BUT(db.inKeys('b.id'))})`)
  yield* run(
    `update issues as i set is_blocked = ${now} where ${db.inKeys('i.id')} and i.is_blocked <> ${now}`,
    list,
    list,
    list,
  )
  const down = `update issues as i set is_blocked = 1
    where ${db.inKeys('i.id')} and i.is_blocked = 0 and ${isThere} and ${HAS_BLOCKED_PARENT}`
  while ((yield* changed(down, list)) > 0);
}

function* affected(db: TaskDialect, tracker: TrackerKey, ids: readonly IssueId[]): Program<IssueKey[]> {
  const texts = db.textList([...ids])
  const found = yield* rows<{ key: IssueKey }>(
    `with recursive touched(id) as (
       select i.id from issues i where i.tracker_id = ? and ${db.inTexts('i.public_id')}
       union
       select d.issue_id from issue_dependencies d
        where d.tracker_id = ? and ${db.inTexts('d.depends_on')}
          and d.type in ('blocks', 'conditional-blocks', 'waits-for')
       union
       select d.issue_id from issues i
         join issue_parents p on p.issue_id = i.id
         join issue_dependencies d on d.tracker_id = i.tracker_id and d.depends_on = p.parent and d.type = 'waits-for'
        where i.tracker_id = ? and ${db.inTexts('i.public_id')}
     ), below(id) as (
       select id from touched
       union
       select p.issue_id from below b
         join issues i on i.id = b.id
         join issue_parents p on p.tracker_id = i.tracker_id and p.parent = i.public_id
     ) select id as "key" from below`,
    tracker,
    texts,
    tracker,
    texts,
    tracker,
    texts,
  )
  // Children whose parent is not there any more, or not yet, are found by its id alone.
  const orphans = yield* rows<{ key: IssueKey }>(
    `select p.issue_id as "key" from issue_parents p where p.tracker_id = ? and ${db.inTexts('p.parent')}`,
    tracker,
    texts,
  )
  return [...new Set([...found, ...orphans].map(({ key }) => key))]
}

/** Whether `from` needs `to` over any number of blocking edges. */
export function* needs(tracker: TrackerKey, from: IssueId, to: IssueId): Program<boolean> {
  const found = yield* first(
    `with recursive needed(id) as (
       select d.depends_on from issues i join issue_dependencies d on d.issue_id = i.id
        where i.tracker_id = ? and i.public_id = ? and i.is_deleted = 0
          and d.type in ('blocks', 'conditional-blocks', 'waits-for', 'parent-child')
       union
       select d.depends_on from needed n
         join issues i on i.tracker_id = ? and i.public_id = n.id and i.is_deleted = 0
         join issue_dependencies d on d.issue_id = i.id
          and d.type in ('blocks', 'conditional-blocks', 'waits-for', 'parent-child')
     ) select 1 as found from needed where id = ? limit 1`,
    tracker,
    from,
    tracker,
    to,
  )
  return found !== undefined
}

/** What holds an issue up by edges of its own: open blockers, and open children of what it waits for. */
export function* blockers(key: IssueKey): Program<IssueId[]> {
  const found = yield* rows<{ id: IssueId }>(BLOCKERS, key, key)
  return found.map(({ id }) => id)
}

/** The blockers of `i`, twice asked for by its key. */
export const BLOCKERS = `select d.depends_on as id from issue_dependencies d
    left join issues b on b.tracker_id = d.tracker_id and b.public_id = d.depends_on and ${IS_THERE('b')}
   where d.issue_id = ? and d.type in ('blocks', 'conditional-blocks') and ${HOLDS}
  union
  select c.public_id from issue_dependencies d
    join issue_parents p on p.tracker_id = d.tracker_id and p.parent = d.depends_on
    join issues c on c.id = p.issue_id
   where d.issue_id = ? and d.type = 'waits-for' and c.is_over = 0 and ${IS_THERE('c')} and ${IS_GATE_SHUT}
  order by 1`
