/** A call of a tool in a line, as far as the preview of its line tells. */
export interface CallLine {
  /** What the model said in the same line; '' = nothing. */
  words: string
  /** What the call is about: a command, a path, a pattern, a description. */
  about: string
}

const ABOUT_CHARACTERS = 300

/**
 * Reads the preview of a call: the model's words, the tool's name, the telling fields of its input each on a line, the rest as JSON.
 *
 * @param name  the tool's; `null` = not known
 */
export function callLine(text: string | null, name: string | null): CallLine {
  const lines = (text ?? '').split('\n')
  const at = name === null ? -1 : lines.indexOf(name)
  const words = at <= 0 ? '' : lines.slice(0, at).join('\n').trim()
  const rest = lines.slice(at + 1).filter((line) => line.trim() !== '')
  const last = rest.at(-1)
  const fields = last === undefined ? null : fieldsOf(last)
  const telling = [...new Set((fields === null ? rest : rest.slice(0, -1)).map((line) => line.trim()))]
  const isTelling = telling.join('').length >= 12
  const about = [...telling, ...(isTelling || fields === null ? [] : [fields])].join(' · ')
  return { words, about: about.slice(0, ABOUT_CHARACTERS) }
}

/** Simple fields of a JSON object in words; `null` for anything else, and for what was cut. */
function fieldsOf(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return null
    return Object.entries(value)
      .map(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`)
      .join(', ')
  } catch {
    // The beginning of a long input tells nothing that is worth a line.
    return line.startsWith('{"') && !line.endsWith('}') ? '' : null
  }
}

/** A tool's name as people say it: `mcp__github__list_issues` is `github: list_issues`. */
export function toolTitle(name: string | null): string {
  if (name === null || name === '') return 'tool'
  const [kind, server, ...tool] = name.split('__')
  return kind === 'mcp' && server !== undefined && tool.length > 0 ? `${server}: ${tool.join('__')}` : name
}
