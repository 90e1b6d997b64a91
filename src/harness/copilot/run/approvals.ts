import { resolve } from 'node:path'
import type { PermissionAnswer, RunEvent, RunLaunch } from '../../../domain/harness/harness-run'
import type { RulePlace } from '../../../domain/policy/file-rules'
import { SEVERAL_FILES } from '../../../domain/policy/tool-call'
import { judge } from '../../../domain/policy/tool-rules'
import { isWithin } from '../../../util/files/is-within'
import { realPath } from '../../../util/files/real-path'
import { idOf, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** What is asked for, as a tool call in the words of rules. */
interface Call {
  toolName: string
  input: Readonly<Record<string, unknown>>
}

type RequestId = string | number

/** What is answered: the request, and whether the call may run. */
export interface Decision {
  id: RequestId
  isAllowed: boolean
  /** What the model reads after a refusal. */
  words: string
}

/** The requests of a run for approval: refused by rules, granted by its mode, or asked for. */
export class Approvals {
  readonly #launch: RunLaunch
  readonly #place: RulePlace
  readonly #waiting = new Map<string, { id: RequestId; words: string }>()
  readonly #titles = new Map<string, string>()

  constructor(launch: RunLaunch) {
    this.#launch = launch
    this.#place = { cwd: launch.cwd, userHome: launch.userHome, real: realPath }
  }

  /** A call begins: a request may name it. Only here a tool of a server has the server's name in its own, as `server-tool`. */
  see(update: JsonRecord): void {
    const id = idOf(update.toolCallId)
    const title = textOf(update.title)
    if (id !== undefined && title !== undefined) this.#titles.set(id, title)
  }

  /** @param id  of the CLI's request */
  read(id: RequestId, params: JsonRecord): RunEvent | Decision {
    const tool = recordOf(params.toolCall) ?? {}
    const calls = callsOf(tool, this.#serverTool(tool), this.#place.cwd)
    const shown = shownOf(calls)
    const words = clip(`${shown.toolName}: ${textOf(tool.title) ?? ''}`, 300)
    if (calls.some((call) => this.#isDenied(call)))
      return { id, isAllowed: false, words: `${words} (a rule refuses it)` }
    if (this.#isGranted(calls)) return { id, isAllowed: true, words }
    const { permissionMode } = this.#launch
    if (permissionMode === 'plan' || permissionMode === 'dontAsk')
      return { id, isAllowed: false, words: `${words} (the task's mode does not allow it)` }
    const requestId = String(id)
    this.#waiting.set(requestId, { id, words })
    const description = textOf(tool.title)
    return {
      kind: 'permission',
      requestId,
      toolUseId: idOf(tool.toolCallId) ?? null,
      toolName: shown.toolName,
      input: shown.input,
      description: description === undefined ? null : clip(description, 2_000),
    }
  }

  /** `null` = nothing waits under that name. */
  answer(requestId: string, { behavior, message }: PermissionAnswer): Decision | null {
    const waiting = this.#waiting.get(requestId)
    if (waiting === undefined) return null
    this.#waiting.delete(requestId)
    const words = message === null ? waiting.words : `${waiting.words} (${clip(message, 1_000)})`
    return { id: waiting.id, isAllowed: behavior === 'allow', words }
  }

  /** A server's tool as rules name it; `null` = it is of none that the run was given. */
  #serverTool(tool: JsonRecord): string | null {
    const title = this.#titles.get(idOf(tool.toolCallId) ?? '') ?? ''
    const server = this.#launch.mcpServers.find((name) => title.startsWith(`${name}-`))
    return server === undefined ? null : clip(`mcp__${server}__${title.slice(server.length + 1)}`, 200)
  }

  #isDenied({ toolName, input }: Call): boolean {
    return judge({ allow: [], deny: this.#launch.denied }, toolName, input, this.#place).behavior === 'deny'
  }

  #isGranted(calls: readonly Call[]): boolean {
    const { permissionMode, cwd } = this.#launch
    if (permissionMode === 'bypassPermissions') return true
    if (permissionMode !== 'acceptEdits' && permissionMode !== 'auto') return false
    return (
      calls.length > 0 &&
      calls.every(({ toolName, input }) => {
        const real = toolName === 'Edit' ? realPath(textOf(input.file_path) ?? '') : null
        return real !== null && isWithin(real, realPath(cwd) ?? cwd)
      })
    )
  }
}

/** What a person is asked about: of several files all, as a rule that allows one says nothing of the others. */
function shownOf(calls: readonly Call[]): Call {
  const [first = { toolName: 'tool', input: {} }] = calls
  const isFiles = first.toolName === 'Edit' || first.toolName === 'Read'
  if (!isFiles || calls.length === 1) return first
  const toolName = first.toolName === 'Edit' ? SEVERAL_FILES.changed : SEVERAL_FILES.read
  return { toolName, input: { files: calls.map(({ input }) => input.file_path).join('\n') } }
}

/** A call by its kind: a command and each command in it, each file that it reads or changes, an address, a tool of a server. */
function callsOf(tool: JsonRecord, serverTool: string | null, cwd: string): Call[] {
  const input = recordOf(tool.rawInput) ?? {}
  const places = listOf(tool.locations).flatMap((place) => textOf(recordOf(place)?.path) ?? [])
  const files = (first: unknown) => [...new Set([textOf(first) ?? [], places].flat().map((path) => resolve(cwd, path)))]
  switch (tool.kind) {
    case 'execute': {
      const commands = [input.command, ...listOf(input.commands)].flatMap((command) => textOf(command) ?? [])
      return [...new Set(commands)].map((command) => ({ toolName: 'Bash', input: { command } }))
    }
    case 'edit':
    case 'delete':
    case 'move':
      return files(input.fileName).map((path) => ({ toolName: 'Edit', input: { file_path: path } }))
    case 'read':
    case 'search':
      return files(input.path).map((path) => ({ toolName: 'Read', input: { file_path: path } }))
    case 'fetch':
      return [{ toolName: 'WebFetch', input }]
    default:
      return [{ toolName: serverTool ?? clip(textOf(tool.title) ?? 'tool', 200), input }]
  }
}
