import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueId, trackerKey } from '../ids'
import { ISSUE_LINK_SOURCES, type IssueChoice, type IssueLinkSource, type IssueTrace } from '../session/session-issue'
import { type IssueMention, linkedIssues, type MentionedIssue, tracesOf } from './issue-links'

const here = trackerKey(1)
const there = trackerKey(2)
const elsewhere = trackerKey(3)
const issue = (id: string, tracker = here): MentionedIssue => ({
  tracker,
  issueId: issueId(id),
  isHere: tracker === here,
})
const mention = (source: IssueMention['source'], place: string, word: string, at = 1): IssueMention => ({
  source,
  place,
  word,
  at,
})
const trace = (id: string, source: IssueLinkSource, at = 1, place = ''): IssueTrace => ({
  tracker: here,
  issueId: issueId(id),
  source,
  place,
  at,
})
const choice = (id: string, isLinked: boolean, at: number): IssueChoice => ({
  tracker: here,
  issueId: issueId(id),
  isLinked,
  at,
  by: 'ann',
})
const open = { linkFrom: ISSUE_LINK_SOURCES, isOver: () => false }
const ids = (links: { issueId: string }[]) => links.map((link) => link.issueId)

describe('words', () => {
  const known: Record<string, MentionedIssue[]> = {
    'ld-1': [issue('ld-1')],
    'ld-2': [issue('ld-2'), issue('ld-2', there)],
    'ld-3': [issue('ld-3', there)],
    'ld-4': [issue('ld-4', there), issue('ld-4', elsewhere)],
  }
  const traces = (...mentions: IssueMention[]) => tracesOf(mentions, (word) => known[word] ?? [])

  test('mean an issue of the own project before one of another', () => {
    expect(traces(mention('prompt', 'p', 'ld-2'))).toEqual([{ ...trace('ld-2', 'prompt'), place: 'p' }])
  })

  test('mean an issue elsewhere only when no other tracker has the id', () => {
    expect(traces(mention('prompt', 'p', 'ld-3')).map(({ tracker }) => tracker)).toEqual([there])
    expect(traces(mention('prompt', 'p', 'ld-4'))).toEqual([])
  })

  test('count in a prompt or a branch only when it names one issue and no other', () => {
    expect(traces(mention('prompt', 'p', 'ld-1'), mention('prompt', 'p', 'ld-3'))).toEqual([])
    expect(traces(mention('branch', 'b', 'ld-1'), mention('branch', 'b', 'ld-4'))).toEqual([])
    expect(ids(traces(mention('prompt', 'p', 'ld-1'), mention('prompt', 'q', 'ld-3')))).toEqual(['ld-1', 'ld-3'])
    expect(ids(traces(mention('prompt', 'p', 'ld-1'), mention('prompt', 'p', 'no-issue')))).toEqual(['ld-1'])
    expect(ids(traces(mention('prompt', 'x', 'ld-1'), mention('branch', 'x', 'ld-3')))).toEqual(['ld-1', 'ld-3'])
  })

  test('count each by itself where a task or the environment says them', () => {
    expect(ids(traces(mention('environment', '', 'ld-1'), mention('environment', '', 'ld-3')))).toEqual([
      'ld-1',
      'ld-3',
    ])
  })
})

describe('links', () => {
  test('come in the order of their strongest source, then of its newest word', () => {
    const traces = [trace('b', 'branch', 9), trace('p', 'prompt', 1), trace('q', 'prompt', 2), trace('c', 'claim', 0)]
    expect(ids(linkedIssues(traces, [], open))).toEqual(['c', 'q', 'p', 'b'])
    expect(ids(linkedIssues(traces, [choice('b', true, 1)], open))).toEqual(['b', 'c', 'q', 'p'])
  })

  test('to what is over come last, unless a person made them', () => {
    const isOver = (_: unknown, id: string) => id === 'c'
    const traces = [trace('c', 'claim'), trace('b', 'branch')]
    expect(ids(linkedIssues(traces, [], { ...open, isOver }))).toEqual(['b', 'c'])
    expect(ids(linkedIssues(traces, [choice('c', true, 1)], { ...open, isOver }))).toEqual(['c', 'b'])
  })

  test('that somebody took away come back with a newer word only', () => {
    const gone = [choice('a', false, 10)]
    expect(linkedIssues([trace('a', 'prompt', 10), trace('a', 'claim', 3)], gone, open)).toEqual([])
    expect(linkedIssues([trace('a', 'prompt', 3, 'x'), trace('a', 'prompt', 11, 'y')], gone, open)).toEqual([
      { tracker: here, issueId: issueId('a'), evidence: [{ source: 'prompt', place: 'y', at: 11 }] },
    ])
  })

  test('come from the sources that may link, and always from a person', () => {
    const traces = [trace('a', 'branch'), trace('b', 'prompt')]
    expect(ids(linkedIssues(traces, [choice('c', true, 1)], { ...open, linkFrom: ['branch'] }))).toEqual(['c', 'a'])
    expect(ids(linkedIssues(traces, [choice('c', true, 1)], { ...open, linkFrom: [] }))).toEqual(['c'])
  })

  const anyId = fc.constantFrom<string>('a', 'b', 'c', 'd')
  const anyTrace = fc.record({ id: anyId, source: fc.constantFrom(...ISSUE_LINK_SOURCES), at: fc.nat(5), place: anyId })
  const anyChoice = fc.record({ id: anyId, isLinked: fc.boolean(), at: fc.nat(5) })
  const world = fc.record({
    traces: fc.array(anyTrace, { maxLength: 12 }),
    choices: fc.uniqueArray(anyChoice, { selector: ({ id }) => id }),
    over: fc.uniqueArray(anyId),
    linkFrom: fc.uniqueArray(fc.constantFrom(...ISSUE_LINK_SOURCES)),
    order: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
  })

  test('are the same in whatever order their traces came, and however often', () => {
    fc.assert(
      fc.property(world, ({ traces, choices, over, linkFrom, order }) => {
        const rule = { linkFrom, isOver: (_: unknown, id: string) => over.includes(id) }
        const all = traces.map(({ id, source, at, place }) => trace(id, source, at, place))
        const decided = choices.map(({ id, isLinked, at }) => choice(id, isLinked, at))
        const shuffled = all.map((one, at) => ({ one, key: order[at] ?? 0 })).sort((a, b) => a.key - b.key)
        const again = [...shuffled.map(({ one }) => one), ...all.slice(0, 3)]
        expect(linkedIssues(again, decided.toReversed(), rule)).toEqual(linkedIssues(all, decided, rule))
      }),
    )
  })

  test('each have a reason that may link, newer than what took it away; and all that have one are there', () => {
    fc.assert(
      fc.property(world, ({ traces, choices, over, linkFrom }) => {
        const rule = { linkFrom, isOver: (_: unknown, id: string) => over.includes(id) }
        const all = traces.map(({ id, source, at, place }) => trace(id, source, at, place))
        const decided = choices.map(({ id, isLinked, at }) => choice(id, isLinked, at))
        const links = linkedIssues(all, decided, rule)
        const expected = ['a', 'b', 'c', 'd'].filter((id) => {
          const said = choices.find((one) => one.id === id)
          return (
            said?.isLinked === true ||
            traces.some(
              (one) =>
                one.id === id &&
                one.source !== 'person' &&
                linkFrom.includes(one.source) &&
                (said === undefined || one.at > said.at),
            )
          )
        })
        expect(ids(links).sort()).toEqual(expected)
        const isLast = (link: (typeof links)[number]) =>
          link.evidence[0]?.source !== 'person' && over.includes(link.issueId)
        const firstOver = links.findIndex(isLast)
        if (firstOver >= 0) expect(links.slice(firstOver).every(isLast)).toBe(true)
        for (const { evidence } of links)
          expect(evidence.map(({ source }) => ISSUE_LINK_SOURCES.indexOf(source))).toEqual(
            evidence.map(({ source }) => ISSUE_LINK_SOURCES.indexOf(source)).sort((a, b) => a - b),
          )
      }),
    )
  })
})
