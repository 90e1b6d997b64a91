/** What a person says to a task at work outlives the crash of its CLI: the real CLI, killed in the middle of a tool call. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '../../../src/domain/message/message'
import type { Attempt, Task } from '../../../src/domain/task/task'
import { cliInTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { until } from '../../lab/until'

interface Shown {
  task: Task
  attempts: Attempt[]
}

const WORDS = 'STEER: use the third branch'

describe.each(cliInTurn('task input'))('with Claude Code %s', (version) => {
  let lab: LabWith<'claude' | 'lode'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: 'tasks' }, lode: { settings: { 'worker.allow': ['Bash'] } } })
    await lab.lode.up()
  })
  afterAll(() => lab?.stop(), 30_000)

  test('a person’s word that was written when the CLI was killed reaches the next attempt, exactly once', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'work slowly')
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const { uuid } = await lab.lode.json<{ uuid: string }>('task', 'input', task.id, WORDS)
    const message = async () => (await lab.lode.json<{ message: Message }>('message', 'show', uuid)).message
    await until('the word to be written', async () => (await message()).evidence !== null)
    const { attempts } = await lab.lode.json<Shown>('task', 'show', task.id)
    const asked = lab.claude.requests().length
    process.kill(attempts[0]?.process?.pid ?? 0, 'SIGKILL')
    const isDone = async () => (await lab.lode.json<Shown>('task', 'show', task.id)).task.status === 'completed'
    await until('the task to be completed', isDone)

    const after = await lab.lode.json<Shown>('task', 'show', task.id)
    expect(after.attempts[0]).toMatchObject({ number: 1, failureClass: 'crash' })
    const shown = lab.claude
      .requests()
      .slice(asked)
      .filter(({ who }) => who === 'main')
    expect(JSON.stringify(shown.at(-1)?.body.messages).split(WORDS)).toHaveLength(2)
    await until('the word to be consumed', async () => (await message()).status === 'consumed')
  })
})
