import { askedInLine } from '#domain/session/call-parts'

/** A tool call as its preview describes it. */
export interface CallLine {
  /** Text of the model in the same line; '' if there is none. */
  words: string
  /** Description of the call: a command, path, pattern or text. */
  about: string
}

/** Characters of a description at most. */
const MAX_ABOUT_CHARACTERS = 300

/**
 * Parses the preview of a call: the model's text, the tool's name, descriptive input fields one per line, and the rest as JSON.
 *
 * @param name  the tool's name; `null` if unknown
 */
export function callLine(text: string | null, name: string | null): CallLine {
  const lines = (text ?? '').split('\n')
  const at = name === null ? -1 : lines.indexOf(name)
  const words = at <= 0 ? '' : lines.slice(0, at).join('\n').trim()
  return { words, about: askedInLine(lines.slice(at + 1).join('\n')).slice(0, MAX_ABOUT_CHARACTERS) }
}

/** Formats the name of a tool: `mcp__github__list_issues` becomes `github: list_issues`. */
export function toolTitle(name: string | null): string {
  if (name === null || name === '') return 'tool'
  const [kind, server, ...tool] = name.split('__')
  return kind === 'mcp' && server !== undefined && tool.length > 0 ? `${server}: ${tool.join('__')}` : name
}
