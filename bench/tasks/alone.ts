import { linesOf } from '../../test/agents/lines-of'

/** A process of an agent CLI by itself, in the mode in which Lodeline drives it. */
export interface Alone {
  program: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

interface Message {
  id?: unknown
  method?: string
  type?: string
  result?: { sessionId?: string; thread?: { id: string } }
}
/** What is said at the start, and after a line of the CLI; `null` = its input is closed: the turn is over. */
type Script = (line: Message | null, cwd: string) => readonly object[] | null

/** One prompt to its end, with nothing of Lodeline's. */
export async function promptAlone({ program, args, cwd, env }: Alone, script: Script): Promise<void> {
  const child = Bun.spawn([program, ...args], {
    ...{ cwd, env: { ...env, PWD: cwd } },
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' },
  })
  const say = (messages: readonly object[] | null): void => {
    if (messages === null) void child.stdin.end()
    else for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
    if (messages !== null) void child.stdin.flush()
  }
  say(script(null, cwd))
  let isOver = false
  for await (const line of linesOf(child.stdout)) {
    const answer = script(JSON.parse(line) as Message, cwd)
    if (!isOver) say(answer)
    isOver ||= answer === null
  }
  await child.exited
  if (!isOver) throw new Error(`${program} ended before its turn was over`)
}

const TEXT = 'say it'

/** The Agent Client Protocol: Copilot and opencode. */
export const acp: Script = (line, cwd) => {
  const ask = (id: number, method: string, params: object) => [{ jsonrpc: '2.0', id, method, params }]
  if (line === null) return ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
  if (line.id === 1) return ask(2, 'session/new', { cwd, mcpServers: [] })
  const prompt = [{ type: 'text', text: TEXT }]
  if (line.id === 2) return ask(3, 'session/prompt', { sessionId: line.result?.sessionId, prompt })
  return line.id === 3 ? null : []
}

/** Codex's app-server. */
export const appServer: Script = (line, cwd) => {
  const clientInfo = { name: 'bench', title: 'Bench', version: '1' }
  const thread = { cwd, sandbox: 'read-only', approvalPolicy: 'never' }
  if (line === null)
    return [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'thread/start', params: thread },
    ]
  const input = [{ type: 'text', text: TEXT }]
  if (line.id === 2) return [{ id: 3, method: 'turn/start', params: { threadId: line.result?.thread?.id, input } }]
  return line.method === 'turn/completed' ? null : []
}

/** Pi's RPC mode. */
export const rpc: Script = (line) => {
  if (line === null) return [{ type: 'prompt', message: TEXT }]
  return line.type === 'agent_settled' ? null : []
}
