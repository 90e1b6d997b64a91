import type { RunEvent, RunLaunch } from '../../../domain/harness/harness-run'
import type { RulePlace } from '../../../domain/policy/file-rules'
import { SEVERAL_FILES } from '../../../domain/policy/tool-call'
import { judge } from '../../../domain/policy/tool-rules'
import { isWithin } from '../../../util/files/is-within'
import { realPath } from '../../../util/files/real-path'
import { idOf, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import type { CodexBounds } from './modes'

/** A request of the CLI that waits for an answer. */
interface Waiting {
  id: string | number
  allowed: unknown
  refused: unknown
}

type Verdict = { event: RunEvent } | { answer: unknown }

/** What is asked for, as tool calls in the words of rules. */
interface Call {
  toolName: string
  input: Readonly<Record<string, unknown>>
}

const DECISION = { allowed: { decision: 'accept' }, refused: { decision: 'decline' } } as const
const ELICITED = { allowed: { action: 'accept', content: {} }, refused: { action: 'decline' } } as const

/** The requests of a run for approval: refused by rules, granted by its mode, or asked for. */
export class Approvals {
  readonly #bounds: CodexBounds
  readonly #denied: readonly string[]
  readonly #place: RulePlace
  readonly #waiting = new Map<string, Waiting>()
  /** Changes of files, by the thread and the item that the request names. */
  readonly #changes = new Map<string, readonly string[]>()

  constructor({ denied, cwd, userHome }: RunLaunch, bounds: CodexBounds) {
    this.#bounds = bounds
    this.#denied = denied
    this.#place = { cwd, userHome, real: realPath }
  }

  /** An item of a turn began, of a sub-agent's too: a request may name it. */
  see(params: JsonRecord): void {
    const item = recordOf(params.item)
    const id = idOf(item?.id)
    if (item?.type !== 'fileChange' || id === undefined) return
    const paths = listOf(item.changes).flatMap((change) => [
      textOf(recordOf(change)?.path) ?? [],
      textOf(recordOf(recordOf(change)?.kind)?.move_path) ?? [],
    ])
    this.#changes.set(placeOf(params, id), paths.flat())
  }

  /** @param id  of the CLI's request. `null` = it is no request for approval */
  read(id: string | number, method: string, params: JsonRecord): Verdict | null {
    const asked = this.#asked(method, params)
    if (asked === null) return null
    const { calls, shown, answers, isEdit } = asked
    if (calls.some((call) => this.#isDenied(call))) return { answer: answers.refused }
    const { grants } = this.#bounds
    // What is not known no rule has looked at: a person does.
    const isGranted = grants === 'everything' || (grants === 'edits' && isEdit)
    if (isGranted && calls.length > 0) return { answer: answers.allowed }
    const requestId = String(id)
    this.#waiting.set(requestId, { id, ...answers })
    const reason = textOf(params.reason)
    return {
      event: {
        kind: 'permission',
        requestId,
        toolUseId: idOf(params.itemId) ?? null,
        ...shown,
        description: reason === undefined ? null : clip(reason, 2_000),
      },
    }
  }

  /** What the CLI is answered; `null` = nothing waits under that name. */
  answer(requestId: string, isAllowed: boolean): { id: string | number; result: unknown } | null {
    const waiting = this.#waiting.get(requestId)
    if (waiting === undefined) return null
    this.#waiting.delete(requestId)
    return { id: waiting.id, result: isAllowed ? waiting.allowed : waiting.refused }
  }

  #asked(method: string, params: JsonRecord) {
    if (method === 'item/commandExecution/requestApproval') {
      const calls = commandsOf(params).map((command): Call => ({ toolName: 'Bash', input: { command } }))
      const [shown = { toolName: 'Bash', input: {} }] = calls
      return { calls, shown, answers: DECISION, isEdit: false }
    }
    if (method === 'item/fileChange/requestApproval') {
      const paths = this.#changes.get(placeOf(params, idOf(params.itemId) ?? '')) ?? []
      const calls = paths.map((path): Call => ({ toolName: 'Edit', input: { file_path: path } }))
      // Rules that allow judge one path: of several a person decides.
      const [first] = calls
      const shown =
        calls.length === 1 && first ? first : { toolName: SEVERAL_FILES.changed, input: { files: paths.join('\n') } }
      const isInside = paths.length > 0 && paths.every((path) => isWithin(path, this.#place.cwd))
      return { calls, shown, answers: DECISION, isEdit: isInside }
    }
    const meta = recordOf(params._meta)
    if (method !== 'mcpServer/elicitation/request' || meta?.codex_approval_kind !== 'mcp_tool_call') return null
    const toolName = clip(`mcp__${textOf(params.serverName) ?? ''}__${textOf(meta.tool_name) ?? ''}`, 200)
    const shown: Call = { toolName, input: recordOf(meta.tool_params) ?? {} }
    return { calls: [shown], shown, answers: ELICITED, isEdit: false }
  }

  #isDenied({ toolName, input }: Call): boolean {
    return judge({ allow: [], deny: this.#denied }, toolName, input, this.#place).behavior === 'deny'
  }
}

const placeOf = ({ threadId }: JsonRecord, item: string): string => `${idOf(threadId) ?? ''} ${item}`

/**
 * The command as rules have it, without the shell that the CLI runs it in, and every other form in which it is named: one that a rule
 * refuses is enough.
 */
function commandsOf(params: JsonRecord): string[] {
  const whole = textOf(params.command) ?? ''
  const inner = /^\S*\b(?:ba|z|da)?sh -l?c '([^']*)'$/s.exec(whole)?.[1]
  const parts = listOf(params.commandActions).flatMap((action) => textOf(recordOf(action)?.command) ?? [])
  return [...new Set([inner ?? whole, whole, ...parts])].filter((command) => command !== '')
}
