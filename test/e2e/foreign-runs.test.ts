/**
 * What holds for a run of every real agent CLI but Claude Code, with one server for all of them: *always* is what the question showed; the
 * launchers by which npm starts two of them hide no process; a conversation goes on in another folder, where one CLI by itself would never end.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Inputs } from '../../src/api/contract/operations'
import { sessionId } from '../../src/domain/ids'
import { FINAL_TASK_STATUSES, type Question, type Task } from '../../src/domain/task/task'
import { installedAgents } from '../agents/codex-cli'
import { RUNNERS, type Runner } from '../agents/runners'
import { browserOfTests, shot, withDashboard } from '../browser/page/page'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { processesOf } from './tasks/attempt-processes'

const lab = new Lab()
const runners = new Map<string, Runner>()
let lode: Lode

/** One that needs leave; each CLI has its own, so that no rule of one answers for another. */
const commandOf = (name: string): string => `touch made-by-${name}`
const projectOf = (name: string): string => runners.get(name)?.project ?? ''

/** Takes six seconds to say. */
const WORDS = Array.from({ length: 20 }, (_, wave) => `wave ${wave}, said`).join(' ')

beforeAll(async () => {
  for (const [name, start] of Object.entries(RUNNERS)) {
    const step = (text: string) => ({ text, command: commandOf(name) })
    const runner = await start(lab.folder(name), {
      twice: [step('Once.'), step('And again.'), { text: WORDS, pauseMs: 100 }],
      once: [step('Once.'), { text: 'It is done.' }],
      elsewhere: [{ text: 'I am elsewhere.' }],
    })
    runners.set(name, runner)
    lab.ending(name, () => runner[Symbol.asyncDispose]())
  }
  const each = <T>(of: (name: string, runner: Runner) => [string, T][]): Record<string, T> =>
    Object.fromEntries([...runners].flatMap(([name, runner]) => of(name, runner)))
  const environment = each((_, { environment: own }) => Object.entries(own))
  lode = lab.addLode('l', {
    homes: each((name, { folder }) => [[name, [folder]]]),
    env: { HOME: lab.folder('h'), ...environment },
    settings: {
      ...each((name, { program }) => [[`agents.${name}.executable`, program]]),
      'agents.copilot.executable': await npmLauncher(),
      'worker.sandbox': 'off',
      'worker.concurrency': runners.size,
      'worker.passEnvironment': Object.keys(environment),
    },
  })
  await lode.up()
  await until('the worker to find all CLIs', async () => {
    const { agents } = await lode.client.agents.list()
    return agents.some(({ clis }) => Object.keys(RUNNERS).every((name) => clis?.some((cli) => cli.name === name)))
  })
}, 600_000)
afterAll(() => lab.stop(), 60_000)

/** What `npm install -g @github/copilot` puts on PATH: a program that starts the program. Codex is started by its own in all tests. */
async function npmLauncher(): Promise<string> {
  const path = join(lab.folder('npm'), 'copilot')
  const packages = await installedAgents()
  const node = join(packages, `node-${process.platform}-${process.arch}/bin/node`)
  writeFileSync(path, `#!/bin/sh\nexec '${node}' '${join(packages, '@github/copilot/npm-loader.js')}' "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

const create = async (name: string, script: string, more: Partial<Inputs['tasks']['create']> = {}): Promise<Task> => {
  const asked = { task: `do it @@${script}`, dir: projectOf(name), agentClis: [name], ...more }
  return (await lode.client.tasks.create(asked)).task
}

const questionsOf = async ({ id }: Task): Promise<Question[]> =>
  (await lode.client.questions.list({ taskId: id })).questions

const askedBy = (task: Task): Promise<Question> =>
  until(`a question of ${task.id}`, async () => (await questionsOf(task))[0])

const endOf = ({ id }: Task): Promise<Task> =>
  until(`the end of ${id}`, async () => {
    const { task } = await lode.client.tasks.get(id)
    return (FINAL_TASK_STATUSES as readonly string[]).includes(task.status) ? task : undefined
  })

test.each(Object.keys(RUNNERS))(
  '%s: always writes the rule that the question showed, and the same call is not asked about again; what it says is seen on the page while it is said, before its files have it',
  async (name) => {
    await browserOfTests()
    const task = await create(name, 'twice')
    const asked = await askedBy(task)
    const rule = asked.alwaysRules[0] ?? ''
    expect([name, rule]).toEqual([name, `Bash(${commandOf(name)}) in ${projectOf(name)}`])
    await lode.client.questions.alwaysAllow(asked.id, { rule })
    expect(readFileSync(join(lode.home, 'config.yaml'), 'utf8')).toContain(rule)
    const seen = await until('its first words', async () => {
      const { claudeSessionId } = (await lode.client.tasks.get(task.id)).task
      if (claudeSessionId === null) return undefined
      const live = await lode.client.sessions.live(claudeSessionId).catch(() => null)
      return live?.words.includes('wave 1,') ? claudeSessionId : undefined
    })
    await withDashboard({ server: lode, path: `/sessions/${seen}` }, async ({ page }) => {
      const live = page.getByRole('region', { name: 'Live', exact: true })
      await live.getByText(/wave 0, said wave 1, said/).waitFor()
      const { status } = (await lode.client.tasks.get(task.id)).task
      await shot(page, `session/writing-${name}`)
      expect([name, status]).toEqual([name, 'in_progress'])
      await page.getByTestId('session-row').filter({ hasText: 'wave 19, said' }).waitFor()
      await live.waitFor({ state: 'detached' })
    })
    const { status, output } = await endOf(task)
    expect([name, status, output]).toEqual([name, 'completed', WORDS])
    expect((await questionsOf(task)).map(({ id, answer }) => [id, answer?.behavior])).toEqual([[asked.id, 'allow']])
  },
)

test('a launcher hides no process: what it started ends with the run', async () => {
  const dir = join(dirname(projectOf('copilot')), 'other')
  mkdirSync(dir)
  const task = await create('copilot', 'once', { dir })
  await askedBy(task)
  const [attempt] = (await lode.client.tasks.get(task.id)).attempts
  const programs = processesOf({ attempt: attempt?.id }).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  // The one that the worker knows, and the one that works.
  expect(programs.some((words) => words.includes('npm-loader.js'))).toBe(true)
  expect(programs.some((words) => /copilot-\w+-\w+\/copilot/.test(words))).toBe(true)
  await lode.client.tasks.cancel(task.id, {})
  await endOf(task)
  await until('its processes to be gone', () => processesOf({ attempt: attempt?.id }).length === 0)
})

test('a conversation of opencode goes on in another folder than its own, and ends', async () => {
  const elsewhere = join(dirname(projectOf('opencode')), 'elsewhere')
  mkdirSync(elsewhere)
  const session = sessionId((await runners.get('opencode')?.run('remember the number 4711')) ?? '')
  await until('the record of it', () => lode.client.sessions.get(session).catch(() => undefined))
  const { task } = await lode.client.sessions.resume(session, {
    asTask: true,
    dir: elsewhere,
    text: 'go on @@elsewhere',
  })
  if (task === null) throw new Error('no task was made')
  const { status, output } = await endOf(task)
  expect([status, output]).toEqual(['completed', 'I am elsewhere.'])
  const shown = runners
    .get('opencode')
    ?.shown()
    .findLast((text) => text.includes('@@elsewhere'))
  expect(shown).toContain('4711')
})
