import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { issueId } from '../../src/domain/ids'
import type { FullIssue } from '../../src/domain/issue/issue'
import { encodeIssue } from '../../src/engine/issue-file/encode'
import { decodeFile, encodeFile } from '../../src/engine/issue-file/file-text'
import { parseIssueFile } from '../../src/engine/issue-file/parse'
import { writeIssueFile } from '../../src/engine/issue-file/write'
import { type LinePatch, patchLines } from '../../src/engine/issues/patch-lines'
import { issueFile } from './generated-files'

const edits = fc.array(fc.tuple(fc.nat(7), fc.constantFrom('change', 'add')), { maxLength: 3 })

test('a file that is patched line by line is the file that is written whole', () => {
  fc.assert(
    fc.property(issueFile, edits, ({ text }, changes) => {
      const parsed = parseIssueFile(text, { isBeads: true })
      // Counts need a look at all issues, and files with conflicts are written whole.
      const file = { ...parsed, style: { ...parsed.style, hasCounts: false } }
      if (file.kept.length + file.bad.length > 0) return
      const changed = new Map<string, FullIssue>()
      const patches: LinePatch[] = []
      for (const [at, kind] of changes) {
        const line = file.issues[at % Math.max(1, file.issues.length)]
        if (line === undefined) continue
        const isNew = kind === 'add'
        const fresh = { id: issueId(`${line.issue.id}-n`), dependencies: [], comments: [] }
        const issue = { ...line.issue, title: 'new', ...(isNew ? fresh : {}) }
        if (changed.has(issue.id)) continue
        changed.set(issue.id, issue)
        const old = isNew ? null : line.raw
        patches.push({ id: issue.id, old, raw: encodeIssue(issue, file.style, old), issue })
      }
      // Only where new lines don't depend on lines that change with them is the place the same by both ways.
      const whole = writeIssueFile(file, { issues: [...changed.values()] })
      const patched = decodeFile(Buffer.concat(patchLines(encodeFile(text), patches, file.style)))
      expect(patched).toBe(whole)
    }),
    { numRuns: 500 },
  )
})
