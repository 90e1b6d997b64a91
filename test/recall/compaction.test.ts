/**
 * The real CLI compacts its conversation and starts again, with our hooks installed three times over: what the model is sent holds
 * the reminder once for each moment.
 */
import { afterEach, beforeEach, expect } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { settingsFile } from '../../src/harness/claude-code/run/files'
import { openStore } from '../../src/store/open'
import { EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import type { ModelRequest } from '../lab/request-log'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { freshConversation, type Served, serve, startTask } from '../mcp/served'
import { make } from '../store-contract/databases'

const GOAL = 'Rebuild the harbour wall before the storm'

const scenarios = resolve(import.meta.dir, '../lab/scenarios/claude-code')
/** Three rounds of a tool, the last with an answer that fills the window. */
const FILL = [1, 2, 3].map((n) => ({
  text: `Step ${n}.`,
  tools: [{ name: 'Bash', input: { command: `echo ${n}`, description: `Step ${n}` } }],
  ...(n === 3 && { usage: { input_tokens: 195_000 } }),
}))
const WRITTEN_DOWN = 'GOAL REMINDER as the worker wrote it down'
const AT = {
  precompact: 'Keep the following goal and state in the summary',
  compact: 'The conversation was just compacted',
  resume: 'This conversation continues',
  startup: 'You are working on a task of Lodeline',
}
const sent = ({ body }: ModelRequest) => JSON.stringify(body.messages)
/** What was said last as the user, hooks' own messages aside. */
const lastWords = (request: ModelRequest | undefined) =>
  JSON.stringify(request?.body.messages.findLast(({ role }) => role === 'user')?.content)
const times = (text: string, part: string) => text.split(part).length - 1

inTurn(EACH_CLI, 'Claude Code %s', (test, version) => {
  let served: Served
  let home: string
  let lab: LabWith<'claude'>
  let startLab: (script: string) => Promise<void>
  let end: () => Promise<void>
  let run: Record<string, string>
  const session = crypto.randomUUID()

  beforeEach(async () => {
    const { place, remove } = await make('sqlite')
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    served = serve(store)
    home = mkdtempSync('/tmp/ld-')
    // The run's own settings hold each hook twice; the person's hold it once more.
    const once = JSON.parse(settingsFile({ lode: LODE, denied: [], cwd: '/', userHome: '/' })) as {
      hooks: Record<string, unknown[]>
    }
    const twice = Object.fromEntries(
      Object.entries(once.hooks).map(([event, hooks]) => [
        event,
        [...hooks, { hooks: [{ ...handler(hooks), timeout: 9 }] }],
      ]),
    )
    const third = Object.fromEntries(
      Object.entries(once.hooks).map(([event, hooks]) => [event, [{ hooks: [{ ...handler(hooks), timeout: 8 }] }]]),
    )
    startLab = async (script) => {
      lab = await openLab({ claude: { version, script, settings: { hooks: twice } } })
      mkdirSync(lab.claude.claudeRoot, { recursive: true })
      writeFileSync(join(lab.claude.claudeRoot, 'settings.json'), JSON.stringify({ hooks: third }))
    }
    await startLab('compaction')

    const { task, token, attemptId } = await startTask(served, { task: GOAL })
    await served.connect().attempts.report(attemptId, { conversation: freshConversation(session) })
    await served.connect(token).tasks.progress(task.id, { progress: 'Two stones are set' })
    run = {
      LODELINE_HOME: home,
      LODELINE_URL: served.origin,
      LODELINE_TOKEN: token,
      LODELINE_TASK_ID: task.id,
      LODELINE_ATTEMPT_ID: attemptId,
    }
    end = async () => {
      await lab.stop()
      await served.stop()
      await store.close()
      await remove()
      rmSync(home, { recursive: true, force: true })
    }
  })
  afterEach(() => end(), 30_000)

  let processes = 0
  function folderOfRun(): string {
    const folder = join(home, 'runs', `t-1.${++processes}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'recall.txt'), WRITTEN_DOWN)
    return folder
  }

  /** One process of the CLI, with a folder of its own as each attempt has one. */
  async function say(prompt: string, env: Record<string, string> = {}): Promise<void> {
    const folder = folderOfRun()
    const conversation = prompt === 'hello' ? { sessionId: session } : { resume: session }
    const ended = await lab.claude.run({ prompt, ...conversation, env: { ...run, LODELINE_RUN_DIR: folder, ...env } })
    expect([prompt, ended.exitCode, ended.stderr]).toEqual([prompt, 0, ''])
  }

  const asked = (rule: string) => lab.claude.requests().filter((request) => request.rule === rule)

  test('is reminded once in a compaction by hand and once after it', async () => {
    for (const prompt of ['hello', 'go on', '/compact', 'and now']) await say(prompt)
    const [first] = asked('talk')
    expect(times(sent(first as ModelRequest), AT.startup)).toBe(1)

    const [summary] = asked('summary')
    const compaction = sent(summary as ModelRequest)
    expect(times(compaction, AT.precompact)).toBe(1)
    // In the very text that asks for the summary.
    const last = lastWords(summary)
    expect(last).toContain('Your task is to create a detailed summary')
    for (const part of ['GOAL REMINDER', AT.precompact, GOAL, 'Two stones are set']) expect(last).toContain(part)

    const after = sent(asked('after')[0] as ModelRequest)
    expect(times(after, AT.compact)).toBe(1)
    // That process was a new one, which resumed what had been compacted.
    expect(times(after, AT.resume)).toBe(1)
    for (const part of ['GOAL REMINDER', GOAL, 'Two stones are set', 'finish-task']) expect(after).toContain(part)
  })

  test('is reminded once in each of two compactions that one process makes by itself, and once after each', async () => {
    const script = JSON.parse(readFileSync(join(scenarios, 'compaction.json'), 'utf8')) as { name: string }[]
    const filling = script.map((rule) => (rule.name === 'fill' ? { ...rule, steps: [...FILL, ...FILL] } : rule))
    const file = join(home, 'script.json')
    writeFileSync(file, JSON.stringify(filling))
    await lab.stop()
    await startLab(file)
    const folder = folderOfRun()
    const env = { ...run, LODELINE_RUN_DIR: folder, CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' }
    const working = lab.claude.steer({ sessionId: session, env })
    for (const round of [1, 2]) {
      working.send({ type: 'user', message: { role: 'user', content: 'fill' } })
      await until('the turn after the compaction', () => asked('after').length === round)
    }
    working.end()
    expect(await working.exited).toMatchObject({ exitCode: 0 })
    expect(asked('summary')).toHaveLength(2)
    for (const [round, summary] of asked('summary').entries()) {
      const compaction = sent(summary)
      expect(times(compaction, AT.precompact)).toBe(1)
      expect(times(compaction, AT.compact)).toBe(round)
      const next = sent(asked('after')[round] as ModelRequest)
      expect(times(next, AT.compact)).toBe(1)
      expect(next).toContain('Two stones are set')
    }
  })

  test('compacts all the same while the server is away or never answers, with what was written down', async () => {
    await say('hello')
    await say('go on')
    const answer = Promise.withResolvers<Response>()
    const silent = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer.promise })
    try {
      for (const [round, url] of ['http://127.0.0.1:1', `http://127.0.0.1:${silent.port}`].entries()) {
        await say('/compact', { LODELINE_URL: url })
        expect(asked('summary')).toHaveLength(round + 1)
        const last = lastWords(asked('summary')[round])
        expect(last).toContain('Your task is to create a detailed summary')
        expect(times(last, WRITTEN_DOWN)).toBe(1)
        await say('and now')
        await say('some more')
      }
      expect(asked('after')).toHaveLength(4)
    } finally {
      answer.resolve(new Response())
      await silent.stop(true)
    }
  })
})

const handler = (hooks: unknown[]) => (hooks[0] as { hooks: object[] }).hooks[0]
