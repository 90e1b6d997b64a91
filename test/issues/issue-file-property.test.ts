import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FullIssue } from '../../src/domain/issue/issue'
import { lossOf } from '../../src/engine/issue-file/loss'
import { parseIssueFile } from '../../src/engine/issue-file/parse'
import { formatIssueFile, writeIssueFile } from '../../src/engine/issue-file/write'
import { issueFile } from './generated-files'

const parse = (text: string) => parseIssueFile(text, { isBeads: true })
const copies = (text: string): FullIssue[] => structuredClone(parse(text).issues.map(({ issue }) => issue))

describe('a file of any era', () => {
  test('comes back byte for byte when nothing changed, however it is asked for', () => {
    fc.assert(
      fc.property(issueFile, ({ text }) => {
        const file = parse(text)
        expect(writeIssueFile(file, { issues: [] })).toBe(text)
        expect(writeIssueFile(file, { issues: copies(text) })).toBe(text)
        expect(writeIssueFile(file, { issues: copies(text).reverse() })).toBe(text)
      }),
      { numRuns: 400 },
    )
  })

  test('has every line somewhere: read, kept or bad, with its number', () => {
    fc.assert(
      fc.property(issueFile, ({ text }) => {
        const { issues, kept, bad } = parse(text)
        const lines = text.split('\n')
        if (lines.at(-1) === '') lines.pop()
        const all = [...issues, ...kept, ...bad].sort((a, b) => a.line - b.line)
        expect(all.map(({ raw }) => raw)).toEqual(lines)
        expect(all.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1))
      }),
    )
  })

  test('changes in the lines of changed issues only, and there in the changed keys only', () => {
    fc.assert(
      fc.property(issueFile, fc.nat(7), ({ text }, at) => {
        const file = parse(text)
        const target = file.issues[at % Math.max(1, file.issues.length)]
        if (target === undefined) return
        const changed: FullIssue = {
          ...structuredClone(target.issue),
          title: 'changed & <new>',
          labels: [...target.issue.labels, 'added'],
        }
        const written = parse(writeIssueFile(file, { issues: [changed] }))
        for (const one of written.issues) {
          const before = file.issues.find(({ issue }) => issue.id === one.issue.id)
          if (one.issue.id !== changed.id) expect(one.raw).toBe(before?.raw ?? '')
        }
        const raw = written.issues.find(({ issue }) => issue.id === changed.id)?.raw ?? ''
        const [was, now] = [JSON.parse(target.raw), JSON.parse(raw)] as [
          Record<string, unknown>,
          Record<string, unknown>,
        ]
        expect(now.title).toBe('changed & <new>')
        expect(now.labels).toEqual([...(Array.isArray(was.labels) ? was.labels : []), 'added'])
        const others = ({ title, labels, dependency_count, dependent_count, comment_count, ...rest }: typeof was) =>
          rest
        expect(others(now)).toEqual(others(was))
        expect(Object.keys(now).filter((key) => key in was)).toEqual(Object.keys(was))
      }),
      { numRuns: 300 },
    )
  })

  test('says the same after it was written anew from what was read', () => {
    fc.assert(
      fc.property(issueFile, ({ text }) => {
        const file = parse(text)
        const issues = copies(text)
        const again = parse(formatIssueFile(issues, file.style))
        const byId = (all: readonly FullIssue[]) => new Map(all.map((issue) => [issue.id, issue]))
        expect(byId(again.issues.map(({ issue }) => issue))).toEqual(byId(issues))
        expect(
          lossOf(
            issues,
            again.issues.map(({ issue }) => issue),
          ),
        ).toEqual({ issues: [], edgeCount: 0, commentCount: 0 })
      }),
      { numRuns: 300 },
    )
  })
})

test('no text at all can make the reader throw or lose a byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.array(fc.jsonValue()), (noise, values) => {
      for (const text of [noise, values.map((value) => JSON.stringify(value)).join('\n'), `{"id":"a",${noise}}`]) {
        expect(writeIssueFile(parse(text), { issues: [] })).toBe(text)
      }
    }),
    { numRuns: 500 },
  )
})

test('no kind of value in a key can make the reader throw, and it stays in the line', () => {
  const line = fc.record({
    id: fc.constant('x-1'),
    title: fc.jsonValue(),
    status: fc.jsonValue(),
    priority: fc.jsonValue(),
    labels: fc.jsonValue(),
    dependencies: fc.jsonValue(),
    comments: fc.jsonValue(),
    metadata: fc.jsonValue(),
    updated_at: fc.jsonValue(),
    __proto__: fc.jsonValue(),
  })
  fc.assert(
    fc.property(line, (value) => {
      const text = `${JSON.stringify(value)}\n`
      const file = parse(text)
      expect(writeIssueFile(file, { issues: structuredClone(file.issues.map(({ issue }) => issue)) })).toBe(text)
    }),
    { numRuns: 500 },
  )
})
