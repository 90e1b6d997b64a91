/** Work that goes on elsewhere, later, or not at all: other hosts, workers that leave, stand still or are told to stop. */
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../../src/util/process/process-tree'
import { isAlive, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { processesOf } from './attempt-processes'
import type { Fleet, WorkerSeat } from './fleet'
import { CLI_AND_DATABASE, fleetOn } from './fleet-on'
import { exported } from './record'

let fleet: Fleet | undefined
let remove: (() => Promise<void>) | undefined
afterEach(async () => {
  await remove?.()
  fleet = undefined
  remove = undefined
}, 60_000)

/** Another machine: nothing of HOME and of Lodeline's folder is shared. */
function elsewhere({ world }: Fleet, name: string): WorkerSeat {
  const root = join(world.lab.root, name)
  return { name, environment: { HOME: join(root, 'h'), LODELINE_HOME: join(root, 'l') } }
}

/** One that was killed holds its pid until it is waited for, which may take the system a second: it does nothing any more. */
const isRunning = (pid: number): boolean => startOf(pid) !== null

/** What only a long run of the tests shows. */
const note = (what: string, ms: number): void => {
  if (process.env.LODELINE_LONG === '1') console.error(`${what}: ${Math.round(ms)} ms`)
}

describe.each(CLI_AND_DATABASE)('between two hosts, CLI %s on %s', (version, kind) => {
  test('a conversation goes on where its files were never: they came by way of the server', async () => {
    ;({ fleet, remove } = await fleetOn(version, kind))
    const here = fleet
    const { lab } = here.world
    const one = elsewhere(here, 'one')
    const two = elsewhere(here, 'two')
    await here.startWorker(one)
    const { id, attempt } = await here.slowly('Please use a helper across hosts')
    const session = attempt.conversation?.sessionId ?? ''
    const at = (seat: WorkerSeat) =>
      join(seat.environment?.HOME ?? '', '.claude/projects', lab.project.replace(/[^a-zA-Z0-9]/g, '-'))
    await until('the report of the helper', () =>
      lab.requests().some(({ who, session: in_, step }) => who === 'sub' && in_ === session && step === 1),
    )
    await here.client.tasks.pause(id)
    await here.reached(id, 'paused')
    here.worker('one').signal('SIGTERM')
    await here.worker('one').exited
    await here.startWorker(two)
    await here.client.tasks.patch(id, { agentId: 'two' })
    const again = await here.resume(id)
    expect(again).toMatchObject({ agentName: 'two', conversation: { rung: 'restored', sessionId: session } })
    expect((await here.shown(id, 2)).before).toContain('Please use a helper across hosts')
    const helpers = (seat: WorkerSeat) => join(at(seat), session, 'subagents')
    const names = readdirSync(helpers(one))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names)
      expect(readFileSync(join(helpers(two), name)).equals(readFileSync(join(helpers(one), name)))).toBe(true)
    // Two wrote on behind what one had written, and the server has it all.
    const file = (seat: WorkerSeat) => readFileSync(join(at(seat), `${session}.jsonl`))
    expect(file(two).subarray(0, file(one).length).equals(file(one))).toBe(true)
    await until('the record of it', async () =>
      (await exported(here.client, session)).get(`${session}.jsonl`)?.equals(file(two)),
    )
    expect(existsSync(lab.transcript(session))).toBe(false)

    // The parent's worker is gone: its child goes to another one.
    const child = await here.create('Tell me which words', { parentTaskId: id })
    here.worker('two').signal('SIGKILL')
    await here.worker('two').exited
    const three = elsewhere(here, 'three')
    await here.startWorker(three)
    await here.reached(child.id, 'completed')
    expect((await here.newest(child.id)).conversation).toMatchObject({ rung: 'snapshot', forked: true })
    expect((await here.shown(child.id, (await here.newest(child.id)).number)).before).toContain('Went on to the end.')
  }, 150_000)
})

describe.each(['sqlite', 'postgres'] as const)('a worker, its server on %s', (kind) => {
  const start = async (
    seats: WorkerSeat[] = [{ name: 'w1', concurrency: 2 }],
    leaseSeconds?: number,
  ): Promise<Fleet> => {
    const { fleet: started, remove: end } = await fleetOn('2.1.328', kind, leaseSeconds)
    remove = end
    fleet = started
    for (const seat of seats) await started.startWorker(seat)
    return started
  }

  test('ends a cancelled run with all that it started, at once', async () => {
    const here = await start()
    const { id, attempt } = await here.slowly('Please work slowly until cancelled')
    const tree = processTree(attempt.process?.pid ?? 0)
    expect(tree.length).toBeGreaterThan(1)
    const from = performance.now()
    await here.client.tasks.cancel(id)
    await until('the tree to be gone', () => !tree.some(isRunning), 3_000)
    note('cancel to the end of the tree', performance.now() - from)
    const beats = here.beats(id)
    await here.reached(id, 'cancelled')
    expect(processesOf({ attempt: attempt.id })).toEqual([])
    expect(here.beats(id)).toBe(beats)
  }, 60_000)

  test('killed and started again goes on with its task, in the same conversation', async () => {
    const here = await start()
    const { id, attempt } = await here.slowly('Please work slowly until killed')
    const tree = processTree(attempt.process?.pid ?? 0)
    here.worker('w1').signal('SIGKILL')
    await until('the tree to be gone', () => !tree.some(isRunning), 3_000)
    const from = performance.now()
    await here.startWorker({ name: 'w1' }, false)
    await here.running(id, 2)
    note('restart to running', performance.now() - from)
    await here.reached(id, 'completed')
    const again = await here.newest(id)
    expect(again).toMatchObject({
      number: 2,
      conversation: { rung: 'native', sessionId: attempt.conversation?.sessionId },
    })
  }, 60_000)

  test('that stood still past its lease has lost its task: its run is dead, and it can write nothing more', async () => {
    const here = await start()
    const { id, attempt } = await here.slowly('Please work slowly and stand still')
    const tree = processTree(attempt.process?.pid ?? 0)
    const stopped = here.worker('w1')
    process.kill(stopped.pid, 'SIGSTOP')
    await here.startWorker({ name: 'w2' })
    // Before the lease is over: nobody may have it while this one could still do something.
    await until('its run to be ended', () => !tree.some(isRunning), 20_000)
    expect((await here.newest(id)).number).toBe(1)
    const beats = here.beats(id)
    await here.reached(id, 'completed')
    process.kill(stopped.pid, 'SIGCONT')
    const folder = join(here.world.home, 'runs', attempt.id)
    await until('it to hear of it', () => !existsSync(folder))
    const [first, second] = await here.attempts(id)
    expect(first).toMatchObject({ outcome: 'lost', failureClass: 'lease_lost' })
    expect(second).toMatchObject({ outcome: 'completed', agentName: 'w2', conversation: { rung: 'native' } })
    expect((first?.endedAt ?? '') <= (second?.startedAt ?? '')).toBe(true)
    expect(here.beats(id)).toBe(beats)
    expect(await here.task(id)).toMatchObject({ status: 'completed', output: 'Went on to the end.' })
    // It is of use again.
    const next = await here.create('Please remember NEXT', { agentId: 'w1' })
    await here.reached(next.id, 'completed')
  }, 120_000)

  test('works on while the server is away, and brings everything when it is back', async () => {
    // Longer than a busy machine takes for the whole run.
    const here = await start(undefined, 120)
    const { id } = await here.create('Please talk a while')
    const attempt = await here.running(id)
    await until('the first tool call', () => here.beats(id) > 0)
    here.server.signal('SIGKILL')
    await here.server.exited
    await until('the process to end', () => !isAlive(attempt.process?.pid ?? 0))
    await here.restartServer()
    expect(await here.reached(id, 'completed')).toMatchObject({ output: 'Four.', attemptCount: 1 })
    await until('the output', () => !existsSync(join(here.world.home, 'runs', attempt.id)))
    const lines = readFileSync(join(here.world.home, 'streams', `${attempt.id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as { type: string; message?: { content: { text?: string }[] } })
    const said = parsed.flatMap(({ type, message }) =>
      type === 'assistant' ? (message?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])) : [],
    )
    expect(said).toEqual(['One.', 'Two.', 'Three.', 'Four.'])
    expect(parsed.some(({ type }) => type === 'result')).toBe(true)
    const { lines: log } = await here.client.tasks.log(id, { limit: 1_000 })
    expect(log.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(said)
  }, 90_000)

  test('that is told to end pauses its task, and goes on with it by itself when it is back', async () => {
    const here = await start()
    const { id, attempt } = await here.slowly('Please work slowly over a restart')
    const tree = processTree(here.worker('w1').pid)
    here.worker('w1').signal('SIGTERM')
    expect((await here.worker('w1').exited).exitCode).toBe(0)
    await until('its processes to be gone', () => !tree.some(isRunning))
    expect(await here.task(id)).toMatchObject({ status: 'paused', pausedBy: 'shutdown' })
    await here.startWorker({ name: 'w1' })
    await here.reached(id, 'completed')
    const [first, second] = await here.attempts(id)
    expect(first?.outcome).toBe('paused')
    expect(second?.conversation).toMatchObject({
      rung: 'native',
      sessionId: attempt.conversation?.sessionId,
      whyNot: [],
    })
    expect((await here.shown(id, 2)).before).toContain('Please work slowly over a restart')
  }, 60_000)
})
