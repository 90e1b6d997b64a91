import { expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR, TrackerLab } from './tracker-lab'

/** Lines as other programs write `.beads` files: ids, empty values and statuses that the first tool never wrote. */
const FOREIGN = [
  // Every key is there, empty ones too; its own statuses and types; offsets instead of Z; an id that begins with a dot.
  '{"schema_version":1,"id":".-a9910e","title":"Smoke","description":"d","status":"done","priority":2,"issue_type":"review","owner":"dev-agent","created_at":"2026-07-22T19:18:23+00:00","updated_at":"2026-07-22T19:18:23+00:00","created_by":"","dependency_count":0,"dependent_count":0,"comment_count":1,"dependencies":[],"comments":[{"id":"66","issue_id":".-a9910e","text":"t","author":"bot","created_at":"2026-07-22T19:18:24Z"}],"repo":"r","files":["A.md"],"test_files":[],"scope":"","external_ref":null,"branch":null,"acceptance_criteria":""}',
  // Zeros and empty strings that are left out elsewhere; nanoseconds of other lengths.
  '{"id":"wt-1od","title":"Shells","status":"open","priority":2,"issue_type":"task","created_at":"2026-02-25T06:29:09.646957Z","created_by":"j","updated_at":"2026-02-25T06:29:09.899739Z","source_repo":".","compaction_level":0,"original_size":0,"dependencies":[{"issue_id":"wt-1od","depends_on_id":"wt-1uz","type":"parent-child","created_at":"2026-02-25T06:29:09.899731Z","created_by":"j","metadata":"{}","thread_id":""},{"issue_id":"wt-1od","depends_on_id":"wt-lcy","type":"blocks","created_at":"2026-02-25T06:29:09.757127Z","created_by":"j","metadata":"{}","thread_id":""}]}',
  '{"id":"wt-1uz","title":"Roadmap","status":"open","priority":2,"issue_type":"epic","created_at":"2026-02-25T06:29:09.615479Z","created_by":"j","updated_at":"2026-02-25T06:29:09.615479Z","source_repo":".","compaction_level":0,"original_size":0}',
  '{"id":"wt-lcy","title":"First","status":"open","priority":1,"issue_type":"task","created_at":"2026-02-24T06:29:09.615479Z","created_by":"j","updated_at":"2026-02-24T06:29:09.615479Z","source_repo":".","compaction_level":0,"original_size":0}',
  // Local offsets, and a hash of the content that nobody here can keep up.
  '{"id":"dotfiles-0yo","content_hash":"ecb0","title":"Wiki","description":"","status":"closed","priority":0,"issue_type":"task","created_at":"2025-11-12T14:01:21.152491-05:00","updated_at":"2025-11-12T14:21:49.338442-05:00","closed_at":"2025-11-12T14:21:49.338442-05:00","source_repo":"."}',
  // Numbers and words where texts or lists are expected.
  '{"id":"odd-1","title":"Odd","status":"open","priority":"1","issue_type":"task","labels":null,"dependencies":null,"comments":null,"estimated_minutes":null,"created_at":"2026-02-25 06:29:09","updated_at":""}',
  '{"id":"odd-2","title":"","status":"","priority":9,"issue_type":"","labels":["a",1,null],"created_at":0}',
]

onEachDatabase((database) => {
  test('files of other tools are taken in, shown and written back byte for byte', async () => {
    using lab = new TrackerLab(database.store)
    const text = `${FOREIGN.join('\n')}\n`
    lab.write(text, '.beads/issues.jsonl')
    const listed = (await lab.list()).map(({ id }) => id as string)
    expect(listed.toSorted()).toEqual(FOREIGN.map((line) => (JSON.parse(line) as { id: string }).id).toSorted())
    expect((await lab.service.export(OPERATOR, lab.scope)).text).toBe(text)
    const ready = (await lab.ready()) as string[]
    expect(ready).toContain('wt-lcy')
    expect(ready).not.toContain('wt-1od')
    expect(ready).not.toContain('.-a9910e')
  })

  test('a change of one issue leaves the keys that it does not concern, and every other line', async () => {
    using lab = new TrackerLab(database.store)
    lab.write(`${FOREIGN.join('\n')}\n`, '.beads/issues.jsonl')
    await lab.service.comment(OPERATOR, lab.scope, '.-a9910e', { text: 'seen' })
    await lab.service.update(OPERATOR, lab.scope, 'wt-1od', { priority: 1 })
    const lines = lab.text('.beads/issues.jsonl').trimEnd().split('\n')
    expect(lines.slice(2)).toEqual(FOREIGN.slice(2))
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const was = JSON.parse(FOREIGN[0] ?? '') as Record<string, unknown>
    const changed = ['comments', 'comment_count', 'updated_at']
    for (const [key, value] of Object.entries(was))
      if (!changed.includes(key)) expect([key, first?.[key]]).toEqual([key, value])
    expect(Object.keys(first ?? {})).toEqual(Object.keys(was))
    expect(first?.comments).toHaveLength(2)
    const line = JSON.parse(FOREIGN[1] ?? '') as Record<string, unknown>
    const after: Record<string, unknown> = { ...second, updated_at: 0 }
    expect(after).toEqual({ ...line, priority: 1, updated_at: 0 })
  })
})
