/**
 * Sessions that are no runs, with the real CLI: hooks installed by `lode setup claude` and by the plugin together. What the model is
 * sent holds each moment's text once, with no server at all.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cliPath, EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import type { ModelRequest } from '../lab/request-log'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const root = resolve(import.meta.dir, '../..')
const AT = {
  startup: 'Lodeline keeps the record of the work in',
  resume: 'This conversation continues',
  precompact: 'Keep the following goal and state in the summary',
  compact: 'The conversation was just compacted',
  cleared: 'The conversation was cleared in this process',
}
const sent = (request: ModelRequest | undefined) => JSON.stringify(request?.body.messages)
const times = (text: string, part: string) => text.split(part).length - 1
const GOAL = 'hello, rebuild the harbour wall before the storm'

inTurn(EACH_CLI, 'Claude Code %s', (test, version) => {
  let lab: LabWith<'claude'>
  const plugin = ['--plugin-dir', join(root, 'plugin')]

  beforeEach(async () => {
    lab = await openLab({ isOddlyNamed: true, claude: { version, script: 'compaction' } })
    await lode('config', 'set', 'agents.claude-code.executable', cliPath(version))
    await lode('config', 'set', 'worker.sandbox', 'off')
    // Makes the database: hooks only read it.
    await lode('session', 'list')
    const said = await lode('setup', 'claude', '--user')
    expect(said).toContain('SessionStart')
  })
  afterEach(() => lab.stop(), 30_000)

  async function lode(...args: string[]): Promise<string> {
    const child = Bun.spawn([...LODE, ...args], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([args, code, err]).toEqual([args, 0, expect.anything()])
    return out
  }

  const asked = (rule: string) => lab.claude.requests().filter((request) => request.rule === rule)

  async function say(session: string, prompt: string, isFirst = false): Promise<void> {
    const place = isFirst ? { sessionId: session } : { resume: session }
    const ended = await lab.claude.run({ prompt, ...place, args: plugin })
    expect([prompt, ended.exitCode, ended.stderr]).toEqual([prompt, 0, ''])
    // Nobody follows the files here: a command takes in what they hold.
    await lode('session', 'list')
  }

  /** How often a start of the CLI heard that the conversation goes on, at most: a prompt ends what belongs to a start. */
  function mostTellingsOfAStart(session: string): number {
    const [path = ''] = new Bun.Glob(`**/${session}.jsonl`).scanSync({
      cwd: lab.claude.home,
      absolute: true,
      dot: true,
    })
    let [most, current] = [0, 0]
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const { type } = JSON.parse(line)
      if (type === 'attachment' && line.includes(AT.resume)) current++
      if (type === 'user') current = 0
      most = Math.max(most, current)
    }
    return most
  }

  test('is told once at its start, when it goes on, in a compaction and after it', async () => {
    const session = crypto.randomUUID()
    await say(session, GOAL, true)
    const first = sent(asked('talk')[0])
    expect(times(first, AT.startup)).toBe(1)
    expect(first).not.toContain('GOAL REMINDER')

    await say(session, 'go on')
    const second = sent(asked('talk')[1])
    expect(times(second, AT.startup)).toBe(1)
    expect(times(second, AT.resume)).toBe(1)
    expect(second).toContain('The goal, from the prompts')

    await say(session, '/compact')
    const compaction = sent(asked('summary')[0])
    expect(times(compaction, AT.precompact)).toBe(1)
    await say(session, 'and now')
    const after = sent(asked('after')[0])
    expect(times(after, AT.compact)).toBe(1)
    // Each process that went on heard it once. The CLI keeps the reminder of the one that compacted behind the summary, or drops it.
    expect(times(after, AT.resume)).toBeGreaterThanOrEqual(1)
    expect(mostTellingsOfAStart(session)).toBe(1)
    for (const text of [compaction, after]) expect(text).toContain(GOAL)
    // Twice the hooks, once the record.
    expect(JSON.parse(await lode('session', 'list', '--json')).sessions).toHaveLength(1)
  })

  test('is told the goal again after a clear in the same process, and nothing of other conversations', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session, args: plugin })
    const line = (content: string) => ({ type: 'user', message: { role: 'user', content } })
    working.send(line(GOAL))
    await until('the first answer', () => asked('talk').length === 1)
    await until('the prompt in the record', async () =>
      (await lode('event', 'list', '--session', session)).includes('harbour'),
    )
    working.send(line('/clear'))
    working.send(line('what was it about'))
    await until('the next answer', () => asked('talk').length === 2)
    working.end()
    await working.exited
    const next = asked('talk')[1]
    expect(next?.session).not.toBe(session)
    expect(times(sent(next), AT.cleared)).toBe(1)
    expect(sent(next)).toContain(GOAL)
    // Another process knows of no clear, whatever it heard: nothing links it to the conversation.
    const other = crypto.randomUUID()
    await say(other, 'something else', true)
    expect(sent(asked('talk')[2])).not.toContain('harbour')
  })

  test('gives a hand-over to the next session in the folder, once', async () => {
    const [first, second, third] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    await say(first, GOAL, true)
    await lode('handoff', 'The crane needs oil before it lifts', '--session', first)
    // Not to its own writer.
    await say(first, 'go on')
    await say(second, 'good morning', true)
    await say(third, 'good evening', true)
    const [, own, next, later] = asked('talk')
    expect(sent(own)).not.toContain('crane')
    expect(times(sent(next), 'The crane needs oil')).toBe(1)
    expect(sent(next)).toContain(`by session ${first}`)
    expect(sent(later)).not.toContain('crane')
    const { handoffs } = JSON.parse(await lode('handoff', '--list', '--json'))
    expect(handoffs).toMatchObject([{ sessionId: first, givenTo: second, note: 'The crane needs oil before it lifts' }])
  })

  test('a fork counts as a resume, and its hooks give it the goal once', async () => {
    const session = crypto.randomUUID()
    await say(session, GOAL, true)
    const fork = crypto.randomUUID()
    const ended = await lab.claude.run({
      prompt: 'try it otherwise',
      resume: session,
      fork: true,
      sessionId: fork,
      args: plugin,
    })
    expect(ended.exitCode).toBe(0)
    const next = sent(asked('talk')[1])
    expect(times(next, 'GOAL REMINDER from Lodeline')).toBe(1)
    expect(next).toContain('The goal, from the prompts')
  })
})

test('a sub-agent is told what it was asked, once, after its own compaction', async () => {
  const lab = await openLab({ claude: { version: '2.1.330', script: 'compacted-subagent' }, lode: {}, server: true })
  try {
    const { exitCode: setUp } = await lab.lode.lode('setup', 'claude', '--user', '--mod')
    expect(setUp).toBe(0)
    const ended = await lab.claude.run({
      prompt: 'hello, mend the north pier',
      sessionId: crypto.randomUUID(),
      env: { LODELINE_HOME: lab.lode.home, CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    })
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    const asked = (rule: string) => lab.claude.requests().filter((request) => request.rule === rule)
    const reminder = 'GOAL REMINDER from Lodeline: sub-agent'
    const [after] = asked('sub-after')
    expect(times(sent(after), reminder)).toBe(1)
    expect(sent(after).split(reminder)[1]).toContain('STONES: count those of the north pier')
    // Neither the session's own goal nor its recall belongs to the sub-agent, nor the other way round.
    expect(sent(after)).not.toContain('mend the north pier')
    expect(sent(asked('main').at(-1))).not.toContain(reminder)
  } finally {
    await lab.stop()
  }
})
