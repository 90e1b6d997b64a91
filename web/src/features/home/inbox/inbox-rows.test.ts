import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Need } from '../needs'
import { coveredBy, inboxRows, withWhole } from './inbox-rows'

let made = 0
const need = (kind: Need['kind'], more: Partial<Need> = {}): Need => ({
  id: `n${++made}`,
  kind,
  since: '2026-01-01T00:00:00.000Z',
  title: 'Load ships',
  text: '',
  isCut: false,
  evidence: '',
  project: null,
  taskId: null,
  sessionId: null,
  issueId: null,
  subagentId: null,
  inboxId: null,
  messageId: null,
  question: null,
  failureClass: null,
  command: null,
  canDismiss: true,
  cause: null,
  snoozedUntil: null,
  ...more,
})
const asks = (command: string, isCut = false): Need =>
  need('question', {
    question: { toolName: 'Bash', input: { command }, isCut } as Need['question'],
    cause: isCut ? null : command,
  })
/** All needs are loaded. */
const ALL: ReadonlyMap<string, number> = new Map()
const shape = (rows: ReturnType<typeof inboxRows>) => rows.map((row) => (row.kind === 'group' ? row.title : row.id))

test('equal questions are one group, others and those that are cut stand alone', () => {
  const [a, b, c, d, e] = [
    asks('npm test'),
    asks('ls'),
    asks('npm test'),
    asks('rm x', true),
    asks('rm x', true),
  ] as const
  const rows = inboxRows([a, b, c, d, e], ALL, new Set(), undefined)
  expect(shape(rows)).toEqual(['2 ask for the same call: Bash npm test', b.id, d.id, e.id])
  expect(rows[0]?.needs).toEqual([a, c])
  expect(shape(inboxRows([a, b, c], ALL, new Set([rows[0]?.id ?? '']), undefined))).toEqual([
    '2 ask for the same call: Bash npm test',
    a.id,
    c.id,
    b.id,
  ])
})

test('every need is in exactly one row or group, and one that an address names is shown', () => {
  const some = fc.constantFrom<Need['kind']>('lost', 'unread', 'failure', 'stuck', 'request')
  fc.assert(
    fc.property(fc.array(fc.tuple(some, fc.constantFrom('/a', '/b')), { maxLength: 30 }), fc.nat(), (kinds, pick) => {
      const needs = kinds.map(([kind, project]) =>
        need(kind, { project, cause: kind === 'request' ? null : `${kind} ${project}` }),
      )
      const named = needs[pick % Math.max(1, needs.length)]
      const rows = inboxRows(needs, ALL, new Set(), named?.id)
      const counted = rows.flatMap((row) => (row.kind === 'need' && row.isInGroup ? [] : row.needs))
      expect(counted.map(({ id }) => id).toSorted()).toEqual(needs.map(({ id }) => id).toSorted())
      if (named !== undefined) expect(rows.some((row) => row.kind === 'need' && row.id === named.id)).toBe(true)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    }),
  )
})

test('a group says how many there are, also of those that are not loaded, until they are', () => {
  const lost = Array.from({ length: 57 }, () => need('lost', { project: '/srv/quay', cause: 'lost' }))
  const [alone, other] = [need('failure'), need('unread')]
  const counts = new Map([['lost', 57]])
  const some = [alone, ...lost.slice(0, 1), other]
  const [, group] = inboxRows(some, counts, new Set(), undefined)
  expect(group).toMatchObject({ kind: 'group', title: '57 lost in quay', count: 57, isPartial: true })
  expect([coveredBy(some, counts), coveredBy([alone, other], counts)]).toEqual([59, 2])
  const whole = withWhole(some, lost)
  expect(whole.map(({ id }) => id)).toEqual([alone.id, ...lost.map(({ id }) => id), other.id])
  const rows = inboxRows(whole, counts, new Set(), undefined)
  expect(rows.map(({ needs }) => needs.length)).toEqual([1, 57, 1])
  expect(rows[1]).toMatchObject({ isPartial: false })
})
