import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Manifests } from '../../src/app/manifests'
import { appendToProject } from '../../src/app/project-manifest'
import { claimOf, manifestLine } from '../../src/engine/recovery/manifest'
import { onEachDatabase } from '../store-contract/databases'
import { BackgroundRows } from './background-rows'

onEachDatabase((database) => {
  let rows: BackgroundRows
  let home: string
  let project: string
  let host: { name: string; hostname: string }
  let session: string
  const linesIn = (path: string): Record<string, unknown>[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []
  const told = (): Record<string, unknown>[] => {
    const folder = join(home, 'agent-manifests')
    return existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith('.jsonl'))
          .sort()
          .flatMap((name) => linesIn(join(folder, name)))
      : []
  }
  const inProject = () => linesIn(join(project, '.lodeline/background-agents.jsonl'))
  const statuses = () => told().map(({ agent_id, status }) => `${agent_id} ${status}`)
  const manifests = (now?: () => number) => new Manifests({ home, host, store: database.store, ...(now && { now }) })

  beforeAll(() => {
    rows = new BackgroundRows(database.place)
  })
  afterAll(() => rows.close())
  beforeEach(async () => {
    home = mkdtempSync('/tmp/ld-')
    project = join(home, 'project')
    mkdirSync(join(project, '.git'), { recursive: true })
    host = { name: crypto.randomUUID(), hostname: 'box' }
    session = crypto.randomUUID()
    await rows.session({ id: session, cwd: project, host: host.name })
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test('a launch and its end are one line each, in the daily file and in that of the project, however often one looks', async () => {
    await rows.run({ session, agent: 'a1', prompt: 'Look', toolUseId: 't1' })
    for (let look = 0; look < 3; look++) await manifests().settle()
    expect(statuses()).toEqual(['a1 launched'])
    await rows.endRun('a1', 'completed', Date.now(), 'Found it')
    await Promise.all([manifests().settle(), manifests().settle(), manifests().settle()])
    expect(statuses()).toEqual(['a1 launched', 'a1 completed'])
    expect(told()[1]).toMatchObject({ result_preview: 'Found it', ended_at: expect.any(String), cwd: project })
    expect(inProject()).toEqual(told())
    expect(readFileSync(join(project, '.lodeline/.gitignore'), 'utf8')).toContain('background-agents')
  })

  test('nothing is told of the foreground, of what is not known yet, of old imports and of other machines', async () => {
    const other = crypto.randomUUID()
    await rows.session({ id: other, host: crypto.randomUUID() })
    await rows.run({ session, agent: 'fg', isBackground: false })
    await rows.run({ session, agent: 'unknown', isBackground: null })
    await rows.run({ session, agent: 'old', startedAt: Date.now() - 90_000_000 })
    await rows.run({ session: other, agent: 'elsewhere' })
    await rows.run({ session, agent: 'sh', kind: 'shell', isBackground: null })
    await manifests().sweep(null)
    expect(statuses()).toEqual(['sh launched'])
  })

  test('what has no end is lost once its session is over', async () => {
    await rows.run({ session, agent: 'a1' })
    await manifests().settle()
    await rows.endSession(session)
    await manifests().settle()
    await manifests().settle()
    expect(statuses()).toEqual(['a1 launched', 'a1 lost'])
  })

  test('a crash between the claim and the line, or between the line and its settling, leaves one line', async () => {
    const now = Date.now()
    await rows.run({ session, agent: 'a1', toolUseId: 't1' })
    await rows.run({ session, agent: 'a2', toolUseId: 't2' })
    await manifests().settle()
    // As processes left them that died: the one before its line of the end, the other after it.
    for (const agent of ['a1', 'a2']) {
      await rows.endRun(agent, 'completed', now, 'done')
      await rows.setTold(agent, claimOf('completed', now))
    }
    const [, second] = told()
    const path = join(home, 'agent-manifests', readdirSync(join(home, 'agent-manifests'))[0] ?? '')
    appendFileSync(path, `${JSON.stringify({ ...second, status: 'completed' })}\n`)
    // The claims still count: somebody may be at it.
    await manifests(() => now + 1_000).settle()
    expect(statuses()).toHaveLength(3)
    await manifests(() => now + 11_000).settle()
    await manifests(() => now + 30_000).settle()
    expect(statuses().sort()).toEqual(['a1 completed', 'a1 launched', 'a2 completed', 'a2 launched'])
  })

  test('a rebuild tells nothing twice', async () => {
    await rows.run({ session, agent: 'a1', toolUseId: 't1', status: 'completed', endedAt: Date.now() })
    await manifests().settle()
    await rows.setTold('a1', '')
    await manifests().settle()
    expect(statuses()).toEqual(['a1 launched', 'a1 completed'])
  })

  test('files of old days are removed, and a forgotten session leaves all of them', async () => {
    await rows.run({ session, agent: 'a1', prompt: 'the secret' })
    const one = manifests()
    await one.settle()
    const folder = join(home, 'agent-manifests')
    writeFileSync(join(folder, 'background-agents-2020-01-01.jsonl'), '{}\n')
    writeFileSync(join(folder, 'other.txt'), 'mine')
    await one.sweep(30)
    expect(existsSync(join(folder, 'background-agents-2020-01-01.jsonl'))).toBe(false)
    expect(existsSync(join(folder, 'other.txt'))).toBe(true)
    appendFileSync(join(project, '.lodeline/background-agents.jsonl'), 'no JSON\n')
    one.forget(session, project)
    expect(told()).toEqual([])
    expect(readFileSync(join(project, '.lodeline/background-agents.jsonl'), 'utf8')).toBe('no JSON\n')
  })

  test("a project's file is written nowhere but in its work tree, and not beyond its size", async () => {
    await rows.run({ session, agent: 'a1' })
    const [run] = await database.store.manifests.untold([host.name], 0, 10)
    if (run === undefined) throw new Error('no run')
    const line = manifestLine(run, 'launched', Date.now())
    const elsewhere = join(home, 'elsewhere')
    mkdirSync(elsewhere)
    expect(appendToProject(elsewhere, line, home)).toBe(false)
    expect(appendToProject(join(home, 'gone'), line, home)).toBe(false)
    symlinkSync(elsewhere, join(project, '.lodeline'))
    expect(appendToProject(project, line, home)).toBe(false)
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(join(project, '.lodeline'))
    // A worktree has its own.
    const worktree = join(home, 'worktree')
    mkdirSync(join(worktree, 'deep'), { recursive: true })
    writeFileSync(join(worktree, '.git'), `gitdir: ${join(project, '.git/worktrees/x')}\n`)
    expect(appendToProject(join(worktree, 'deep'), line, home)).toBe(true)
    expect(linesIn(join(worktree, '.lodeline/background-agents.jsonl'))).toHaveLength(1)
    expect(appendToProject(worktree, line, home, 10)).toBe(true)
    expect(linesIn(join(worktree, '.lodeline/background-agents.jsonl'))).toHaveLength(1)
    expect(linesIn(join(worktree, '.lodeline/background-agents.1.jsonl'))).toHaveLength(1)
    // A link in the file's place is not followed.
    symlinkSync(join(elsewhere, 'x'), join(worktree, '.lodeline/link'))
    rmSync(join(worktree, '.lodeline/background-agents.jsonl'))
    symlinkSync(join(elsewhere, 'x'), join(worktree, '.lodeline/background-agents.jsonl'))
    expect(appendToProject(worktree, line, home)).toBe(false)
    expect(readdirSync(elsewhere)).toEqual([])
  })
})
