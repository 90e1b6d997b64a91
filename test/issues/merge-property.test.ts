import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FullIssue } from '../../src/domain/issue/issue'
import { mergeIssueFiles } from '../../src/engine/issue-file/merge'
import { parseIssueFile } from '../../src/engine/issue-file/parse'
import { type Era, edits, era, issueFile, issueLines, type Line, spell } from './generated-files'

const text = (of: Era, lines: readonly Line[]) => lines.map((line) => `${spell(of, line)}\n`).join('')
const issuesOf = (file: string): Map<string, FullIssue> =>
  new Map(parseIssueFile(file, { isBeads: true }).issues.map(({ issue }) => [issue.id as string, issue]))

interface Case {
  era: Era
  base: Line[]
  ours: Line[]
  theirs: Line[]
}
const merges: fc.Arbitrary<Case> = era.chain((of) =>
  fc
    .tuple(issueLines(of), edits(of), edits(of))
    .map(([base, left, right]) => ({ era: of, base, ours: left(base), theirs: right(base) })),
)
const texts = ({ era: of, base, ours, theirs }: Case) => [text(of, base), text(of, ours), text(of, theirs)] as const

const sets = (issue: FullIssue) => ({
  labels: [...issue.labels].sort(),
  edges: issue.dependencies.map(({ type, dependsOnId }) => `${type} ${dependsOnId}`).sort(),
  comments: issue.comments.map(({ author, text: said }) => `${author}: ${said}`).sort(),
})

describe('a merge of generated files', () => {
  test('gives exactly what is there when the sides are one, or one side changed nothing', () => {
    fc.assert(
      fc.property(merges, (one) => {
        const [base, ours] = texts(one)
        expect(mergeIssueFiles(base, ours, ours)).toEqual({ text: ours, decisions: [] })
        expect(mergeIssueFiles(base, ours, base)).toEqual({ text: ours, decisions: [] })
        expect(mergeIssueFiles(base, base, ours)).toEqual({ text: ours, decisions: [] })
        expect(mergeIssueFiles(null, ours, ours)).toEqual({ text: ours, decisions: [] })
      }),
    )
  })

  test('has no issue and no key that both sides lack, and loses none that a side has and nobody took out', () => {
    fc.assert(
      fc.property(merges, (one) => {
        const [base, ours, theirs] = texts(one)
        const { text: written } = mergeIssueFiles(base, ours, theirs)
        const [merged, buried] = [raws(written), graves(written)]
        const [b, o, t] = [raws(base), raws(ours), raws(theirs)]
        for (const id of new Set([...o.keys(), ...t.keys()])) {
          const [was, mine, other, now] = [b.get(id), o.get(id), t.get(id), merged.get(id)]
          if (now === undefined && buried.includes(id)) {
            expect(graves(ours).concat(graves(theirs))).toContain(id)
            continue
          }
          if (now === undefined) {
            // Only what one side deleted and the other left as it was.
            expect(mine === undefined || other === undefined).toBe(true)
            expect(JSON.stringify(mine ?? other)).toBe(JSON.stringify(was))
            continue
          }
          for (const key of new Set([...Object.keys(mine ?? {}), ...Object.keys(other ?? {})])) {
            const isRemoved = [mine, other].some((side) => side !== undefined && !(key in side)) && was && key in was
            if (!isRemoved) expect(Object.keys(now)).toContain(key)
          }
          for (const key of Object.keys(now)) expect(key in (mine ?? {}) || key in (other ?? {})).toBe(true)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('keeps every text that one side wrote and the other did not change', () => {
    fc.assert(
      fc.property(merges, (one) => {
        const [base, ours, theirs] = texts(one)
        const merged = issuesOf(mergeIssueFiles(base, ours, theirs).text)
        const [b, o, t] = [issuesOf(base), issuesOf(ours), issuesOf(theirs)]
        for (const [id, now] of merged) {
          for (const key of ['description', 'notes'] as const) {
            const [was, mine, other] = [b.get(id)?.[key], o.get(id)?.[key], t.get(id)?.[key]]
            if (mine !== undefined && other !== undefined) {
              if (mine !== was) expect(now[key]).toContain(mine)
              if (other !== was) expect(now[key]).toContain(other)
            }
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('is the same for sets whichever side is ours, with and without a base', () => {
    fc.assert(
      fc.property(merges, fc.boolean(), (one, hasBase) => {
        const [known, ours, theirs] = texts(one)
        const base = hasBase ? known : null
        const [left, right] = [mergeIssueFiles(base, ours, theirs).text, mergeIssueFiles(base, theirs, ours).text]
        const [a, b] = [issuesOf(left), issuesOf(right)]
        expect([...a.keys()].sort()).toEqual([...b.keys()].sort())
        for (const [id, issue] of a) {
          const other = b.get(id)
          if (other === undefined) throw new Error(`${id} is missing`)
          expect(sets(issue)).toEqual(sets(other))
          for (const key of ['title', 'description', 'notes', 'status', 'priority', 'assignee', 'updatedAt'] as const) {
            expect(issue[key]).toBe(other[key])
          }
        }
      }),
      { numRuns: 400 },
    )
  })

  test('takes out of sets what a side took out, and puts in what a side put in', () => {
    fc.assert(
      fc.property(merges, (one) => {
        const [base, ours, theirs] = texts(one)
        const merged = issuesOf(mergeIssueFiles(base, ours, theirs).text)
        const [b, o, t] = [issuesOf(base), issuesOf(ours), issuesOf(theirs)]
        for (const [id, now] of merged) {
          const [was, mine, other] = [b.get(id), o.get(id), t.get(id)]
          if (!was || !mine || !other) continue
          const expected = new Set([...mine.labels, ...other.labels])
          for (const label of was.labels)
            if (!mine.labels.includes(label) || !other.labels.includes(label)) expected.delete(label)
          expect(new Set(now.labels)).toEqual(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('settles: merging the result with either side again changes nothing', () => {
    fc.assert(
      fc.property(merges, (one) => {
        const [base, ours, theirs] = texts(one)
        const merged = mergeIssueFiles(base, ours, theirs).text
        expect(mergeIssueFiles(ours, merged, ours).text).toBe(merged)
        expect(mergeIssueFiles(theirs, theirs, merged).text).toBe(merged)
      }),
    )
  })

  test('never writes a marker of a conflict, whatever the files hold', () => {
    fc.assert(
      fc.property(issueFile, issueFile, issueFile, ({ text: base }, { text: ours }, { text: theirs }) => {
        for (const was of [base, null]) {
          const merged = mergeIssueFiles(was, ours, theirs).text
          expect(merged).not.toMatch(/^(?:<{7}|={7}|>{7}|\|{7})/m)
          for (const id of [...issuesOf(ours).keys(), ...issuesOf(theirs).keys()]) {
            // Or its grave, where one side buried it.
            if (was === null) expect([...issuesOf(merged).keys(), ...graves(merged)]).toContain(id)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

function graves(file: string): string[] {
  const { kept } = parseIssueFile(file, { isBeads: true })
  return kept.flatMap(({ kind, id }) => (kind === 'tombstone' && id !== null ? [id] : []))
}

function raws(file: string): Map<string, Line> {
  const { issues } = parseIssueFile(file, { isBeads: true })
  return new Map(issues.map(({ issue, raw }) => [issue.id as string, JSON.parse(raw) as Line]))
}
