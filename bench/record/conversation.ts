import type { Random } from '../common/random'
import { code, prose } from './data/words'

/** The lines of one session's files. */
export interface Conversation {
  main: string[]
  subagent: { id: string; lines: string[]; meta: string } | null
}

/** Share of a session's bytes that its sub-agent writes. */
const SUBAGENT_SHARE = 0.3

/** Makes a conversation of about `bytes` in all, as Claude Code 2.1.197 writes it; with `agent`, a sub-agent of that id. */
export function makeConversation(
  random: Random,
  options: { session: string; bytes: number; agent: string | null },
): Conversation {
  const { session, bytes, agent } = options
  const started = Date.UTC(2026, 0, 1) + random.below(3e10)
  const main = new Thread(random, { session, agent: null, started })
  if (agent === null) {
    main.run(bytes)
    return { main: main.lines, subagent: null }
  }
  main.run((bytes * (1 - SUBAGENT_SHARE)) / 2)
  const toolUseId = main.launch(agent)
  const below = new Thread(random, { session, agent, started: main.at })
  below.run(bytes * SUBAGENT_SHARE)
  main.answerLaunch(toolUseId, agent, below.at)
  main.run((bytes * (1 - SUBAGENT_SHARE)) / 2)
  const meta = JSON.stringify({
    agentType: 'general-purpose',
    description: 'Search the code',
    toolUseId,
    spawnDepth: 1,
  })
  return { main: main.lines, subagent: { id: agent, lines: below.lines, meta } }
}

/** One node's file as it grows. */
class Thread {
  readonly lines: string[] = []
  at: number
  private readonly random: Random
  private readonly session: string
  private readonly agent: string | null
  private readonly files: string[]
  private parent: string | null = null
  private bytes = 0
  private todos: Todo[] = []

  constructor(random: Random, options: { session: string; agent: string | null; started: number }) {
    this.random = random
    this.session = options.session
    this.agent = options.agent
    this.at = options.started
    // Agents read the same files again and again.
    this.files = Array.from({ length: 8 }, () => code(random, 300 + 14_000 * random.next() ** 2))
  }

  /** Turns until `bytes` more are written. */
  run(bytes: number): void {
    const { random } = this
    const end = this.bytes + bytes
    while (this.bytes < end) {
      const text = prose(random, 40 + 200 * random.next())
      if (this.agent === null) this.bare({ type: 'queue-operation', operation: 'enqueue', content: text })
      this.put({ type: 'user', message: { role: 'user', content: text } })
      const rounds = 2 + random.below(12)
      for (let round = 0; round < rounds && this.bytes < end; round++) this.round()
      if (random.chance(0.02)) this.compact()
      if (this.agent === null) this.bare({ type: 'last-prompt', lastPrompt: text, leafUuid: this.parent })
    }
  }

  /** The call that starts a sub-agent; gives its id. */
  launch(agent: string): string {
    const toolUseId = `toolu_${this.random.hex(24)}`
    const input = { description: 'Search the code', prompt: `Look for ${agent}`, subagent_type: 'general-purpose' }
    this.say(`msg_${this.random.hex(24)}`, { type: 'tool_use', id: toolUseId, name: 'Agent', input })
    return toolUseId
  }

  answerLaunch(toolUseId: string, agent: string, at: number): void {
    this.at = Math.max(this.at, at)
    const report = prose(this.random, 800)
    this.answer(toolUseId, report, { status: 'completed', agentId: agent, agentType: 'general-purpose', content: [] })
  }

  /** One request of the model: perhaps thinking or text, then a tool call and its answer. */
  private round(): void {
    const { random } = this
    const message = `msg_${random.hex(24)}`
    if (random.chance(0.25))
      this.say(message, {
        type: 'thinking',
        thinking: prose(random, 1_500 * random.next()),
        signature: random.hex(400),
      })
    if (random.chance(0.5)) this.say(message, { type: 'text', text: prose(random, 30 + 300 * random.next()) })
    const call = `toolu_${random.hex(24)}`
    if (random.chance(0.08)) {
      this.planTodos(message, call)
      return
    }
    const name = random.pick(['Bash', 'Read', 'Read', 'Edit', 'Grep', 'Write'])
    this.say(message, { type: 'tool_use', id: call, name, input: toolInput(random, name) })
    const output = random.chance(0.6) ? random.pick(this.files) : code(random, 400 + 9_000 * random.next() ** 2)
    // The CLI keeps the answer twice: as the model saw it and as the tool gave it.
    this.answer(call, output, { stdout: output, stderr: '', interrupted: false, isImage: false })
  }

  private planTodos(message: string, call: string): void {
    const { random } = this
    // A plan is made once, then goes on item by item; each call says the whole list again.
    const doing = this.todos.findIndex((todo) => todo.status !== 'completed')
    const old = this.todos
    this.todos = doing < 0 ? makePlan(random) : old.map((todo, at) => (at === doing ? next(todo) : todo))
    const todos = this.todos
    this.say(message, { type: 'tool_use', id: call, name: 'TodoWrite', input: { todos } })
    this.answer(call, 'Todos have been modified successfully.', { oldTodos: old, newTodos: todos })
  }

  private compact(): void {
    const compactMetadata = { trigger: 'auto', preTokens: 160_000 }
    this.parent = null
    this.put({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata })
    const content = `This session is being continued from a previous conversation. ${prose(this.random, 6_000)}`
    this.put({ type: 'user', isCompactSummary: true, message: { role: 'user', content } })
  }

  private say(message: string, content: Record<string, unknown>): void {
    const { random } = this
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: random.below(9_000),
      cache_read_input_tokens: random.below(90_000),
      output_tokens: random.below(900),
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: random.below(9_000) },
      service_tier: 'standard',
    }
    const model = 'claude-sonnet-4-5-20250929'
    this.put({
      type: 'assistant',
      requestId: `req_${random.hex(20)}`,
      message: { id: message, type: 'message', role: 'assistant', model, content: [content], stop_reason: null, usage },
    })
  }

  private answer(toolUseId: string, content: string, result: Record<string, unknown>): void {
    const block = { tool_use_id: toolUseId, type: 'tool_result', content }
    this.put({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult: result })
  }

  /** A line with a uuid. */
  private put(line: Record<string, unknown>): void {
    const uuid = this.random.uuid()
    this.at += 50 + this.random.below(4_000)
    this.add({
      parentUuid: this.parent,
      isSidechain: this.agent !== null,
      ...(this.agent === null ? {} : { agentId: this.agent }),
      userType: 'external',
      cwd: '/home/user/project',
      sessionId: this.session,
      version: '2.1.197',
      gitBranch: 'main',
      ...line,
      uuid,
      timestamp: new Date(this.at).toISOString(),
    })
    this.parent = uuid
  }

  /** A line of the CLI's own bookkeeping. */
  private bare(line: Record<string, unknown>): void {
    this.add({ ...line, timestamp: new Date(this.at).toISOString(), sessionId: this.session })
  }

  private add(line: Record<string, unknown>): void {
    const text = JSON.stringify(line)
    this.lines.push(text)
    this.bytes += text.length + 1
  }
}

interface Todo {
  content: string
  activeForm: string
  status: 'pending' | 'in_progress' | 'completed'
}

const makePlan = (random: Random): Todo[] =>
  Array.from({ length: 3 + random.below(5) }, (_, at) => {
    const what = prose(random, 30)
    return { content: `Step ${at + 1}: ${what}`, activeForm: `Doing ${what}`, status: 'pending' }
  })

const next = (todo: Todo): Todo => ({ ...todo, status: todo.status === 'pending' ? 'in_progress' : 'completed' })

function toolInput(random: Random, name: string): Record<string, unknown> {
  const file_path = `/home/user/project/src/${random.hex(4)}/${random.hex(6)}.ts`
  if (name === 'Read') return { file_path }
  if (name === 'Write') return { file_path, content: code(random, 500 + 5_000 * random.next() ** 2) }
  if (name === 'Grep') return { pattern: prose(random, 10), path: file_path }
  if (name === 'Edit')
    return { file_path, old_string: code(random, 300 * random.next()), new_string: code(random, 600 * random.next()) }
  return { command: prose(random, 20 + 200 * random.next() ** 2), description: prose(random, 20) }
}
