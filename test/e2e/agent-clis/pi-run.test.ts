/**
 * The real Pi works on tasks of Lodeline's. What a run did is what its model was sent, and what the record holds. What Pi does depends on no
 * database: they take turns.
 */
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { TaskId } from '../../../src/domain/ids'
import { PiLab } from '../../agents/pi-lab'
import { CHAT_USAGE, type ChatScripts, type ChatStep, chatText } from '../../agents/scripted-chat'
import { inTurn } from '../../lab/in-turn'
import { isAlive } from '../../lab/processes'
import { until } from '../../lab/until'
import { DATABASES } from '../../store-contract/databases'

const bash = (command: string): ChatStep => [{ tool: 'bash', args: { command } }]

const SCRIPTS: ChatScripts = {
  build: [[{ text: 'I build.' }, { tool: 'bash', args: { command: 'touch built.txt' } }], [{ text: 'It is built.' }]],
  ask: [bash('rm -f harbour.txt'), [{ text: 'I was answered.' }]],
  steal: [[{ tool: 'read', args: { path: 'secret.txt' } }], [{ text: 'I tried.' }]],
  progress: [
    [{ tool: 'mcp__lodeline__store-progress', args: { progress: 'Half of it is painted.' } }],
    [{ text: 'I told them.' }],
  ],
  slow: [bash('sleep 300'), [{ text: 'Late.' }]],
  short: [bash('sleep 2'), [{ text: 'Awake.' }]],
  turns: [bash('true'), bash('true'), bash('true'), [{ text: 'Too late.' }]],
  remember: [[{ text: 'The word is HERON.' }]],
  compacted: [[{ text: 'One.' }]],
  again: [[{ text: 'Once more.' }]],
  quota: [
    { status: 429, error: { message: 'You exceeded your current quota, resets in 90m', code: 'insufficient_quota' } },
  ],
}

inTurn(DATABASES, 'on %s', (test, database) => {
  let lab: PiLab
  beforeAll(async () => {
    const settings = {
      'worker.allow': ['Bash(touch *)', 'Bash(sleep *)', 'Bash(true)'],
      'worker.deny': ['Read(**/secret.txt)'],
    }
    lab = await PiLab.start({
      database,
      scripts: SCRIPTS,
      settings: { ...settings, 'worker.maxPermissionMode': 'bypassPermissions' },
    })
    writeFileSync(join(lab.pi.project, 'secret.txt'), 'the key is under the mat\n')
  })
  afterAll(() => lab?.lab[Symbol.asyncDispose](), 60_000)

  const sessionOf = async (id: TaskId): Promise<string> =>
    (await lab.attempts(id)).at(-1)?.conversation?.sessionId ?? 'none'
  const fileOf = (session: string): string => {
    const [name] = [...new Glob(`sessions/**/*_${session}.jsonl`).scanSync(lab.pi.folder)]
    return join(lab.pi.folder, name ?? 'none')
  }
  /** All that the model was sent in requests with this word in them. */
  const sent = (word: string): string =>
    lab.pi.model.requests
      .map(({ messages }) => messages.map(chatText).join('\n'))
      .filter((text) => text.includes(word))
      .join('\n\n')

  test('a task is worked on, shown live, recorded and paid', async () => {
    const task = await lab.done({ task: 'Build the harbour @@build' })
    expect(task).toMatchObject({ status: 'completed', output: 'It is built.' })
    expect(existsSync(join(lab.pi.project, 'built.txt'))).toBe(true)
    const [attempt] = await lab.attempts(task.id)
    expect(attempt).toMatchObject({ outcome: 'completed', cliVersion: '1.5.2', conversation: { rung: 'fresh' } })
    const log = await lab.log(task.id)
    for (const text of ['text: I build.', 'tool: bash: touch built.txt', 'result: It is built.'])
      expect(log).toContain(text)
    const session = await sessionOf(task.id)
    await until('the record', async () => {
      const { session: found } = await lab.lode.client.sessions.get(session)
      return found.agent === 'pi' && found.usage.outputTokens === 2 * CHAT_USAGE.output
    })
    await until('the output of the run', async () => {
      const { journals } = await lab.lode.client.sessions.journals(session)
      return journals.some(({ kind }) => kind === 'stream')
    })
  })

  test('the agent is given its task, the reminder of it, and the tools of Lodeline', async () => {
    const task = await lab.done({ task: 'Tell how far it is @@progress' })
    expect(task).toMatchObject({ status: 'completed', output: 'I told them.' })
    expect((await lab.lode.client.tasks.get(task.id)).task.progress).toBe('Half of it is painted.')
    const request = lab.pi.model.requests.find(({ messages }) =>
      messages.some((one) => chatText(one).includes('@@progress')),
    )
    expect(request?.tools?.map((tool) => tool.function?.name)).toContain('mcp__lodeline__send-task')
    const file = readFileSync(fileOf(await sessionOf(task.id)), 'utf8')
    expect(file).toContain('"customType":"lodeline"')
    expect(file).not.toContain(lab.lode.token)
  })

  test('a call without a rule waits for a person: it runs when it is allowed, and the model is told when it is not', async () => {
    const file = join(lab.pi.project, 'harbour.txt')
    for (const [behavior, isThere] of [
      ['deny', true],
      ['allow', false],
    ] as const) {
      writeFileSync(file, '')
      const id = await lab.create({ task: `Tear it down @@ask ${behavior}` })
      const question = await lab.asked(id)
      expect(question).toMatchObject({ toolName: 'Bash', input: { command: 'rm -f harbour.txt' } })
      expect(existsSync(file)).toBe(true)
      await lab.lode.client.questions.answer(question.id, {
        behavior,
        ...(behavior === 'deny' && { message: 'It stays.' }),
      })
      expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'I was answered.' })
      expect(existsSync(file)).toBe(isThere)
      if (behavior === 'deny') expect(sent('@@ask deny')).toContain('It stays.')
    }
  })

  test('what is always denied is refused in every mode, without a question', async () => {
    const task = await lab.done({ task: 'Find the key @@steal', permissionMode: 'bypassPermissions' })
    expect(task.status).toBe('completed')
    expect(sent('@@steal')).toContain('It is not allowed here (Read(**/secret.txt))')
    expect(sent('@@steal')).not.toContain('under the mat')
  })

  test('a mode that asks nobody refuses what no rule allows', async () => {
    const task = await lab.done({ task: 'Go on alone @@ask dontAsk', permissionMode: 'dontAsk' })
    expect(task.status).toBe('completed')
    expect(sent('@@ask dontAsk')).toContain('permission mode dontAsk')
  })

  test('a text reaches a run that is at work, and is read before its next step', async () => {
    const id = await lab.create({ task: 'Sleep a little @@short' })
    await until('the call', async () => (await lab.log(id)).includes('tool: bash: sleep 2'))
    const { message } = await lab.lode.client.messages.send({ to: id, text: 'The keeper calls MAGPIE.' })
    expect((await lab.ended(id)).status).toBe('completed')
    expect(sent('MAGPIE')).toContain('@@short')
    await until('the evidence of it', async () => {
      const { message: now } = await lab.lode.client.messages.get(message.id)
      return now.status === 'consumed'
    })
    // Once: no line of its session has it a second time.
    const file = readFileSync(fileOf(await sessionOf(id)), 'utf8')
    expect(file.split('\n').filter((line) => line.includes('MAGPIE') && line.includes('"role":"user"'))).toHaveLength(1)
  })

  test('a run that was paused goes on in its own session, and nothing of it stays behind', async () => {
    const id = await lab.create({ task: 'Take your time @@slow' })
    await until('the call', async () => (await lab.log(id)).includes('tool: bash: sleep 300'))
    const [first] = await lab.attempts(id)
    await lab.lode.client.tasks.pause(id)
    await until('the pause', async () => (await lab.lode.client.tasks.get(id)).task.status === 'paused')
    await until('the end of its process', () => first?.process === null || !isAlive(first?.process?.pid ?? 0))
    await lab.lode.client.tasks.resume(id)
    const second = await until('the second attempt at work', async () => {
      const attempts = await lab.attempts(id)
      return (await lab.log(id)).split('tool: bash: sleep 300').length > 2 ? attempts[1] : undefined
    })
    expect(second.conversation).toMatchObject({
      ...{ rung: 'native', whyNot: [], sessionId: first?.conversation?.sessionId ?? '' },
    })
    expect(sent('Take your time @@slow')).toContain('Command aborted')
    await lab.lode.client.tasks.cancel(id)
  })

  test('a process that is killed is taken up again where it was', async () => {
    const id = await lab.create({ task: 'Crash there @@slow' })
    await until('the call', async () => (await lab.log(id)).includes('tool: bash: sleep 300'))
    const pid = await until('its process', async () => (await lab.attempts(id))[0]?.process?.pid)
    process.kill(pid, 'SIGKILL')
    const second = await until('the second attempt', async () => (await lab.attempts(id))[1])
    expect((await lab.attempts(id))[0]).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    expect(second.conversation?.rung ?? 'native').toBe('native')
    await lab.lode.client.tasks.cancel(id)
  })

  test('a child begins with a copy of what its parent knew; a session whose file is gone is restored', async () => {
    const parent = await lab.done({ task: 'Which word? @@remember' })
    const from = await sessionOf(parent.id)
    const child = await lab.done({ task: 'Say it @@again', parentTaskId: parent.id })
    const copy = await sessionOf(child.id)
    expect((await lab.attempts(child.id))[0]?.conversation).toMatchObject({
      ...{ rung: 'snapshot', forked: true, resumedSessionId: from },
    })
    expect(sent('Say it @@again')).toContain('The word is HERON.')
    await until('the fork', async () => (await lab.lode.client.sessions.get(copy)).session.forkedFrom === from)
    expect((await lab.lode.client.sessions.get(copy)).session.usage.outputTokens).toBe(CHAT_USAGE.output)

    const path = fileOf(from)
    const bytes = readFileSync(path)
    rmSync(path)
    const { task } = await lab.lode.client.sessions.resume(from, { asTask: true, text: 'And now? @@again' })
    const again = await lab.ended(task?.id ?? ('' as never))
    expect(again.status).toBe('completed')
    expect((await lab.attempts(again.id)).at(-1)?.conversation).toMatchObject({ rung: 'restored', sessionId: from })
    expect(readFileSync(fileOf(from)).subarray(0, bytes.length)).toEqual(bytes)
    expect(sent('And now? @@again')).toContain('The word is HERON.')
  })

  test('a session that a person had is gone on with by a task', async () => {
    const id = await lab.pi.run('Remember this @@remember')
    await until('the record', async () => {
      const { sessions } = await lab.lode.client.sessions.list({ text: id })
      return sessions.some((one) => one.id === id && one.status === 'idle')
    })
    const { task } = await lab.lode.client.sessions.resume(id, { asTask: true, text: 'Go on with it @@again' })
    const ended = await lab.ended(task?.id ?? ('' as never))
    expect((await lab.attempts(ended.id))[0]?.conversation).toMatchObject({ rung: 'native', sessionId: id })
  })

  test('after a compaction the agent is told its task again', async () => {
    const path = join(lab.pi.folder, 'settings.json')
    const settings = readFileSync(path, 'utf8')
    // Every answer is more than fits.
    const compaction = { enabled: true, reserveTokens: 127_900, keepRecentTokens: 1 }
    writeFileSync(path, JSON.stringify({ ...JSON.parse(settings), compaction }))
    try {
      const task = await lab.done({ task: 'Say two words @@compacted' })
      expect(task.status).toBe('completed')
      expect(await lab.log(task.id)).toContain('run: the conversation was compacted')
      const lines = readFileSync(fileOf(await sessionOf(task.id)), 'utf8')
        .trimEnd()
        .split('\n')
      const at = lines.findLastIndex((line) => line.startsWith('{"type":"compaction"'))
      expect(at).toBeGreaterThan(0)
      expect(lines.slice(at).join('\n')).toContain('"customType":"lodeline"')
    } finally {
      writeFileSync(path, settings)
    }
  })

  test('a limit of turns ends the run before its next tool', async () => {
    const id = await lab.create({ task: 'Count @@turns', maxTurns: 2 })
    const [attempt] = await until('the end', async () => {
      const attempts = await lab.attempts(id)
      return attempts[0]?.outcome === 'failed' ? attempts : undefined
    })
    expect(attempt).toMatchObject({ failureClass: 'turn_limit' })
    expect(sent('Count @@turns')).not.toContain('Too late.')
  })

  // The worker takes no other task while its account is at its limit: this comes last.
  test('a task whose account is at its limit is put off until the limit is over', async () => {
    const id = await lab.create({ task: 'Spend it all @@quota' })
    const { task } = await until('the park', async () => {
      const found = await lab.lode.client.tasks.get(id)
      return found.attempts[0]?.failureClass === 'usage_limit' ? found : undefined
    })
    expect(Date.parse(task.notBefore ?? '')).toBeGreaterThan(Date.now() + 80 * 60_000)
    await lab.lode.client.tasks.cancel(id)
  })

  test('a run leaves nothing in the person’s own folder but its sessions', () => {
    expect(readdirSync(lab.pi.folder).sort()).toEqual([
      'auth.json',
      'models-store.json',
      'models.json',
      'sessions',
      'settings.json',
    ])
  })
})
