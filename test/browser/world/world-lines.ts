import type { SessionId } from '../../../src/domain/ids'

/** Lines of a transcript as Claude Code 2.1.328 writes them, with what a reader of them needs and nothing else. */
export class TranscriptLines {
  private readonly sessionId: SessionId
  private readonly cwd: string
  private parent: string | null = null
  private at: number
  private calls = 0

  /** @param startedAt  of the first line, in milliseconds since the epoch; each line is a second later */
  constructor(sessionId: SessionId, cwd: string, startedAt: number) {
    this.sessionId = sessionId
    this.cwd = cwd
    this.at = startedAt
  }

  prompt(text: string): string {
    return this.line('user', { message: { role: 'user', content: text } })
  }

  say(text: string): string {
    return this.answer([{ type: 'text', text }])
  }

  think(thinking: string): string {
    return this.answer([{ type: 'thinking', thinking, signature: 'none' }])
  }

  /** A call and its result. */
  call(
    name: string,
    input: unknown,
    content: unknown,
    more: { isError?: boolean; toolUseResult?: unknown } = {},
  ): string[] {
    const id = `toolu_${this.sessionId.slice(0, 8)}_${++this.calls}`
    const result = { type: 'tool_result', tool_use_id: id, content, ...(more.isError && { is_error: true }) }
    return [
      this.answer([{ type: 'tool_use', id, name, input }]),
      this.line('user', {
        message: { role: 'user', content: [result] },
        ...(more.toolUseResult === undefined ? {} : { toolUseResult: more.toolUseResult }),
      }),
    ]
  }

  title(customTitle: string): string {
    return JSON.stringify({ type: 'custom-title', customTitle, sessionId: this.sessionId })
  }

  private answer(content: unknown[]): string {
    const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 }
    const id = `msg_${crypto.randomUUID()}`
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      usage,
      stop_reason: null,
    }
    return this.line('assistant', { message })
  }

  private line(type: string, content: object): string {
    const uuid = crypto.randomUUID()
    const line = {
      parentUuid: this.parent,
      isSidechain: false,
      type,
      ...content,
      uuid,
      timestamp: new Date(this.at).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: this.cwd,
      sessionId: this.sessionId,
      version: '2.1.328',
      gitBranch: 'main',
    }
    this.parent = uuid
    this.at += 1_000
    return JSON.stringify(line)
  }
}
