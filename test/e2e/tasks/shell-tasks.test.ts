/** What a conversation's own shell makes belongs to that conversation: the real CLI, its Bash tool, its hooks. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, messageMarker } from '../../../src/domain/message/message'
import type { Task } from '../../../src/domain/task/task'
import { cliInTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { until } from '../../lab/until'
import { LODE_WORDS } from '../../lode-command'

const OUTPUT = 'Hello, the word is PLUM.'

describe.each(cliInTurn('shell tasks'))('with Claude Code %s', (version) => {
  const session = crypto.randomUUID()
  let lab: LabWith<'claude' | 'lode'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: 'tasks' }, lode: { settings: { 'worker.allow': ['Bash'] } } })
    await lab.lode.up()
    expect((await lab.lode.lode('setup', 'claude', '--user')).exitCode).toBe(0)
  })
  afterAll(() => lab?.stop(), 30_000)

  const env = () => ({ LODELINE_HOME: lab.lode.home })
  const results = async (): Promise<Message[]> =>
    (await lab.lode.json<{ messages: Message[] }>('message', 'list', '--to', session)).messages.filter(
      ({ kind }) => kind === 'result',
    )
  const completed = async (id: string) =>
    (await lab.lode.json<{ task: Task }>('task', 'show', id)).task.status === 'completed'

  test('a task of its shell runs in the folder of the command, and its result comes back once', async () => {
    const lode = LODE_WORDS
    mkdirSync(join(lab.claude.project, 'part'))
    writeFileSync(
      join(lab.claude.project, 'spawn.sh'),
      `cd part && ${lode} task create 'say hello' --json > ../made.json 2> ../said.txt\n`,
    )
    const ended = await lab.claude.run({ prompt: 'make a task', sessionId: session, env: env() })
    expect(ended.exitCode).toBe(0)
    const { task } = JSON.parse(readFileSync(join(lab.claude.project, 'made.json'), 'utf8')) as { task: Task }
    expect(task).toMatchObject({ source: 'cli', sessionId: session, spawnedBy: { sessionId: session } })
    expect(task.dir).toBe(realpathSync(join(lab.claude.project, 'part')))
    await until('its end', () => completed(task.id))
    expect(await results()).toMatchObject([{ to: session, text: expect.stringContaining(OUTPUT) }])

    const before = lab.claude.requests().length
    await lab.claude.run({ prompt: 'any news?', resume: session, env: env() })
    await lab.claude.run({ prompt: 'anything else?', resume: session, env: env() })
    const asked = lab.claude
      .requests()
      .slice(before)
      .filter(({ who }) => who === 'main')
    const [told] = await results()
    if (told === undefined) throw new Error('no result')
    // By its mark: the scripted model says the same words itself.
    expect(JSON.stringify(asked.at(-1)?.body.messages).split(messageMarker(told.id))).toHaveLength(2)
    await until('it to be consumed', async () => (await results()).every(({ status }) => status === 'consumed'))
  })

  test('a variable that outlived its session, or names none, makes nobody wait for a result', async () => {
    for (const stale of [session, crypto.randomUUID()]) {
      const stopped = async () =>
        stale !== session ||
        (await lab.lode.json<{ session: { status: string } }>('session', 'show', session)).session.status === 'ended'
      await until('the end of the session', stopped)
      const args = ['task', 'create', 'say hello', '--backlog', '--json']
      const { stdout, stderr } = await lab.lode.spawn(args, { CLAUDE_CODE_SESSION_ID: stale }).exited
      expect((JSON.parse(stdout) as { task: Task }).task).toMatchObject({ sessionId: null, spawnedBy: null })
      expect(stderr).toContain('is not live')
    }
  })
})
