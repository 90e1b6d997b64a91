/** What a person says to a task at work outlives the crash of its CLI: the real CLI, killed in the middle of a tool call. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '../../src/domain/message/message'
import type { Attempt, Task } from '../../src/domain/task/task'
import { until } from '../lab/until'
import { CLI_VERSIONS } from './real-cli'
import { TaskLab } from './task-lab'

interface Shown {
  task: Task
  attempts: Attempt[]
}

const WORDS = 'STEER: use the third branch'

describe.each(CLI_VERSIONS)('with Claude Code %s', (version) => {
  let world: TaskLab
  beforeAll(async () => {
    world = await TaskLab.start({ version, settings: { 'worker.allow': ['Bash'] } })
    await world.up()
  }, 60_000)
  afterAll(() => world?.stop(), 30_000)

  test('a person’s word that was written when the CLI was killed reaches the next attempt, exactly once', async () => {
    const { task } = await world.json<{ task: Task }>('task', 'create', 'work slowly')
    await until('the slow command', () => existsSync(join(world.lab.project, 'slow.txt')), 60_000)
    const { uuid } = await world.json<{ uuid: string }>('task', 'input', task.id, WORDS)
    const message = async () => (await world.json<{ message: Message }>('message', 'show', uuid)).message
    await until('the word to be written', async () => (await message()).evidence !== null)
    const { attempts } = await world.json<Shown>('task', 'show', task.id)
    const asked = world.lab.requests().length
    process.kill(attempts[0]?.process?.pid ?? 0, 'SIGKILL')
    const isDone = async () => (await world.json<Shown>('task', 'show', task.id)).task.status === 'completed'
    await until('the task to be completed', isDone, 90_000)

    const after = await world.json<Shown>('task', 'show', task.id)
    expect(after.attempts[0]).toMatchObject({ number: 1, failureClass: 'crash' })
    const shown = world.lab
      .requests()
      .slice(asked)
      .filter(({ who }) => who === 'main')
    expect(JSON.stringify(shown.at(-1)?.body.messages).split(WORDS)).toHaveLength(2)
    await until('the word to be consumed', async () => (await message()).status === 'consumed')
  }, 150_000)
})
