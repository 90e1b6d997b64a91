import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueId } from '../../src/domain/ids'
import type { FullIssue } from '../../src/domain/issue'
import { encodeIssue } from '../../src/engine/issue-file/encode'
import { decodeFile, encodeFile } from '../../src/engine/issue-file/file-text'
import { parseIssueFile } from '../../src/engine/issue-file/parse'
import { type LinePatch, patchIssueFile } from '../../src/engine/issue-file/patch'
import { formatIssueFile, writeIssueFile } from '../../src/engine/issue-file/write'
import { issueFile } from './generated-files'

test('a file that is patched line by line is the file that is written whole, or is not patched', () => {
  let patchedCount = 0
  fc.assert(
    fc.property(
      issueFile,
      fc.array(fc.tuple(fc.nat(7), fc.constantFrom('change', 'delete', 'add')), { maxLength: 3 }),
      ({ text: generated }, edits) => {
        const before = parseIssueFile(generated, { isBeads: true })
        const isOdd = before.kept.length + before.bad.length > 0
        const text = isOdd
          ? formatIssueFile(
              before.issues.map(({ issue }) => issue),
              { ...before.style, endsWithNewline: true },
            )
          : generated
        const file = parseIssueFile(text, { isBeads: true })
        const changed = new Map<string, FullIssue>()
        const deleted = new Set<string>()
        const patches = new Map<string, LinePatch>()
        for (const [at, kind] of edits) {
          const line = file.issues[at % Math.max(1, file.issues.length)]
          if (line === undefined) continue
          const isNew = kind === 'add'
          const issue = {
            ...line.issue,
            title: 'new',
            ...(isNew ? { id: issueId(`${line.issue.id}-n`), dependencies: [], comments: [] } : {}),
          }
          if (patches.has(issue.id)) continue
          const raw = isNew ? null : line.raw
          if (kind === 'delete') deleted.add(issue.id)
          else changed.set(issue.id, issue)
          const style = { ...file.style, hasCounts: false }
          patches.set(issue.id, {
            id: issue.id,
            before: raw,
            after: kind === 'delete' ? null : encodeIssue(issue, style, raw),
          })
        }
        const whole = writeIssueFile(
          { ...file, style: { ...file.style, hasCounts: false } },
          { issues: [...changed.values()], deleted },
        )
        const parts = patchIssueFile(encodeFile(text), file.style, [...patches.values()])
        if (parts === null) return
        patchedCount++
        const sorted = (all: string) => all.split('\n').sort()
        const patched = decodeFile(Buffer.concat(parts))
        // Several new lines for one place may stand in either order.
        const newCount = [...patches.values()].filter((one) => one.before === null).length
        if (newCount < 2 || file.style.order === 'none') expect(patched).toBe(whole)
        else expect(sorted(patched)).toEqual(sorted(whole))
      },
    ),
    { numRuns: 500 },
  )
  expect(patchedCount).toBeGreaterThan(200)
})
