import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ISSUE_ORDERS } from '#domain/issue/issue-store'
import { parseSearch } from '../../../lib/search'
import { countConditions, ISSUE_VIEWS, issuesPath, MAX_REACH, parseIssuesSearch } from './issue-search'

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).filter((one) => one.isWellFormed())
const words = fc.uniqueArray(text, { maxLength: 4 })

const parse = (path: string) => parseIssuesSearch(parseSearch(new URL(path, 'http://127.0.0.1').search))

test('what the issues page shows stands in its address and comes back from it', () => {
  const search = fc.record(
    {
      view: fc.constantFrom(...ISSUE_VIEWS),
      project: text,
      q: text,
      status: words,
      type: words,
      priority: fc.subarray([0, 1, 2, 3, 4]),
      label: words,
      assignee: text,
      isUnassigned: fc.boolean(),
      isBlocked: fc.boolean(),
      withDone: fc.boolean(),
      staleDays: fc.integer({ min: 1, max: 36_500 }),
      order: fc.constantFrom(...ISSUE_ORDERS),
      isReversed: fc.boolean(),
      focus: text,
      reach: fc.integer({ min: 1, max: MAX_REACH }),
      withAlone: fc.boolean(),
      isTable: fc.boolean(),
    },
    {
      requiredKeys: [
        'view',
        'status',
        'type',
        'priority',
        'label',
        'isUnassigned',
        'isBlocked',
        'withDone',
        'order',
        'isReversed',
        'reach',
        'withAlone',
        'isTable',
      ],
    },
  )
  fc.assert(fc.property(search, (one) => expect(parse(issuesPath(one))).toEqual(one)))
})

test('an address without words is the plain list, and stays without words', () => {
  const plain = parse('/issues')
  expect(plain).toMatchObject({ view: 'list', order: 'priority', status: [], reach: 2 })
  expect(issuesPath(plain)).toBe('/issues')
  expect(countConditions(plain)).toBe(0)
})

test('what nobody could have meant is left out', () => {
  const odd = parse('/issues?view=wall&priority=9,1,x&stale=-3&reach=99&order=size&unassigned=yes&status=,,open,open')
  expect(odd).toMatchObject({ view: 'list', priority: [1], reach: 2, order: 'priority', isUnassigned: false })
  expect(odd.status).toEqual(['open'])
  expect(odd.staleDays).toBeUndefined()
})

test('an address that a person types is read', () => {
  const typed = parse('/issues?view=board&status=open,in_progress&type=bug&label=a%252Cb,c')
  expect(typed.status).toEqual(['open', 'in_progress'])
  expect(typed.label).toEqual(['a,b', 'c'])
  expect(countConditions(typed)).toBe(5)
})
