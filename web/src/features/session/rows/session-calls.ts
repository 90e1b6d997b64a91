/** A tool call as its preview describes it. */
export interface CallLine {
  /** Text of the model in the same line; '' if there is none. */
  words: string
  /** Description of the call: a command, path, pattern or text. */
  about: string
}

/** Characters of a description at most. */
const MAX_ABOUT_CHARACTERS = 300
/** Descriptive fields shorter than this are completed by the other fields. Characters. */
const MIN_TELLING_CHARACTERS = 12

/**
 * Parses the preview of a call: the model's text, the tool's name, descriptive input fields one per line, and the rest as JSON.
 *
 * @param name  the tool's name; `null` if unknown
 */
export function callLine(text: string | null, name: string | null): CallLine {
  const lines = (text ?? '').split('\n')
  const at = name === null ? -1 : lines.indexOf(name)
  const words = at <= 0 ? '' : lines.slice(0, at).join('\n').trim()
  const rest = lines.slice(at + 1).filter((line) => line.trim() !== '')
  const last = rest.at(-1)
  const fields = last === undefined ? null : fieldsOf(last)
  const telling = [...new Set((fields === null ? rest : rest.slice(0, -1)).map((line) => line.trim()))]
  const isTelling = telling.join('').length >= MIN_TELLING_CHARACTERS
  const about = [...telling, ...(isTelling || fields === null ? [] : [fields])].join(' · ')
  return { words, about: about.slice(0, MAX_ABOUT_CHARACTERS) }
}

/** Lists the fields of a JSON object; `null` for other texts, empty for a JSON object that is cut. */
function fieldsOf(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return null
    return Object.entries(value)
      .map(([name, field]) => `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`)
      .join(', ')
  } catch {
    // The start of a long input is not worth a line.
    return line.startsWith('{"') && !line.endsWith('}') ? '' : null
  }
}

/** Formats the name of a tool: `mcp__github__list_issues` becomes `github: list_issues`. */
export function toolTitle(name: string | null): string {
  if (name === null || name === '') return 'tool'
  const [kind, server, ...tool] = name.split('__')
  return kind === 'mcp' && server !== undefined && tool.length > 0 ? `${server}: ${tool.join('__')}` : name
}
