/**
 * The text of a line with a call. Some agent CLIs write what the model said and what it calls as one line: the words stand before the name of
 * the tool, and behind it what it was asked.
 *
 * @param name  the tool's; `null` = unknown
 */
export function callParts(text: string, name: string | null): { said: string; asked: string } {
  const lines = text.split('\n')
  const at = name === null ? -1 : lines.indexOf(name)
  return at === -1
    ? { said: '', asked: text }
    : { said: lines.slice(0, at).join('\n').trim(), asked: lines.slice(at + 1).join('\n') }
}

/**
 * What a call was asked, in one line: its parts are told apart, and fields that no part names, which come last as JSON, are left out. Of a call
 * with nothing but such fields they are the line.
 */
export function askedInLine(asked: string): string {
  const lines = asked.split('\n').flatMap((line) => line.trim() || [])
  const fields = fieldsOf(lines.at(-1) ?? '')
  if (fields === null) return lines.join(' · ')
  if (lines.length > 1) return lines.slice(0, -1).join(' · ')
  const words = ([name, value]: [string, unknown]): string =>
    `${name}: ${typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value)}`
  return Object.entries(fields).map(words).join(', ')
}

/** `null` = the text is no JSON object, or not all of one. */
function fieldsOf(text: string): object | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}
