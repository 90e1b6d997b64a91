import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Manifests } from '../../src/app/manifests/manifests'
import { appendToProject, projectFolder } from '../../src/app/manifests/project-manifest'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { sessionId } from '../../src/domain/ids'
import { claimOf, manifestLine } from '../../src/engine/recovery/manifest'
import { emptyRepository } from '../lab/empty-repository'
import { onEachDatabase } from '../store-contract/databases'
import { BackgroundRows } from './background-rows'

/** What a person said, as the CLI writes it. @param at  milliseconds since the epoch */
const transcriptLine = (session: string, cwd: string, at: number): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: crypto.randomUUID(),
    parentUuid: null,
    isSidechain: false,
    timestamp: new Date(at).toISOString(),
    sessionId: session,
    cwd,
    message: { role: 'user', content: 'Look around.' },
  })}\n`

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
  const inProject = () => linesIn(join(projectFolder(project, home), 'background-agents.jsonl'))
  const statuses = () => told().map(({ agent_id, status }) => `${agent_id} ${status}`)
  const manifests = (now?: () => number) => new Manifests({ home, host, store: database.store, ...(now && { now }) })

  beforeAll(() => {
    rows = new BackgroundRows(database.place)
  })
  afterAll(() => rows.close())
  beforeEach(async () => {
    home = mkdtempSync('/tmp/ld-')
    project = join(home, 'project')
    emptyRepository(project)
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
    expect(existsSync(join(project, '.lodeline'))).toBe(false)
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

  test('what has no end is lost too where the last lines of its session are read while its process is seen gone', async () => {
    await rows.run({ session, agent: 'a1' })
    const engine = createRecordEngine(database.store, host, null, { manifestHome: home })
    const path = join(home, `${session}.jsonl`)
    const [saidAt, goneAt] = [Date.now() - 2_000, Date.now() - 1_000]
    writeFileSync(path, transcriptLine(session, project, saidAt))
    const ref = {
      agent: 'claude-code',
      kind: 'transcript',
      path,
      sessionId: sessionId(session),
      subagentId: null,
    } as const
    // The look came first, and its word is kept last.
    await engine.recordFile(ref)
    await engine.setProcesses([{ sessionId: session, id: 4_711, started: null, state: 'gone', at: goneAt }])
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
    const path = join(
      home,
      'agent-manifests',
      readdirSync(join(home, 'agent-manifests')).find((name) => name.endsWith('.jsonl')) ?? '',
    )
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
    const list = join(projectFolder(project, home), 'background-agents.jsonl')
    appendFileSync(list, 'no JSON\n')
    one.forget(session)
    expect(told()).toEqual([])
    expect(readFileSync(list, 'utf8')).toBe('no JSON\n')
  })

  test("a project's list is in Lodeline's folder alone, one for each work tree, and not beyond its size", async () => {
    await rows.run({ session, agent: 'a1' })
    const [run] = await database.store.manifests.untold([host.name], 0, 10)
    if (run === undefined) throw new Error('no run')
    const line = manifestLine(run, 'launched', Date.now())
    const listOf = (root: string, name = 'background-agents.jsonl') => linesIn(join(projectFolder(root, home), name))
    const elsewhere = join(home, 'elsewhere')
    mkdirSync(elsewhere)
    expect(appendToProject(elsewhere, line, home)).toBe(false)
    expect(appendToProject(join(home, 'gone'), line, home)).toBe(false)
    expect(appendToProject(project, line, home)).toBe(true)
    // A worktree has its own.
    const worktree = join(home, 'worktree')
    mkdirSync(join(worktree, 'deep'), { recursive: true })
    writeFileSync(join(worktree, '.git'), `gitdir: ${join(project, '.git/worktrees/x')}\n`)
    expect(appendToProject(join(worktree, 'deep'), line, home)).toBe(true)
    expect([listOf(project).length, listOf(worktree).length]).toEqual([1, 1])
    expect(statSync(join(projectFolder(worktree, home), 'background-agents.jsonl')).mode & 0o777).toBe(0o600)
    expect(appendToProject(worktree, line, home, 10)).toBe(true)
    expect([listOf(worktree).length, listOf(worktree, 'background-agents.1.jsonl').length]).toEqual([1, 1])
    // A link in the file's place is not followed.
    rmSync(join(projectFolder(worktree, home), 'background-agents.jsonl'))
    symlinkSync(join(elsewhere, 'x'), join(projectFolder(worktree, home), 'background-agents.jsonl'))
    expect(appendToProject(worktree, line, home)).toBe(false)
    expect(readdirSync(elsewhere)).toEqual([])
    // Two paths that read alike are two projects.
    expect(projectFolder('/a/b-c', home)).not.toBe(projectFolder('/a/b/c', home))
  })

  test('a launch leaves its repository clean: a plain one, a worktree, a submodule', async () => {
    const git = (cwd: string, ...args: string[]): string => {
      const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
      const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'protocol.file.allow=always']
      const done = Bun.spawnSync(['git', ...identity, ...args], { cwd, env })
      expect([args, done.exitCode, done.stderr.toString()]).toEqual([args, 0, expect.anything()])
      return done.stdout.toString()
    }
    const plain = join(home, 'plain')
    mkdirSync(plain)
    git(plain, 'init', '-q')
    git(plain, 'commit', '-q', '--allow-empty', '-m', 'first')
    git(plain, 'worktree', 'add', '-q', join(home, 'tree'))
    const over = join(home, 'over')
    mkdirSync(over)
    git(over, 'init', '-q')
    git(over, 'submodule', '--quiet', 'add', plain, 'sub')
    git(over, 'commit', '-q', '-m', 'first')
    for (const folder of [plain, join(home, 'tree'), over, join(over, 'sub')]) {
      const one = crypto.randomUUID()
      await rows.session({ id: one, cwd: folder, host: host.name })
      await rows.run({ session: one, agent: 'a1' })
      const before = readdirSync(folder)
      await manifests().settle()
      expect(linesIn(join(projectFolder(folder, home), 'background-agents.jsonl'))).toMatchObject([{ session_id: one }])
      expect(git(folder, 'status', '--porcelain', '--ignored', '--untracked-files=all')).toBe('')
      expect(readdirSync(folder)).toEqual(before)
    }
  })
})
