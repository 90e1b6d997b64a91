/** Settings that change while `lode up` runs, with the real CLI at work. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../../src/domain/agent'
import type { Question, Task } from '../../../src/domain/task/task'
import { type LabWith, openLab } from '../../lab/lab'
import type { RunningCommand } from '../../lab/running-command'
import { until } from '../../lab/until'

let lab: LabWith<'claude' | 'lode'>
let up: RunningCommand
beforeAll(async () => {
  lab = await openLab({ claude: { version: '2.1.328', script: 'tasks' }, lode: { settings: { 'log.level': 'info' } } })
  up = await lab.lode.up()
})
afterAll(() => lab?.stop(), 30_000)

const questions = async () => (await lab.lode.json<{ questions: Question[] }>('question', 'list')).questions
const said = (text: string) => existsSync(logFile()) && readFileSync(logFile(), 'utf8').includes(text)
const logFile = () => join(lab.lode.home, 'log', 'lode.log')
const agent = async () => (await lab.lode.json<{ agents: Agent[] }>('agent', 'list')).agents[0]

test('a rule that is set while a question is open answers it, and the run goes on without a restart', async () => {
  const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'ask me', '--dir', lab.claude.project)
  await until('the question', async () => (await questions()).length === 1)
  const [asked] = await questions()
  expect(asked).toMatchObject({ status: 'open', toolName: 'Bash', taskId: task.id })
  const set = await lab.lode.lode('config', 'set', 'worker.allow', 'Bash(*)')
  expect([set.exitCode, set.stderr]).toEqual([0, ''])
  const shown = () => lab.lode.json<{ task: Task; questions: Question[] }>('task', 'show', task.id)
  await until('the end of the run', async () => (await shown()).task.status === 'completed')
  expect(existsSync(join(lab.claude.project, 'asked.txt'))).toBe(true)
  const after = await shown()
  expect(after.questions).toMatchObject([
    { id: asked?.id, status: 'answered', answer: { behavior: 'allow' }, answeredBy: 'rule' },
  ])
})

test('the number of tasks at once is told to the server; a broken file keeps the old values and is said in the log', async () => {
  await lab.lode.lode('config', 'set', 'worker.concurrency', '5')
  await until('the new number', async () => (await agent())?.concurrency === 5)
  const file = join(lab.lode.home, 'config.yaml')
  const good = readFileSync(file, 'utf8')
  writeFileSync(file, `${good}\n: [ {`)
  await until('a word on the broken file', () => said('the old ones remain in effect'))
  writeFileSync(file, good)
  expect((await agent())?.concurrency).toBe(5)
})

test('what needs a restart says so, and how, while a server runs here and not otherwise', async () => {
  const port = await lab.lode.lode('config', 'set', 'listen.port', '4999')
  expect(port.stderr).toContain(`Restart lode up (process ${up.pid})`)
  expect((await lab.lode.lode('config', 'set', 'stuckAfterMs', '60000')).stderr).toBe('')
  const { settings } = await lab.lode.json<{ settings: { key: string; isLive: boolean }[] }>('config', 'list')
  const live = (key: string) => settings.find((each) => each.key === key)?.isLive
  expect([live('listen.port'), live('databaseUrl'), live('worker.allow'), live('stuckAfterMs')]).toEqual([
    false,
    false,
    true,
    true,
  ])
  up.signal('SIGTERM')
  await up.exited
  expect((await lab.lode.lode('config', 'set', 'listen.port', '4998')).stderr).toBe('')
})
