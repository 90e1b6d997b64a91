/**
 * Messages to conversations that nobody of ours runs, by their hooks and sockets, with the real CLI: what the model is sent holds each
 * once, also when the CLI is killed after its hook has given one and before a line carries it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Claude } from '../lab/claude'
import { type CliVersion, EACH_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { LODE_WORDS } from '../lode-command'

const session = () => crypto.randomUUID()
const times = (text: string, part: string) => text.split(part).length - 1

/** What every test here has: a lab with hooks, and a server that follows it. */
class Bench {
  readonly lab = new Lab()
  readonly folder = this.lab.root
  readonly home = join(this.folder, 'home')
  readonly id = session()
  claude!: Claude
  lodeline!: Lode

  async start(version: CliVersion, rules: object[], hooks: 'hooks' | 'none' | 'rewake', wake: string): Promise<void> {
    const script = join(this.folder, 'script.json')
    writeFileSync(script, JSON.stringify(rules))
    const settings = hooks === 'none' ? {} : this.settings(hooks)
    this.claude = await this.lab.addClaude({ version, script, settings })
    this.lodeline = this.lab.addLode('home', { claudeRoots: [this.claude.claudeRoot] })
    await this.lodeline.lode('config', 'set', 'messages.wake', wake)
    await this.lodeline.up()
  }

  stop(): Promise<void> {
    return this.lab.stop()
  }

  /** Ends the CLI behind its hook, before it can take what that says, while this file is there. */
  get trap(): string {
    return join(this.folder, 'trap')
  }

  /** A line for each hook that has answered. */
  private get answered(): string {
    return join(this.folder, 'answered')
  }

  /** Hooks of a start, a prompt and the end of a turn are over: what comes now meets an idle conversation. */
  async isIdle(pid: number): Promise<void> {
    await until('the hooks', () => existsSync(this.answered) && readFileSync(this.answered, 'utf8').length === 3)
    await until('the end of the turn', () => this.status(pid) !== 'busy')
  }

  private settings(kind: 'hooks' | 'rewake'): Record<string, unknown> {
    const hook = join(this.folder, 'hook.sh')
    const lode = `${LODE_WORDS} hook --answer --home '${this.home}'`
    writeFileSync(
      hook,
      `said=$(${lode})\nif [ -e '${this.trap}' ]; then kill -9 $PPID; fi\nprintf '%s' "$said"\necho >> '${this.answered}'\n`,
    )
    const hooks = [{ hooks: [{ type: 'command', command: `exec sh '${hook}'` }] }]
    const wake = join(this.folder, 'wake.sh')
    const waits = `${LODE_WORDS} hook --wake --home '${this.home}'`
    writeFileSync(
      wake,
      `said=$(${waits} 2>&1); code=$?\nif [ -n "$said" ] && [ -e '${this.trap}' ]; then kill -9 $PPID; fi\nprintf '%s' "$said" >&2\nexit $code\n`,
    )
    const handler = { type: 'command', command: `exec sh '${wake}'`, timeout: 600, asyncRewake: true }
    const waiting = kind === 'rewake' ? [{ hooks: [handler] }] : []
    const [SessionStart, Stop] = [
      [...hooks, ...waiting],
      [...hooks, ...waiting],
    ]
    return { hooks: { SessionStart, UserPromptSubmit: hooks, Stop, SessionEnd: hooks } }
  }

  /** As the CLI tells it. */
  status(pid: number): unknown {
    return JSON.parse(readFileSync(join(this.claude.claudeRoot, 'sessions', `${pid}.json`), 'utf8')).status
  }

  /** The model's first words are in the transcript. */
  hasAnswer(): boolean {
    const path = this.claude.transcript(this.id)
    return existsSync(path) && readFileSync(path, 'utf8').includes('"type":"assistant"')
  }

  requests() {
    return this.claude.requests().filter(({ who }) => who === 'main')
  }

  /** All that the model was sent last. */
  sent(): string {
    return JSON.stringify(this.requests().at(-1)?.body.messages)
  }

  async say(prompt: string, isFirst = false): Promise<void> {
    const place = isFirst ? { sessionId: this.id } : { resume: this.id }
    const { exitCode, stderr } = await this.claude.run({ prompt, ...place })
    expect([exitCode, stderr]).toEqual([0, ''])
    await this.isKnown()
  }

  async isKnown(): Promise<void> {
    await until('the session in the record', async () =>
      (await this.lodeline.client.sessions.get(this.id).catch(() => null)) === null ? undefined : true,
    )
  }

  async send(text: string, kind: 'question' | 'message' = 'question'): Promise<string> {
    const { message } = await this.lodeline.client.messages.send({ to: this.id, text, kind })
    return message.id
  }

  async message(id: string) {
    return await this.lodeline.client.messages.get(id as never)
  }

  async isConsumed(id: string): Promise<void> {
    await until(`message ${id} to be consumed`, async () => (await this.message(id)).message.status === 'consumed')
  }
}

let bench: Bench
beforeEach(() => {
  bench = new Bench()
})
afterEach(() => bench.stop(), 30_000)

/**
 * Goes on until the agent has it: the server may still be about to see that its carrier is gone, and then the prompt after the next
 * brings it.
 */
async function sayUntilTold(on: Bench, id: string): Promise<void> {
  for (let turn = 0; turn < 5 && !on.sent().includes(id); turn++) {
    if (turn > 0) await Bun.sleep(1_000)
    await on.say('go on')
  }
}

const talk = [{ steps: [{ text: 'yes' }] }]

inTurn(EACH_CLI, 'hooks of Claude Code %s', (test, version) => {
  test('give a message with the next prompt, once', async () => {
    await bench.start(version, talk, 'hooks', 'off')
    await bench.say('hello', true)
    const id = await bench.send('Which wall comes first?')
    await bench.say('go on')
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    expect(bench.sent()).toContain('Which wall comes first?')
    await bench.isConsumed(id)
    const { message } = await bench.message(id)
    expect(message.evidence).toContain(bench.id)
    await bench.say('and on')
    // As what was said before, and never again.
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
  })

  test('have the agent go on at the end of its turn for a question, and not for a word that can wait', async () => {
    const steps = [{ tools: [{ name: 'Bash', input: { command: 'sleep 2' } }] }, { text: 'done' }]
    const slow = ['one', 'two'].map((word) => ({ match: { prompt: `slow ${word}` }, steps }))
    await bench.start(version, [...slow, ...talk], 'hooks', 'off')
    await bench.say('hello', true)
    const turns = bench.requests().length
    const running = bench.claude.launch({ prompt: 'slow one', resume: bench.id })
    await until('the tool', () => bench.requests().length === turns + 1)
    const word = await bench.send('By the way', 'message')
    await running.exited
    expect((await bench.message(word)).message.status).toBe('produced')
    expect(bench.requests().length).toBe(turns + 2)

    const again = bench.claude.launch({ prompt: 'slow two', resume: bench.id })
    await until('the tool', () => bench.requests().length === turns + 3)
    expect(bench.sent()).toContain('By the way')
    const question = await bench.send('Which wall comes first?')
    expect((await again.exited).exitCode).toBe(0)
    expect(bench.requests().length).toBe(turns + 5)
    expect(times(bench.sent(), `[lodeline:${question}]`)).toBe(1)
    for (const id of [word, question]) await bench.isConsumed(id)
  })

  test('give it again when the CLI was killed before a line carried it', async () => {
    await bench.start(version, talk, 'hooks', 'off')
    await bench.say('hello', true)
    const id = await bench.send('Which wall comes first?')
    writeFileSync(bench.trap, '')
    const killed = bench.claude.launch({ prompt: 'go on', resume: bench.id })
    expect((await killed.exited).exitCode).not.toBe(0)
    rmSync(bench.trap)
    expect(existsSync(join(bench.home, 'offers'))).toBe(true)
    expect(bench.sent()).not.toContain(id)
    await sayUntilTold(bench, id)
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    await bench.isConsumed(id)
    await bench.say('and on')
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
  })
})

describe('the message socket of Claude Code 2.1.328', () => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })

  test.each(['hooks', 'none'] as const)('wakes an idle conversation, once (%s)', async (hooks) => {
    await bench.start('2.1.328', talk, hooks, 'socket')
    const running = bench.claude.steer({ sessionId: bench.id })
    running.send(user('hello'))
    await until('the first answer', () => bench.requests().length === 1)
    await bench.isKnown()
    if (hooks === 'hooks') await bench.isIdle(running.pid)
    else await until('the end of the turn', () => bench.hasAnswer())
    const word = await bench.send('By the way', 'message')
    const id = await bench.send('Which wall comes first?')
    await until('the next turn', () => bench.requests().length >= 2)
    await bench.isConsumed(id)
    await bench.isConsumed(word)
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    running.send(user('go on'))
    await until('the turn after it', () => bench.sent().includes('go on'))
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    expect((await bench.message(id)).message.route).toBe('socket')
    running.end()
    await running.exited
  })

  test('what a process did not read before it was killed comes with the next prompt', async () => {
    const slow = { match: { prompt: 'hello' }, steps: [{ tools: [{ name: 'Bash', input: { command: 'sleep 20' } }] }] }
    await bench.start('2.1.328', [slow, ...talk], 'none', 'socket')
    const running = bench.claude.steer({ sessionId: bench.id })
    running.send(user('hello'))
    await until('the tool', () => bench.requests().length === 1)
    await bench.isKnown()
    const id = await bench.send('Which wall comes first?')
    await until('the flight', async () => (await bench.message(id)).message.status === 'queued')
    await running.crash()
    await until('its way back', async () => (await bench.message(id)).message.status === 'produced')
    const next = bench.claude.steer({ resume: bench.id })
    next.send(user('go on'))
    await bench.isConsumed(id)
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    next.end()
    await next.exited
  })
})

test('a conversation that would ask about what its socket takes is woken by the hook that waits, once', async () => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })
  await bench.start('2.1.328', talk, 'rewake', 'all')
  const running = bench.claude.steer({ sessionId: bench.id, args: ['--permission-mode', 'bypassPermissions'] })
  running.send(user('hello'))
  await until('the first answer', () => bench.requests().length === 1)
  await bench.isKnown()
  await bench.isIdle(running.pid)
  const id = await bench.send('Which wall comes first?')
  await bench.isConsumed(id)
  await until('the way it came', async () => (await bench.message(id)).message.route === 'rewake')
  running.send(user('go on'))
  await until('the turn after it', () => bench.sent().includes('go on'))
  expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
  running.end()
  await running.exited
})

test('says why a message waits at a session that runs with bypassPermissions, and what to do', async () => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })
  await bench.start('2.1.328', talk, 'hooks', 'socket')
  const running = bench.claude.steer({ sessionId: bench.id, args: ['--permission-mode', 'bypassPermissions'] })
  running.send(user('hello'))
  await until('the first answer', () => bench.requests().length === 1)
  await bench.isKnown()
  await bench.isIdle(running.pid)
  const id = await bench.send('Which wall comes first?')
  const shown = await bench.lodeline.json<{ waits: string | null }>('message', 'show', id)
  expect(shown.waits).toBe(
    'The session runs with bypassPermissions, so its CLI does not accept messages over its socket. A hook delivers it with the next prompt: type anything in the terminal of the session.',
  )
  expect((await bench.lodeline.lode('message', 'show', id)).stdout).toContain('type anything in the terminal')
  // It is so.
  running.send(user('go on'))
  await bench.isConsumed(id)
  expect((await bench.lodeline.json<{ waits: string | null }>('message', 'show', id)).waits).toBeNull()
  running.end()
  await running.exited
})

inTurn(EACH_CLI, 'a hook that waits, of Claude Code %s', (test, version) => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })

  /** A conversation whose first turn is over, and whose hook waits. */
  async function idle() {
    const running = bench.claude.steer({ sessionId: bench.id })
    running.send(user('hello'))
    await until('the first answer', () => bench.requests().length === 1)
    await bench.isKnown()
    const armed = join(bench.home, 'rewake')
    await until('the hook', () => existsSync(armed) && readdirSync(armed).length > 0)
    await bench.isIdle(running.pid)
    return running
  }

  test('wakes an idle conversation with a question, once, and ends with its process', async () => {
    await bench.start(version, talk, 'rewake', 'rewake')
    const running = await idle()
    const word = await bench.send('By the way', 'message')
    const id = await bench.send('Which wall comes first?')
    await bench.isConsumed(id)
    await bench.isConsumed(word)
    await until('the way it came', async () => (await bench.message(id)).message.route === 'rewake')
    running.send(user('go on'))
    await until('the turn after it', () => bench.sent().includes('go on'))
    // One turn for both: the word alone wakes nobody.
    expect(bench.requests().length).toBe(3)
    for (const one of [id, word]) expect(times(bench.sent(), `[lodeline:${one}]`)).toBe(1)
    await running.crash()
    await until('the hook to end', () => readdirSync(join(bench.home, 'rewake')).length === 0)
  })

  test('that gave it to a process which was killed gives way to the next prompt', async () => {
    await bench.start(version, talk, 'rewake', 'rewake')
    const running = await idle()
    writeFileSync(bench.trap, '')
    const id = await bench.send('Which wall comes first?')
    expect((await running.exited).exitCode).not.toBe(0)
    rmSync(bench.trap)
    expect(bench.sent()).not.toContain(id)
    await sayUntilTold(bench, id)
    expect(times(bench.sent(), `[lodeline:${id}]`)).toBe(1)
    await bench.isConsumed(id)
  })

  test('lets a run end that takes no more input', async () => {
    await bench.start(version, talk, 'rewake', 'rewake')
    await bench.say('hello', true)
    expect(existsSync(join(bench.home, 'rewake'))).toBe(false)
  })
})
