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

/** Descriptive fields shorter than this are completed by the other fields. Characters. */
const MIN_TELLING_CHARACTERS = 12

/**
 * What a call was asked, in one line: descriptive fields, which stand one per line, apart from one another. The other fields, which come last as
 * JSON, are left out where those say enough.
 */
export function askedInLine(asked: string): string {
  const lines = asked.split('\n').flatMap((line) => line.trim() || [])
  const fields = fieldsOf(lines.at(-1) ?? '')
  const telling = [...new Set(fields === null ? lines : lines.slice(0, -1))]
  const isTelling = telling.join('').length >= MIN_TELLING_CHARACTERS
  return [...telling, ...(isTelling || !fields ? [] : [fields])].join(' · ')
}

/** Lists the fields of a JSON object; `null` for other texts, empty for a JSON object that is cut. */
function fieldsOf(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return null
    return Object.entries(value)
      .map(
        ([name, field]) => `${name}: ${typeof field === 'string' ? field.replace(/\s+/g, ' ') : JSON.stringify(field)}`,
      )
      .join(', ')
  } catch {
    // The start of a long input is not worth a line.
    return line.startsWith('{"') && !line.endsWith('}') ? '' : null
  }
}
