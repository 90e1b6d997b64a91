/** What a background shell's own process tells, where its CLI tells nothing of it any longer: with real processes, on both databases. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRecordEngine, type RecordEngine } from '../../src/app/threads/record-engine'
import { sessionId, subagentId } from '../../src/domain/ids'
import { background } from '../../src/engine/recall/sections'
import { until } from '../lab/until'
import { onEachDatabase } from '../store-contract/databases'
import { BackgroundRows } from './background-rows'

onEachDatabase((database) => {
  let rows: BackgroundRows
  let engine: RecordEngine
  let folder: string
  let session: string
  const host = { name: crypto.randomUUID(), hostname: 'box' }
  const started: Bun.Subprocess[] = []

  beforeAll(() => {
    rows = new BackgroundRows(database.place)
    engine = createRecordEngine(database.store, host)
  })
  afterAll(() => rows.close())
  beforeEach(async () => {
    folder = mkdtempSync('/tmp/ld-')
    session = crypto.randomUUID()
    mkdirSync(join(folder, session, 'tasks'), { recursive: true })
    await rows.session({ id: session, host: host.name })
  })
  afterEach(async () => {
    for (const child of started.splice(0)) {
      child.kill('SIGKILL')
      await child.exited
    }
    rmSync(folder, { recursive: true, force: true })
  })

  const outputOf = (task: string) => join(folder, session, 'tasks', `${task}.output`)
  /** A shell as the CLI starts it: a leader of a session of its own, which writes to the task's file. */
  function shell(task: string): Bun.Subprocess {
    const out = openSync(outputOf(task), 'a')
    const child = Bun.spawn(['setsid', '-w', 'sleep', '60'], { stdin: 'ignore', stdout: out, stderr: 'ignore' })
    closeSync(out)
    started.push(child)
    return child
  }
  const launched = (agent: string, more: { isBackground?: boolean } = {}) =>
    rows.run({ session, agent, kind: 'shell', type: null, outputFile: outputOf(agent), ...more })
  const gone = () =>
    engine.setProcesses([{ sessionId: session, id: 1, started: null, state: 'gone', at: Date.now() + 1 }])
  const stateOf = async (task: string) =>
    (await database.store.runs.ofSubagent(session, subagentId(task))).at(-1)?.status
  const listed = async (task: string) =>
    (await database.store.subagents.list(sessionId(session))).find(({ id }) => id === task)?.status

  test('one that outlived its CLI runs while its process lives, and has ended when it does not', async () => {
    const child = shell('balive1')
    await launched('balive1')
    await launched('bgone11')
    await until('the shell', async () => (await shells('balive1')) > 0)
    await gone()
    expect([await stateOf('balive1'), await listed('balive1')]).toEqual(['running', 'running'])
    expect([await stateOf('bgone11'), await listed('bgone11')]).toEqual(['lost', 'lost'])
    await engine.checkShells()
    expect(await stateOf('balive1')).toBe('running')
    child.kill('SIGKILL')
    await child.exited
    await until('the end', async () => (await shells('balive1')) === 0)
    await engine.checkShells()
    expect([await stateOf('balive1'), await listed('balive1')]).toEqual(['ended', 'ended'])
  })

  test('the recall says of one that outlived its CLI what its session page says, and of one that is gone nothing of running', async () => {
    shell('brecal1')
    await launched('brecal1')
    await launched('bmissd1')
    await until('the shell', async () => (await shells('brecal1')) > 0)
    await gone()
    for (const isOver of [false, true]) {
      if (isOver) await rows.endSession(session)
      const all = await database.store.subagents.list(sessionId(session))
      const shown = all.find(({ id }) => id === 'brecal1')
      expect(shown?.status).toBe('running')
      const facts = await database.store.recall.session(sessionId(session))
      const text = background(facts?.background ?? [], false).write(4_000).text
      expect(text).toContain(`shell brecal1, running (${shown?.statusEvidence})`)
      expect(text).not.toContain('bmissd1')
    }
  })

  test('another machine judges it by nothing', async () => {
    shell('bother1')
    await launched('bother1')
    await until('the shell', async () => (await shells('bother1')) > 0)
    await rows.endSession(session)
    await createRecordEngine(database.store, { name: crypto.randomUUID(), hostname: 'box' }).checkShells()
    expect(await stateOf('bother1')).toBe('lost')
    await engine.checkShells()
    expect(await stateOf('bother1')).toBe('running')
  })

  test("a person's word that ended it stays, whatever its CLI and a later look say; an end that was told before does too", async () => {
    const at = Date.now()
    for (const task of ['bstop11', 'bdone11']) await launched(task)
    await rows.endRun('bdone11', 'completed', at, 'done')
    const stop = (task: string) => ({ sessionId: sessionId(session), task: subagentId(task), process: null, at })
    await engine.setShells([
      { ...stop('bstop11'), state: 'stopped' },
      { ...stop('bdone11'), state: 'gone' },
    ])
    await gone()
    await engine.setShells([{ ...stop('bstop11'), state: 'ended' }])
    expect(await stateOf('bstop11')).toBe('killed')
    // What the CLI says of a shell that somebody ended.
    await rows.endRun('bstop11', 'failed', at, 'exit code 143')
    expect(await stateOf('bstop11')).toBe('killed')
    expect(await stateOf('bdone11')).toBe('completed')
  })

  async function shells(task: string): Promise<number> {
    const { leadersOf } = await import('../../src/app/processes/shell-processes')
    return leadersOf([{ session, task, outputFile: outputOf(task) }])[0]?.length ?? 0
  }
})
