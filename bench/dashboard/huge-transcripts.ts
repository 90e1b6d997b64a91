import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../common/random'
import { code, prose } from '../record/data/words'

export interface HugeTranscripts {
  /** Main thread of this many events, with text, calls, changed files and to-dos. */
  long: string
  /** Launched this many sub-agents, each with a transcript of its own. */
  crowd: string
}

/**
 * Writes the transcripts of two sessions as Claude Code writes them, but with short answers: what a page shows of them is in their
 * bytes, so these are recorded and not filled in.
 */
export function makeHugeTranscripts(
  claudeRoot: string,
  { events, subagents, endedAt }: { events: number; subagents: number; endedAt: number },
): HugeTranscripts {
  const folder = join(claudeRoot, 'projects/-home-user-project')
  mkdirSync(folder, { recursive: true })
  const random = new Random(41)
  const long = random.uuid()
  const lines = new Thread(random, { session: long, agent: null, startedAt: endedAt - events * 1_000 })
  writeLines(join(folder, `${long}.jsonl`), function* () {
    for (let turn = 0; lines.count < events; turn++) yield* lines.turn(turn, events)
  })
  const crowd = random.uuid()
  writeCrowd(folder, crowd, subagents, endedAt)
  return { long, crowd }
}

function writeCrowd(folder: string, session: string, subagents: number, endedAt: number): void {
  const random = new Random(43)
  const below = join(folder, session, 'subagents')
  mkdirSync(below, { recursive: true })
  const main = new Thread(random, { session, agent: null, startedAt: endedAt - subagents * 2_000 })
  writeLines(join(folder, `${session}.jsonl`), function* () {
    yield main.prompt('Search every corner of the code.')
    for (let at = 0; at < subagents; at++) {
      const agent = random.hex(17)
      const launch = main.launch(agent, `Search corner ${at + 1}`)
      yield launch.line
      const thread = new Thread(random, { session, agent, startedAt: main.at })
      const said = [thread.prompt(`Look into corner ${at + 1}`), ...thread.round(at), thread.say(prose(random, 60))]
      writeFileSync(join(below, `agent-${agent}.jsonl`), `${said.join('\n')}\n`)
      const meta = {
        agentType: 'general-purpose',
        description: `Search corner ${at + 1}`,
        toolUseId: launch.id,
        spawnDepth: 1,
      }
      writeFileSync(join(below, `agent-${agent}.meta.json`), JSON.stringify(meta))
      yield main.result(launch.id, prose(random, 80), {
        status: 'completed',
        agentId: agent,
        agentType: 'general-purpose',
      })
    }
    yield main.say('Every corner is searched.')
  })
}

/** Writes without holding all of it. */
function writeLines(path: string, lines: () => Generator<string>): void {
  const file = openSync(path, 'w')
  try {
    let waiting: string[] = []
    for (const line of lines()) {
      waiting.push(line)
      if (waiting.length < 1_000) continue
      writeSync(file, `${waiting.join('\n')}\n`)
      waiting = []
    }
    if (waiting.length > 0) writeSync(file, `${waiting.join('\n')}\n`)
  } finally {
    closeSync(file)
  }
}

const ROUNDS = 16

interface ThreadOptions {
  session: string
  agent: string | null
  startedAt: number
  /** From one line to the next; a second by default. */
  stepMs?: number
}

/** One file as it grows. */
export class Thread {
  /** Lines so far. */
  count = 0
  at: number
  private readonly random: Random
  private readonly own: Record<string, unknown>
  private readonly stepMs: number
  private parent: string | null = null

  constructor(random: Random, { session, agent, startedAt, stepMs = 1_000 }: ThreadOptions) {
    this.random = random
    this.at = startedAt
    this.stepMs = stepMs
    this.own = {
      isSidechain: agent !== null,
      ...(agent === null ? {} : { agentId: agent }),
      userType: 'external',
      entrypoint: 'cli',
      cwd: '/home/user/project',
      sessionId: session,
      version: '2.1.328',
      gitBranch: 'main',
    }
  }

  /** A prompt and what came of it, at most up to `most` lines in all. */
  *turn(number: number, most: number): Generator<string> {
    yield this.prompt(`${number + 1}. ${prose(this.random, 40 + this.random.below(300))}`)
    for (let round = 0; round < ROUNDS && this.count < most - 3; round++) yield* this.round(round)
    if (this.count < most) yield this.say(this.report())
  }

  /** Perhaps a text, then a call and its result. */
  round(number: number): string[] {
    const lines: string[] = []
    if (this.random.chance(0.4)) lines.push(this.say(prose(this.random, 30 + this.random.below(400))))
    const id = `toolu_${this.random.hex(24)}`
    if (number % 5 === 4) {
      const file_path = `/home/user/project/src/${this.random.hex(4)}.ts`
      const [old_string, new_string] = [code(this.random, 60), code(this.random, 160)]
      const hunk = { oldStart: 10, oldLines: 1, newStart: 10, newLines: 2, lines: [`-${old_string}`, `+${new_string}`] }
      lines.push(this.call(id, 'Edit', { file_path, old_string, new_string }))
      lines.push(this.result(id, 'The file was changed.', { filePath: file_path, structuredPatch: [hunk] }))
      return lines
    }
    lines.push(this.call(id, 'Bash', { command: prose(this.random, 30), description: prose(this.random, 20) }))
    lines.push(this.result(id, code(this.random, 80 + this.random.below(600)), { stdout: '', stderr: '' }))
    return lines
  }

  prompt(content: string): string {
    return this.line({ type: 'user', message: { role: 'user', content } })
  }

  say(text: string): string {
    return this.answer({ type: 'text', text })
  }

  call(id: string, name: string, input: unknown): string {
    return this.answer({ type: 'tool_use', id, name, input })
  }

  result(id: string, content: string, toolUseResult: unknown): string {
    const block = { tool_use_id: id, type: 'tool_result', content }
    return this.line({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult })
  }

  launch(agent: string, description: string): { id: string; line: string } {
    const id = `toolu_${this.random.hex(24)}`
    const input = { description, prompt: `Look for ${agent}`, subagent_type: 'general-purpose' }
    return { id, line: this.call(id, 'Agent', input) }
  }

  private report(): string {
    const { random } = this
    return `## ${prose(random, 20)}\n\n${prose(random, 200)}\n\n- ${prose(random, 30)}\n- \`${random.hex(8)}\`\n\n\`\`\`ts\n${code(random, 200)}\`\`\`\n`
  }

  private answer(block: Record<string, unknown>): string {
    const usage = {
      input_tokens: this.random.below(100),
      cache_creation_input_tokens: this.random.below(2_000),
      cache_read_input_tokens: this.random.below(90_000),
      output_tokens: this.random.below(900),
    }
    const message = {
      id: `msg_${this.random.hex(24)}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [block],
      usage,
    }
    return this.line({ type: 'assistant', message })
  }

  private line(content: Record<string, unknown>): string {
    const uuid = this.random.uuid()
    const timestamp = new Date(this.at).toISOString()
    const line = JSON.stringify({ parentUuid: this.parent, ...this.own, ...content, uuid, timestamp })
    this.parent = uuid
    this.at += this.stepMs
    this.count++
    return line
  }
}
