/**
 * SIGKILL of what takes part in a run, with every real agent CLI that runs tasks but Claude Code, which has its own: `kill-loop.test.ts`.
 * The tasks of all of them are at work when it strikes. Each goes on by itself, in its own conversation, and no word is there twice. When the
 * server dies they wait for a person, who answers after its return.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listAll } from '../../../src/api/client/list-all'
import { questionId, sessionId } from '../../../src/domain/ids'
import { FINAL_TASK_STATUSES, type Task } from '../../../src/domain/task/task'
import { defaultHarness, harnesses } from '../../../src/harness/registry'
import { RUNNERS, type Runner, type RunnerScripts } from '../../agents/runners'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { isRunning, killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'
import { Workers } from '../../lab/workers'
import type { DatabaseKind } from '../../store-contract/databases'
import { processesOf } from './attempt-processes'

type Fault = 'cli' | 'worker' | 'server' | 'all'

const names = harnesses().flatMap(({ name, run }) => (run === null || name === defaultHarness().name ? [] : [name]))
/** Where the worker dies each CLI is ended with all that it started: once by the guard, once together with it. The CLIs take turns. */
const halves = [0, 1].map((half) => names.filter((_, at) => at % 2 === half))

/** Each fault on one database: what a CLI does depends on none. */
const FAULTS: [DatabaseKind, [Fault, string[]][]][] = [
  [
    'sqlite',
    [
      ['cli', names],
      ['all', halves[0] ?? []],
    ],
  ],
  [
    'postgres',
    [
      ['worker', halves[1] ?? []],
      ['server', names],
    ],
  ],
]

/** The command ends when the test says so, or with its run. */
const SCRIPTS: RunnerScripts = {
  work: [
    { text: 'I light the lamp.', command: 'echo $$ > pid; while [ ! -e lit ]; do sleep 0.05; done; echo bright' },
    { text: 'The lamp is lit.' },
  ],
}

test('each agent CLI that runs tasks is among those that are killed here', () => {
  expect(Object.keys(RUNNERS).sort()).toEqual([...names].sort())
})

describe.each(FAULTS)('on %s,', (database, faults) => {
  const lab = new Lab()
  const runners = new Map<string, Runner>()
  let lode: Lode
  let workers: Workers
  beforeAll(async () => {
    for (const name of names) {
      const runner = await RUNNERS[name]?.(lab.folder(name), SCRIPTS)
      if (runner === undefined) throw new Error(`no runner for ${name}`)
      runners.set(name, runner)
      lab.ending(name, () => runner[Symbol.asyncDispose]())
    }
    const each = <T>(of: (name: string, runner: Runner) => [string, T][]): Record<string, T> =>
      Object.fromEntries([...runners].flatMap(([name, runner]) => of(name, runner)))
    const environment = each((_, { environment: own }) => Object.entries(own))
    lode = lab.addLode('l', {
      databaseUrl: await lab.addDatabase(database),
      hasFixedPort: true,
      isKilled: true,
      homes: each((name, { folder }) => [[name, [folder]]]),
      env: { HOME: lab.folder('h'), ...environment },
      settings: {
        ...each((name, { program }) => [[`agents.${name}.executable`, program]]),
        'worker.enabled': false,
        'worker.sandbox': 'off',
        'worker.maxPermissionMode': 'bypassPermissions',
        'worker.passEnvironment': Object.keys(environment),
        'tasks.leaseSeconds': 15,
      },
    })
    workers = new Workers(lode, undefined)
    await lode.up()
    await workers.start({ name: 'w', concurrency: names.length })
  })
  afterAll(() => lab.stop(), 60_000)

  const at = (name: string, file: string): string => join(runners.get(name)?.project ?? '', file)

  interface Begun {
    id: Task['id']
    /** The process of its command. */
    tool: number
    question: string | null
  }

  /** A task for each CLI, once their commands are at work, or wait for leave. */
  async function atWork(word: string, clis: readonly string[], asks: boolean): Promise<Map<string, Begun>> {
    const begun = new Map<string, Begun>()
    // Codex leaves a command to itself after 30 s and asks its model what now. Another CLI may take that long to start: Codex comes last.
    for (const group of [clis.filter((name) => name !== 'codex'), clis.filter((name) => name === 'codex')]) {
      for (const name of group) begun.set(name, await create(name, word, asks))
      for (const name of group) {
        const task = begun.get(name)
        if (task === undefined) continue
        if (asks) task.question = await questionOf(name, task.id)
        else task.tool = await commandOf(name)
      }
    }
    return begun
  }

  async function create(name: string, word: string, asks: boolean): Promise<Begun> {
    for (const file of ['pid', 'lit']) rmSync(at(name, file), { force: true })
    const permissionMode = asks ? 'default' : 'bypassPermissions'
    const more = { dir: at(name, '.'), agentClis: [name], permissionMode }
    const { task } = await lode.client.tasks.create({ task: `${word}: light it @@work`, ...more })
    return { id: task.id, tool: 0, question: null }
  }

  const commandOf = (name: string): Promise<number> =>
    until(`the command of ${name}`, () => existsSync(at(name, 'pid')) && Number(readFileSync(at(name, 'pid'), 'utf8')))

  const questionOf = (name: string, taskId: Task['id']): Promise<string> =>
    until(
      `the question of ${name}`,
      async () => (await lode.client.questions.list({ taskId })).questions.find(({ status }) => status === 'open')?.id,
    )

  async function strike(fault: Fault, ids: Iterable<Task['id']>): Promise<void> {
    switch (fault) {
      case 'cli':
        for (const id of ids) {
          const [attempt] = (await lode.client.tasks.get(id)).attempts
          process.kill(attempt?.process?.pid ?? 0, 'SIGKILL')
        }
        return
      case 'worker':
        workers.get('w').signal('SIGKILL')
        await workers.get('w').ended
        await workers.start({ name: 'w', concurrency: names.length })
        return
      case 'server':
        await lode.kill()
        await lode.up()
        return
      case 'all': {
        const tree = processTree(workers.get('w').pid)
        await lode.kill()
        killAll(tree)
        await lode.up()
        await workers.start({ name: 'w', concurrency: names.length })
      }
    }
  }

  test.each(faults)('a run goes on by itself after SIGKILL of: %s', async (fault, clis) => {
    const word = `Word-${fault}`
    const tasks = await atWork(word, clis, fault === 'server')
    await strike(
      fault,
      [...tasks.values()].map(({ id }) => id),
    )
    for (const [name, { id, tool, question }] of tasks) {
      if (question === null) await until(`the end of the command of ${name}`, () => !isRunning(tool))
      else {
        // A run that lived through it waits still.
        expect([name, await questionOf(name, id)]).toEqual([name, question])
        await lode.client.questions.answer(questionId(question), { behavior: 'allow' })
        await commandOf(name)
        await Bun.write(at(name, 'lit'), '')
      }
      const { task, attempts } = await until(`the end of the task of ${name}`, async () => {
        const found = await lode.client.tasks.get(id)
        return (FINAL_TASK_STATUSES as readonly string[]).includes(found.task.status) ? found : undefined
      })
      expect([name, task.status, task.reason, task.output]).toEqual([
        name,
        'completed',
        task.reason,
        'The lamp is lit.',
      ])
      const session = attempts[0]?.conversation?.sessionId ?? sessionId('')
      expect(attempts.map(({ outcome }) => outcome).at(-1)).toBe('completed')
      const begun = attempts.map(({ conversation, failureReason }) =>
        conversation === null ? `not begun: ${failureReason}` : `${conversation.rung} ${conversation.sessionId}`,
      )
      expect(begun).toEqual([`fresh ${session}`, ...(fault === 'server' ? [] : [`native ${session}`])])
      const asked =
        runners
          .get(name)
          ?.shown()
          .filter((text) => text.includes(word)) ?? []
      expect([name, asked.length]).toEqual([name, 2])
      const texts = await until(`the record of ${name}`, async () => {
        const found = await Array.fromAsync(
          listAll(lode.client.events.list, { sessionId: session, limit: 1_000 }, 'events'),
        )
        const shown = found.map(({ text }) => text ?? '')
        return shown.some((text) => text.includes('The lamp is lit.')) ? shown : undefined
      })
      const times = (part: string) => texts.filter((text) => text.includes(part)).length
      expect([name, times('I light the lamp.'), times('The lamp is lit.')]).toEqual([name, 1, 1])
    }
    await until('the end of all that the runs started', () => processesOf({ home: lode.home }).length === 0)
  })
})
