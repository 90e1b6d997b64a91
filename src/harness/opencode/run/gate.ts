import type { RunLaunch } from '../../../domain/harness/harness-run'
import { SEVERAL_FILES } from '../../../domain/policy/tool-call'
import type { Verdict } from '../../../domain/policy/tool-rules'
import { isRecord, type JsonRecord, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { type GateCall, gate } from '../../tool-gate/gate'

/** The name of Lodeline's MCP server, which the CLI puts before the names of its tools. */
export const OWN_SERVER = 'lodeline'

/** The names that rules have for the CLI's own tools. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['read', 'Read'],
  ['edit', 'Edit'],
  ['multiedit', 'MultiEdit'],
  ['write', 'Write'],
  ['grep', 'Grep'],
  ['glob', 'Glob'],
  ['list', 'LS'],
  ['webfetch', 'WebFetch'],
  ['websearch', 'WebSearch'],
  ['task', 'Task'],
  ['skill', 'Skill'],
  ['todowrite', 'TodoWrite'],
  ['todoread', 'TodoRead'],
])
/** They change nothing: what a sub-agent does is asked about call by call. Tools of Lodeline touch the run's own task alone. */
const HARMLESS = ['Task', 'Skill', 'TodoWrite', 'TodoRead', `mcp__${OWN_SERVER}__*`]

type Bounds = Pick<RunLaunch, 'denied' | 'permissionMode' | 'cwd' | 'userHome' | 'mcpServers'>

/**
 * A tool call of the CLI in the words of rules: one that changes several files is one for each. What rules look at is what the CLI will
 * use: a field of that name which the model adds counts for nothing.
 */
export function gateCalls(name: string, given: unknown, servers: readonly string[]): [GateCall, ...GateCall[]] {
  const input = isRecord(given) ? given : {}
  const toolName = NAMES.get(name)
  if (toolName === undefined) return patchCalls(name, input) ?? [{ toolName: serverTool(name, servers), input }]
  const { filePath, file_path: _, ...rest } = input
  switch (toolName) {
    case 'Read':
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
      return [{ toolName, input: { ...rest, file_path: filePath } }]
    default:
      return [{ toolName, input }]
  }
}

/** A patch names its files in its text. `null` = it is none, or names none. */
function patchCalls(name: string, input: JsonRecord): [GateCall, ...GateCall[]] | null {
  if (name !== 'patch' && name !== 'apply_patch') return null
  const text = textOf(input.patchText) ?? ''
  const paths = [...text.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)]
  const [first, ...rest] = paths.map(
    ([, path = '']): GateCall => ({ toolName: 'Edit', input: { file_path: path.trim(), patch: clip(text, 20_000) } }),
  )
  return first === undefined ? null : [first, ...rest]
}

function serverTool(name: string, servers: readonly string[]): string {
  const server = [OWN_SERVER, ...servers].find((each) => name.startsWith(`${prefixOf(each)}_`))
  return clip(server === undefined ? name : `mcp__${server}__${name.slice(server.length + 1)}`, 200)
}

/** As the CLI writes a server's name in those of its tools. */
const prefixOf = (server: string): string => server.replace(/[^\w-]/g, '_')

/** What is decided of a call without anybody, and by which of its parts it is asked for. */
export function gateAll(
  bounds: Bounds,
  calls: readonly [GateCall, ...GateCall[]],
): { verdict: Verdict; call: GateCall } {
  const judged = calls.map((call) => ({ verdict: gate(bounds, call, HARMLESS), call }))
  const denied = judged.find(({ verdict }) => verdict.behavior === 'deny')
  if (denied !== undefined) return denied
  const asked = judged.filter(({ verdict }) => verdict.behavior === 'ask')
  const [first] = asked
  if (first === undefined) return { verdict: judged[0]?.verdict ?? NOTHING_KNOWN, call: calls[0] }
  return asked.length === 1 ? first : { verdict: first.verdict, call: together(asked.map(({ call }) => call)) }
}

const NOTHING_KNOWN: Verdict = { behavior: 'deny', rule: 'nothing is known of it' }

/** What is asked about as one: a rule that allows one of the files says nothing of the others. */
function together(calls: readonly GateCall[]): GateCall {
  const files = calls.flatMap(({ input }) => textOf(input.file_path) ?? [])
  return { toolName: SEVERAL_FILES.changed, input: { files: files.join('\n'), patch: calls[0]?.input.patch } }
}
