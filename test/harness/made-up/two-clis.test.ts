/** Two agent CLIs on one machine, the real Claude Code and the made-up one: tasks choose between them, and go on in the other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, renameSync } from 'node:fs'
import { type Claude, NEWEST_CLI } from '../../lab/claude'
import { until } from '../../lab/until'
import { MadeUpLab } from './lab'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let made: MadeUpLab
    let claude: Claude
    beforeAll(async () => {
      const script = [
        {
          match: { prompt: 'harbour' },
          steps: [
            { thinking: 'A private thought.', tools: [{ name: 'Bash', input: { command: 'echo low tide' } }] },
            { text: 'The harbour is shallow.' },
          ],
        },
        { match: { prompt: 'back' }, steps: [{ text: 'I remember all of it.' }] },
      ]
      ;({ made, claude } = await MadeUpLab.besideClaude(kind, { script }))
    })
    afterAll(() => made?.lab.stop(), 60_000)

    const newest = async (id: string) => (await made.lode.client.tasks.get(id)).attempts.at(-1)

    test('a worker tells which agent CLIs it has, and a task runs in the one that it names', async () => {
      const agents = await until('both CLIs of the worker', async () => {
        const { agents: all } = await made.lode.client.agents.list()
        return all.find(({ clis }) => clis?.length === 2)
      })
      expect(agents.clis).toEqual([
        { name: 'made-up', version: '3.1' },
        { name: 'claude-code', version: NEWEST_CLI },
      ])
      const first = await made.done({ task: 'Who are you?' })
      expect(await newest(first.id)).toMatchObject({ agentCli: 'made-up', cliVersion: '3.1' })
      const words = ['Look at the harbour', '--agent', 'nobody, claude-code', '--wait', '--json']
      const { stdout } = await made.lode.lode('task', 'create', ...words)
      const { task } = JSON.parse(stdout) as { task: { id: string; output: string } }
      expect(task.output).toBe('The harbour is shallow.')
      expect(await newest(task.id)).toMatchObject({ agentCli: 'claude-code', cliVersion: NEWEST_CLI })
      expect(await made.lines('agent', 'list')).toContain('claude-code')
    })

    test('a task that no worker can run says what it waits for', async () => {
      const { task } = await made.lode.client.tasks.create({ task: 'Go', agentClis: ['nobody', 'no-one'] })
      const shown = await made.lines('task', 'show', task.id)
      expect(shown).toContain('nobody, else no-one; no online worker has one')
      expect(task.status).toBe('unassigned')
      await made.lode.client.tasks.cancel(task.id)
    })

    test('a task whose agent CLI is gone from the machine is left to other workers', async () => {
      const parent = await made.done({ task: 'Who are you?', agentClis: ['made-up'] })
      renameSync(made.program, `${made.program}.old`)
      const { task } = await made.lode.client.tasks.create({ task: 'And you?', parentTaskId: parent.id })
      await until('the end of the attempt', async () => (await newest(task.id))?.outcome === 'released')
      expect(await made.lines('task', 'log', task.id)).toContain('there is no made-up in PATH')
      expect(await made.lines('task', 'show', task.id)).toContain('no online worker has')
      expect((await made.lode.client.tasks.get(task.id)).attempts).toHaveLength(1)
      const left = await until('what the worker has', async () => {
        const { agents } = await made.lode.client.agents.list()
        return agents.find(({ clis }) => clis?.length === 1)
      })
      expect(left.clis).toMatchObject([{ name: 'claude-code' }])
      renameSync(`${made.program}.old`, made.program)
      await made.lode.stop()
      await made.lode.up()
      expect((await made.ended(task.id)).status).toBe('completed')
      expect((await newest(task.id))?.conversation?.resumedSessionId).toBe(parent.claudeSessionId)
    })

    test('a conversation goes on in the other CLI and comes back, and each is shown what was said', async () => {
      const began = await made.done({ task: 'Look at the harbour', agentClis: ['claude-code'] })
      const from = began.claudeSessionId ?? ''
      const child = await made.done({ task: 'What did you hear?', parentTaskId: began.id, agentClis: ['made-up'] })
      expect(child.output).toContain('Look at the harbour')
      const attempt = await newest(child.id)
      expect(attempt?.conversation).toMatchObject({
        ...{ rung: 'translated', resumedSessionId: from, forked: false },
        carried: '2 messages and 1 tool call; without 1 piece of thinking',
        whyNot: [
          { rung: 'native', reason: 'other_agent', detail: 'the conversation is one of Claude Code' },
          { rung: 'restored', reason: 'other_agent' },
          { rung: 'snapshot', reason: 'other_agent' },
        ],
      })
      const talk = readFileSync(made.talkFile(attempt?.conversation?.sessionId ?? ''), 'utf8')
      for (const text of ['Look at the harbour', 'Bash {"command":"echo low tide"}', 'The harbour is shallow.'])
        expect(talk).toContain(text)
      expect(talk).not.toContain('A private thought.')

      const back = await made.done({ task: 'And back', parentTaskId: child.id, agentClis: ['claude-code'] })
      expect(back.output).toBe('I remember all of it.')
      const last = (await newest(back.id))?.conversation
      expect(last).toMatchObject({ rung: 'translated', resumedSessionId: attempt?.conversation?.sessionId })
      const shown = claude.lastShown(last?.sessionId ?? '')
      const texts = [
        'Look at the harbour',
        'The harbour is shallow.',
        'What did you hear?',
        'I heard before',
        'And back',
      ]
      const places = texts.map((text) => shown.indexOf(text))
      expect(places.every((at, n) => at >= 0 && at > (places[n - 1] ?? -1))).toBe(true)
      expect(shown).toContain(`began in Made Up, as session ${attempt?.conversation?.sessionId}`)
      // Its lines count for the origin, to which the session is linked.
      const session = await until('the record of the last one', async () => {
        const { sessions } = await made.lode.client.sessions.list({ text: last?.sessionId ?? '' })
        return sessions.find(({ translatedFrom }) => translatedFrom !== null)
      })
      expect(session).toMatchObject({ translatedFrom: attempt?.conversation?.sessionId, agent: 'claude-code' })
      expect(await made.lines('session', 'show', session.id, '-c')).toContain('translated from')
      expect(await made.lines('task', 'log', back.id)).toContain('of Made Up continues here as')
    })

    test('a person goes on with a session in the other CLI', async () => {
      const session = crypto.randomUUID()
      await claude.run({ prompt: 'Look at the harbour', sessionId: session, args: ['--allowedTools=Bash'] })
      await until('the record of the session', async () => {
        const { sessions } = await made.lode.client.sessions.list({ text: session })
        return sessions.some(({ id, counts }) => id === session && counts.events > 3)
      })
      const words = ['session', 'resume', session, '--with', 'made-up', '--dir', made.project]
      const [, id = ''] = /made-up talk --again (\S+)/.exec(await made.lines(...words, '--print')) ?? []
      expect(readFileSync(made.talkFile(id), 'utf8')).toContain('The harbour is shallow.')
      const unknown = await made.lode.lode(...words.slice(0, 4), 'no-one', '--print')
      expect(`${unknown.exitCode} ${unknown.stderr}`).toStartWith('3 ')
    })

    test("a task's own conversation goes on in the CLI that its person names now", async () => {
      const { task } = await made.lode.client.tasks.create({
        task: 'crash once, then look',
        agentClis: ['made-up'],
        retryPolicy: { initialIntervalMs: 3_600_000 },
      })
      await until('the crash', async () => (await made.lode.client.tasks.get(task.id)).task.waitingFor === 'retry')
      await made.lode.client.tasks.patch(task.id, { agentClis: ['claude-code'] })
      await made.lode.client.tasks.deploy(task.id)
      expect((await made.ended(task.id)).status).toBe('completed')
      const attempt = await newest(task.id)
      expect(attempt).toMatchObject({ agentCli: 'claude-code', conversation: { rung: 'translated' } })
      const shown = claude.lastShown(attempt?.conversation?.sessionId ?? '')
      expect(shown).toContain('crash once, then look')
      expect(shown).toContain(`Continue task ${task.id} of Lodeline where you left off`)
    })
  })
}
