/** What a session hears of the tracker: the issue that it holds, and what of its folder's own file is ready. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { issueId, sessionId } from '../../src/domain/ids'
import { sessionRecall } from '../../src/engine/recall/session-recall'
import { OPERATOR, TrackerLab } from '../issues/tracker-lab'
import { onEachDatabase } from '../store-contract/databases'

const SESSION = sessionId('55555555-5555-4555-8555-555555555555')
const NOTHING_GIVEN = {
  handoffs: { offered: () => undefined, take: () => false },
  notified: { upTo: () => null, take: () => true },
}

onEachDatabase((database) => {
  let lab: TrackerLab
  let other: TrackerLab
  beforeAll(() => {
    lab = new TrackerLab(database.store)
    other = new TrackerLab(database.store)
  })
  afterAll(() => {
    for (const { dir } of [lab, other]) rmSync(dir, { recursive: true, force: true })
  })

  test('ready is what the tracker calls ready, of this folder alone, the most important first', async () => {
    const wall = await lab.create({ title: 'A wall', priority: 1 })
    await lab.create({ title: 'A roof', priority: 0, dependencies: [{ dependsOnId: wall }] })
    await lab.create({ title: 'A garden', priority: 3 })
    await lab.create({ title: 'Later', deferUntil: '2999-01-01T00:00:00Z' })
    await other.create({ title: 'Elsewhere', priority: 0 })
    const { issues, total } = await database.store.recall.ready(lab.dir, 10)
    expect(issues.map(({ title }) => title)).toEqual(['A wall', 'A garden'])
    expect(issues.map(({ id }) => id)).toEqual(await lab.ready())
    expect(total).toBe(2)
    expect(await database.store.recall.ready(lab.dir, 1)).toMatchObject({ issues: [{ title: 'A wall' }], total: 2 })
    expect(await database.store.recall.ready('/nowhere', 10)).toEqual({ issues: [], total: 0 })

    const call = { moment: 'startup', sessionId: SESSION, origin: null, folder: lab.dir, named: null } as const
    const text = await sessionRecall(database.store.recall, NOTHING_GIVEN, call)
    expect(text).toContain(`Ready to start, 2 of 2:\n- ${wall} P1 task: "A wall"`)
    expect(text).toContain('lode issue ready')
  })

  test('an issue that the session has claimed is its issue, and is no longer ready to others', async () => {
    const [wall = ''] = await lab.ready()
    await lab.service.claim(OPERATOR, { ...lab.scope, sessionId: SESSION }, wall, {})
    const issue = await database.store.recall.issue(lab.dir, SESSION, null)
    expect(issue).toMatchObject({ id: wall, title: 'A wall' })
    expect((await database.store.recall.ready(lab.dir, 10)).issues.map(({ title }) => title)).toEqual(['A garden'])
    const call = { moment: 'resume', sessionId: SESSION, origin: null, folder: lab.dir, named: null } as const
    const text = await sessionRecall(database.store.recall, NOTHING_GIVEN, call)
    expect(text).toContain(`Linked task ${wall} (in_progress): "A wall"`)
    expect(text).not.toContain('Ready to start')
  })

  test('what came with the file is told as any change of another, and what came with a first reading is none', async () => {
    const [garden = ''] = await lab.ready()
    const about = async () => {
      const issue = await database.store.recall.issue(lab.dir, null, issueId(garden))
      if (issue === undefined) throw new Error('no issue')
      return await database.store.recall.changes(issue.key, [SESSION], 0, 0, 5)
    }
    expect((await about()).changes).toEqual([])
    const before = lab.text()
    const line = lab.lines().get(garden)
    const comments = [{ id: 1, issue_id: garden, author: 'ann', text: 'Roses!', created_at: '2026-03-02T00:00:00Z' }]
    const changed = JSON.stringify({ ...line, status: 'blocked', comments, updated_at: '2026-03-02T00:00:00Z' })
    lab.write(
      before
        .split('\n')
        .map((text) => (text.includes(`"id":"${garden}"`) ? changed : text))
        .join('\n'),
    )
    await lab.list()
    expect((await about()).changes.map(({ by, event, new: now }) => [by, event, now])).toEqual([
      ['ann', 'commented', { author: 'ann', text: 'Roses!' }],
      ['the issue file', 'updated', { status: 'blocked' }],
    ])
    await lab.list()
    expect((await about()).total).toBe(2)
  })
})
