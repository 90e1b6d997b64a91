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

/**
 * The whole text of a line with a call in words: what the model said, the tool's name with what it was asked, and no JSON. For a search,
 * which may have found any of it.
 *
 * @param name  the tool's; `null` = unknown
 */
export function callWords(text: string, name: string | null): string {
  const { said, asked } = callParts(text, name)
  const words = asked.split('\n').flatMap((line) => valueWords(line.trim()) || [])
  const call = [...(name === null ? [] : [words.length === 0 ? name : `${name}:`]), words.join(' · ')].join(' ').trim()
  return said === '' ? call : `${said} · ${call}`
}

/** A text as it is; JSON as its fields and values. */
export function valueWords(text: string): string {
  if (!/^[[{]/.test(text)) return text
  try {
    return wordsIn(JSON.parse(text), 0)
  } catch {
    // The beginning or the end is missing, or it is none.
    return /^(?:\{"|\[[{"])/.test(text) ? looseWords(text) : text
  }
}

/** Deeper than this nobody wrote words. */
const DEPTH = 12

function wordsIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim()
  if (typeof value !== 'object' || value === null || depth > DEPTH) return String(value)
  if (Array.isArray(value)) return value.map((item) => wordsIn(item, depth + 1)).join(', ')
  return Object.entries(value)
    .map(([field, item]) => `${field}: ${wordsIn(item, depth + 1)}`)
    .join(', ')
}

/** A part of JSON without its signs. */
const looseWords = (text: string): string =>
  text
    .replace(/(?<!\\)"\s*([:,])\s*/g, '$1 ')
    .replace(/\\[nrtbf]/g, ' ')
    .replace(/\\(["\\/])|"/g, '$1')
    .replace(/[{}[\]]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Lists the fields of a JSON object; `null` for other texts, empty for a JSON object that is cut. */
function fieldsOf(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return null
    return wordsIn(value, 0)
  } catch {
    // The start of a long input is not worth a line.
    return line.startsWith('{"') && !line.endsWith('}') ? '' : null
  }
}
