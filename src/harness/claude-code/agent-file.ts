import { AGENT_LIMITS, type AgentFile } from '../../domain/agent'
import type { HarnessAgentFiles } from '../../domain/harness/agent-harness'

/** A project's sub-agents, which any session of Claude Code there may launch. */
export const claudeCodeAgentFiles: HarnessAgentFiles = { folder: '.claude/agents', parse: parseAgentFile }

/** Lines of front matter that are looked at. */
const FRONT_LINES = 100
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,59}$/u

/**
 * Reads a file that describes an agent: front matter with `name`, `description` and `model`, then its instructions. What it says of
 * tools and permissions is passed over: a file that comes with a repository gives no rights.
 *
 * @param file  its path, for the reader of the answer; the name stands in when the front matter has none
 */
export function parseAgentFile(text: string, file: string): AgentFile {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const front = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(whole)
  const fields = fieldsOf(front?.[1] ?? '')
  const fallback = file.replace(/^.*\//, '').replace(/\.md$/, '')
  const name = fields.get('name') ?? fallback
  const model = fields.get('model') ?? ''
  const body = (front === null ? whole : whole.slice(front[0].length)).trim()
  const room = AGENT_LIMITS.instructions
  const note = `\n(Cut here; the rest is in ${file})`
  return {
    name: NAME.test(name) ? name : fallback.slice(0, 60),
    description: fields.get('description')?.slice(0, AGENT_LIMITS.description) ?? null,
    model: model === '' || model === 'inherit' || model.startsWith('-') || model.length > 200 ? null : model,
    instructions: body.length <= room ? body : `${body.slice(0, room - note.length)}${note}`,
    file,
    problem: NAME.test(name) ? null : 'its name is not valid: use letters, digits, dots, dashes and underscores',
  }
}

/** Plain `key: value` lines. Not a parser of YAML: descriptions in such files hold colons and quotes as they come. */
function fieldsOf(front: string): Map<string, string> {
  const fields = new Map<string, string>()
  let last: string | undefined
  for (const line of front.split('\n').slice(0, FRONT_LINES)) {
    const field = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line)
    if (field?.[1] !== undefined) {
      last = field[1].toLowerCase()
      fields.set(last, unquoted(field[2] ?? ''))
    } else if (last !== undefined && /^[ \t]+\S/.test(line)) {
      // A folded value goes on in the next line.
      const before = (fields.get(last) ?? '').replace(/^[|>][+-]?$/, '')
      fields.set(last, `${before} ${line.trim()}`.trim())
    }
  }
  return fields
}

function unquoted(value: string): string {
  const text = value.trim()
  const quote = text.charAt(0)
  const isQuoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote)
  return isQuoted ? text.slice(1, -1) : text
}
