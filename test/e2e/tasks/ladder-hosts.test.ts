/** Work that goes on elsewhere, later, or not at all: other hosts, workers that leave, stand still or have to stop. */
import { afterEach, expect } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { git } from '../../../src/worker/workplace/git'
import { inTurn } from '../../lab/in-turn'
import { isAlive, isRunning, isStill, processTree } from '../../lab/processes'
import { until } from '../../lab/until'
import type { WorkerSeat } from '../../lab/workers'
import { exported } from '../record/record'
import { processesOf } from './attempt-processes'
import { CLI_AND_DATABASE, type Fleet, openLadder } from './fleet'

let lab: Fleet | undefined
afterEach(async () => {
  await lab?.stop()
  lab = undefined
})

/** Another machine: nothing of HOME and of Lodeline's folder is shared. */
function elsewhere({ root: lab }: Fleet, name: string): WorkerSeat {
  const root = join(lab, name)
  return { name, environment: { HOME: join(root, 'h'), LODELINE_HOME: join(root, 'l') } }
}

/** A repository that no machine has in a folder. */
async function newOrigin(root: string): Promise<string> {
  const folder = join(root, 'app')
  mkdirSync(folder)
  writeFileSync(join(folder, 'kept.txt'), 'kept')
  writeFileSync(join(folder, 'old.txt'), 'old')
  await git(folder, 'init', '--quiet', '-b', 'main')
  await git(folder, 'add', '--all')
  await git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first')
  return folder
}

/** What only a long run of the tests shows. */
const note = (what: string, ms: number): void => {
  if (process.env.LODELINE_LONG === '1') console.error(`${what}: ${Math.round(ms)} ms`)
}

inTurn(CLI_AND_DATABASE, 'between two hosts, CLI %s on %s', (test, version, kind) => {
  test('a conversation goes on where its files were never: they came by way of the server', async () => {
    const here = await openLadder(version, kind)
    lab = here
    const { claude } = here
    const one = elsewhere(here, 'one')
    const two = elsewhere(here, 'two')
    await here.workers.start(one)
    const origin = await newOrigin(here.root)
    const { id, attempt } = await here.tasks.slowly('Please use a helper across hosts', {
      dir: undefined,
      repository: pathToFileURL(origin).href,
    })
    // What an agent left in no commit.
    writeFileSync(join(attempt.cwd ?? '', 'half-done.txt'), 'half')
    rmSync(join(attempt.cwd ?? '', 'old.txt'))
    const session = attempt.conversation?.sessionId ?? ''
    const at = (seat: WorkerSeat) => {
      const { HOME = '', LODELINE_HOME = '' } = seat.environment ?? {}
      return join(HOME, '.claude/projects', join(LODELINE_HOME, 'worktrees', id).replace(/[^a-zA-Z0-9]/g, '-'))
    }
    await until('the report of the helper', () =>
      claude.requests().some(({ who, session: in_, step }) => who === 'sub' && in_ === session && step === 1),
    )
    await here.lode.client.tasks.pause(id)
    await here.tasks.reached(id, 'paused')
    here.workers.get('one').signal('SIGTERM')
    await here.workers.get('one').exited
    await here.workers.start(two)
    await here.lode.client.tasks.patch(id, { agentId: 'two' })
    const again = await here.tasks.resume(id)
    expect(again).toMatchObject({ agentName: 'two', conversation: { rung: 'restored', sessionId: session } })
    expect(again.cwd).toBe(join(two.environment?.LODELINE_HOME ?? '', 'worktrees', id))
    expect(readdirSync(again.cwd ?? '').toSorted()).toEqual(['.git', `beats-${id}`, 'half-done.txt', 'kept.txt'])
    expect((await here.tasks.shown(id, 2)).before).toContain('Please use a helper across hosts')
    const helpers = (seat: WorkerSeat) => join(at(seat), session, 'subagents')
    const names = readdirSync(helpers(one))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names)
      expect(readFileSync(join(helpers(two), name)).equals(readFileSync(join(helpers(one), name)))).toBe(true)
    // Two wrote on behind what one had written, and the server has it all.
    const file = (seat: WorkerSeat) => readFileSync(join(at(seat), `${session}.jsonl`))
    expect(file(two).subarray(0, file(one).length).equals(file(one))).toBe(true)
    await until('the record of it', async () =>
      (await exported(here.lode.client, session)).get(`${session}.jsonl`)?.equals(file(two)),
    )
    expect(existsSync(claude.transcript(session))).toBe(false)

    // The parent's worker is gone: its child goes to another one.
    const child = await here.tasks.create('Tell me which words', { parentTaskId: id, dir: undefined })
    here.workers.get('two').signal('SIGKILL')
    await here.workers.get('two').exited
    const three = elsewhere(here, 'three')
    await here.workers.start(three)
    await here.tasks.reached(child.id, 'completed')
    expect((await here.tasks.newest(child.id)).conversation).toMatchObject({ rung: 'snapshot', forked: true })
    expect((await here.tasks.shown(child.id, (await here.tasks.newest(child.id)).number)).before).toContain(
      'Went on to the end.',
    )
    const { cwd } = await here.tasks.newest(child.id)
    expect(readFileSync(join(cwd ?? '', 'half-done.txt'), 'utf8')).toBe('half')
  })
})

inTurn(CLI_AND_DATABASE, 'a worker, CLI %s, its server on %s', (test, version, kind) => {
  const start = async (
    seats: WorkerSeat[] = [{ name: 'w1', concurrency: 2 }],
    leaseSeconds?: number,
  ): Promise<Fleet> => {
    const started = await openLadder(version, kind, leaseSeconds)
    lab = started
    for (const seat of seats) await started.workers.start(seat)
    return started
  }

  test('ends a cancelled run with all that it started, at once', async () => {
    const here = await start()
    const { id, attempt } = await here.tasks.slowly('Please work slowly until cancelled')
    const tree = processTree(attempt.process?.pid ?? 0)
    expect(tree.length).toBeGreaterThan(1)
    const from = performance.now()
    await here.lode.client.tasks.cancel(id)
    await until('the tree to be gone', () => !tree.some(isRunning), 3_000)
    note('cancel to the end of the tree', performance.now() - from)
    const beats = here.tasks.beats(id)
    await here.tasks.reached(id, 'cancelled')
    expect(processesOf({ attempt: attempt.id })).toEqual([])
    expect(here.tasks.beats(id)).toBe(beats)
  })

  test('killed leaves nothing at work; started again it goes on with its task, in the same conversation, and all that was said is kept', async () => {
    const here = await start()
    const { id, attempt } = await here.tasks.slowly('Please work slowly until killed')
    const tree = processTree(attempt.process?.pid ?? 0)
    here.workers.get('w1').signal('SIGKILL')
    await until('the tree to be gone', () => !tree.some(isRunning), 1_000)
    const beats = here.tasks.beats(id)
    const from = performance.now()
    await here.workers.start({ name: 'w1' }, false)
    // Long before its lease is over, and a second worker could have it.
    await until('the next attempt', async () => (await here.tasks.attempts(id)).length === 2, 5_000)
    await here.tasks.running(id, 2)
    note('restart to running', performance.now() - from)
    await here.tasks.reached(id, 'completed')
    const [first, again] = await here.tasks.attempts(id)
    expect(first?.outcome).toBe('lost')
    expect(again).toMatchObject({
      number: 2,
      conversation: { rung: 'native', sessionId: attempt.conversation?.sessionId },
    })
    expect(here.tasks.beats(id)).toBe(beats)
    await until('the output of the first attempt', () => !existsSync(join(here.lode.home, 'runs', attempt.id)))
    const kept = readFileSync(join(here.lode.home, 'streams', `${attempt.id}.jsonl`), 'utf8')
    expect(kept).toContain('Please work slowly until killed')
  })

  test('that stood still past its lease has lost its task: its run is dead, and it can write nothing more', async () => {
    const here = await start()
    const { id, attempt } = await here.tasks.slowly('Please work slowly and stand still')
    const tree = processTree(attempt.process?.pid ?? 0)
    const stopped = here.workers.get('w1')
    process.kill(stopped.pid, 'SIGSTOP')
    await here.workers.start({ name: 'w2' })
    // Before the lease is over: nobody may have it while this one could still do something.
    await until('its run to stand still', () => tree.every(isStill))
    expect((await here.tasks.newest(id)).number).toBe(1)
    const beats = here.tasks.beats(id)
    await here.tasks.reached(id, 'completed')
    expect(tree.filter(isRunning)).toEqual([])
    process.kill(stopped.pid, 'SIGCONT')
    const folder = join(here.lode.home, 'runs', attempt.id)
    await until('it to hear of it', () => !existsSync(folder))
    const [first, second] = await here.tasks.attempts(id)
    expect(first).toMatchObject({ outcome: 'lost', failureClass: 'lease_lost' })
    expect(second).toMatchObject({ outcome: 'completed', agentName: 'w2', conversation: { rung: 'native' } })
    expect((first?.endedAt ?? '') <= (second?.startedAt ?? '')).toBe(true)
    expect(here.tasks.beats(id)).toBe(beats)
    expect(await here.tasks.get(id)).toMatchObject({ status: 'completed', output: 'Went on to the end.' })
    // It is of use again.
    const next = await here.tasks.create('Please remember NEXT', { agentId: 'w1' })
    await here.tasks.reached(next.id, 'completed')
  })

  test('works on while the server is away, and brings everything when it is back', async () => {
    // Longer than a busy machine takes for the whole run.
    const here = await start(undefined, 120)
    const { id } = await here.tasks.create('Please talk a while')
    const attempt = await here.tasks.running(id)
    await until('the first tool call', () => here.tasks.beats(id) > 0)
    here.lode.server.signal('SIGKILL')
    await here.lode.server.exited
    await until('the process to end', () => !isAlive(attempt.process?.pid ?? 0))
    await here.lode.up()
    expect(await here.tasks.reached(id, 'completed')).toMatchObject({ output: 'Four.', attemptCount: 1 })
    await until('the output', () => !existsSync(join(here.lode.home, 'runs', attempt.id)))
    const lines = readFileSync(join(here.lode.home, 'streams', `${attempt.id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as { type: string; message?: { content: { text?: string }[] } })
    const said = parsed.flatMap(({ type, message }) =>
      type === 'assistant' ? (message?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])) : [],
    )
    expect(said).toEqual(['One.', 'Two.', 'Three.', 'Four.'])
    expect(parsed.some(({ type }) => type === 'result')).toBe(true)
    const { lines: log } = await here.lode.client.tasks.log(id, { limit: 1_000 })
    expect(log.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(said)
  })

  test('that is told to end pauses its task, and goes on with it by itself when it is back', async () => {
    const here = await start()
    const { id, attempt } = await here.tasks.slowly('Please work slowly over a restart')
    const tree = processTree(here.workers.get('w1').pid)
    here.workers.get('w1').signal('SIGTERM')
    expect((await here.workers.get('w1').exited).exitCode).toBe(0)
    await until('its processes to be gone', () => !tree.some(isRunning))
    expect(await here.tasks.get(id)).toMatchObject({ status: 'paused', pausedBy: 'shutdown' })
    await here.workers.start({ name: 'w1' })
    await here.tasks.reached(id, 'completed')
    const [first, second] = await here.tasks.attempts(id)
    expect(first?.outcome).toBe('paused')
    expect(second?.conversation).toMatchObject({
      rung: 'native',
      sessionId: attempt.conversation?.sessionId,
      whyNot: [],
    })
    expect((await here.tasks.shown(id, 2)).before).toContain('Please work slowly over a restart')
  })
})
