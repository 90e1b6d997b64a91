import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Need } from '../needs'
import { inboxRows } from './inbox-rows'

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
  snoozedUntil: null,
  ...more,
})
const asks = (command: string, isCut = false): Need =>
  need('question', { question: { toolName: 'Bash', input: { command }, isCut } as Need['question'] })
const shape = (rows: ReturnType<typeof inboxRows>) => rows.map((row) => (row.kind === 'group' ? row.title : row.id))

test('equal questions are one group, others and those that are cut stand alone', () => {
  const [a, b, c, d, e] = [
    asks('npm test'),
    asks('ls'),
    asks('npm test'),
    asks('rm x', true),
    asks('rm x', true),
  ] as const
  const rows = inboxRows([a, b, c, d, e], new Set(), undefined)
  expect(shape(rows)).toEqual(['2 ask for the same call: Bash npm test', b.id, d.id, e.id])
  expect(rows[0]?.needs).toEqual([a, c])
  expect(shape(inboxRows([a, b, c], new Set([rows[0]?.id ?? '']), undefined))).toEqual([
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
      const needs = kinds.map(([kind, project]) => need(kind, { project }))
      const named = needs[pick % Math.max(1, needs.length)]
      const rows = inboxRows(needs, new Set(), named?.id)
      const counted = rows.flatMap((row) => (row.kind === 'need' && row.isInGroup ? [] : row.needs))
      expect(counted.map(({ id }) => id).toSorted()).toEqual(needs.map(({ id }) => id).toSorted())
      if (named !== undefined) expect(rows.some((row) => row.kind === 'need' && row.id === named.id)).toBe(true)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    }),
  )
})
