import type { ListedTool } from '../../../domain/harness/listed-tool'

/**
 * What our extensions of the CLI have in common. The CLI loads each as one file, so a function here stands alone: it names nothing outside
 * of itself but what it is given.
 */

/** What extensions need of the CLI's interface for them (0.87). */
export interface Pi {
  on(event: string, handler: (event: PiEvent, context: PiContext) => unknown): void
  registerTool(tool: object): void
  sendMessage(message: object, options?: object): void
}
export interface PiEvent {
  /** The reason of a session's start: `startup`, `reload`, `new`, `resume` or `fork`. */
  reason?: string
  toolCallId?: string
  toolName?: string
  input?: unknown
}
export interface PiContext {
  cwd: string
  ui: { input(title: string, text: string): Promise<string | undefined>; notify(text: string): void }
  sessionManager: {
    getSessionId(): string
    /** Where it is, or will be: the file may not be there yet. */
    getSessionFile(): string | undefined
    getEntries(): { type: string; timestamp: string }[]
    getHeader(): { timestamp: string; parentSession?: string } | null
  }
}

/** Calls a tool of Lodeline's. @throws Error it can't be reached */
export type CallTool = (
  name: string,
  given: object,
  signal: AbortSignal | undefined,
  context: PiContext | undefined,
) => Promise<Record<string, unknown>>

/** The text of a moment, or of a later prompt (`null`); '' = none. Never rejects. */
export type Tell = (moment: string | null, context: PiContext) => Promise<string>

/** What a main function is given beside its orders. */
export interface Parts {
  addTools: typeof addTools
  tellMoments: typeof tellMoments
}

/** Makes Lodeline's tools tools of the CLI. */
export function addTools(pi: Pi, tools: readonly ListedTool[], call: CallTool): void {
  for (const { name, description = '', inputSchema } of tools)
    pi.registerTool({
      name: `mcp__lodeline__${name}`,
      label: `Lodeline: ${name}`,
      description,
      parameters: inputSchema,
      async execute(_id: string, given: object, signal?: AbortSignal, _update?: unknown, context?: PiContext) {
        const { content, isError } = await call(name, given, signal, context)
        const texts = (content as { text?: string }[]).map(({ text = '' }) => text).join('\n')
        if (isError) throw new Error(texts)
        return { content: [{ type: 'text', text: texts }], details: undefined }
      },
    })
}

/** Puts texts in: before the first answer of a session, before later ones, and after a compaction. */
export function tellMoments(pi: Pi, tell: Tell): void {
  const messageOf = (content: string) => ({ customType: 'lodeline', content, display: false })
  let isTold = false
  pi.on('session_start', ({ reason }) => {
    // A reload of extensions changes nothing of the conversation.
    isTold = reason === 'reload'
  })
  pi.on('before_agent_start', async (_event, context) => {
    const header = context.sessionManager.getHeader()
    const said = context.sessionManager.getEntries().filter(({ type }) => type === 'message' || type === 'compaction')
    const isCopy = header?.parentSession !== undefined && said.every(({ timestamp }) => timestamp < header.timestamp)
    const moment = isTold ? null : said.length === 0 ? 'startup' : isCopy ? 'fork' : 'resume'
    isTold = true
    const text = await tell(moment, context)
    return text === '' ? undefined : { message: messageOf(text) }
  })
  pi.on('session_compact', async (_event, context) => {
    const text = await tell('compact', context)
    // It stands in the conversation for the next request, and makes none by itself.
    if (text !== '') pi.sendMessage(messageOf(text), { triggerTurn: false })
  })
}

/**
 * An extension as a file: functions as the program that runs has them, and the main one's argument.
 *
 * It is a CommonJS module. One that exports by `export` the CLI translates first, with a compiler that it loads for that: 0.15 s of each
 * start (1.5).
 */
export function extensionText<Orders>(main: (pi: Pi, orders: Orders, parts: Parts) => unknown, orders: Orders): string {
  const parts = `{ addTools: ${addTools.toString()}, tellMoments: ${tellMoments.toString()} }`
  return `module.exports = (pi) => (${main.toString()})(pi, ${JSON.stringify(orders)}, ${parts})\n`
}
