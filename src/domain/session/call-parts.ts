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
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth > DEPTH) return '…'
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

/**
 * What a call was asked, as a person reads it: the fields that stand one per line as they are, an edit as the lines that go and come, a list of
 * to-dos as such, and every other field by its name.
 */
export function askedWords(asked: string): string {
  const lines = asked.split('\n')
  const last = lines.at(-1) ?? ''
  const fields = objectIn(last)
  if (fields === null) return [...lines.slice(0, -1), valueWords(last)].join('\n')
  return [...lines.slice(0, -1), ...wordsOfFields(fields)].join('\n')
}

type Fields = Readonly<Record<string, unknown>>

function objectIn(line: string): Fields | null {
  if (!line.startsWith('{')) return null
  try {
    return recordOf(JSON.parse(line))
  } catch {
    return null
  }
}

const recordOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

function wordsOfFields(fields: Fields): string[] {
  const { old_string: old, new_string: fresh, edits, todos, plan, ...others } = fields
  const lists = Object.entries({ todos, plan }).flatMap(([name, list]) =>
    list === undefined ? [] : todoLines(name, list),
  )
  const changes = [
    ...changeLines('old_string', '-', old),
    ...changeLines('new_string', '+', fresh),
    ...editLines(edits),
  ]
  return [...Object.entries(others).flatMap(([name, value]) => fieldLines(name, value)), ...lists, ...changes]
}

function fieldLines(name: string, value: unknown): string[] {
  if (typeof value === 'string' && value.includes('\n')) return [`${name}:`, value]
  return [`${name}: ${wordsIn(value, 0)}`]
}

function changeLines(name: string, sign: string, text: unknown): string[] {
  if (text === undefined || text === '') return []
  return typeof text === 'string' ? text.split('\n').map((line) => `${sign} ${line}`) : fieldLines(name, text)
}

function editLines(edits: unknown): string[] {
  if (edits === undefined) return []
  const list = Array.isArray(edits) ? edits.map(recordOf) : [null]
  if (list.includes(null)) return fieldLines('edits', edits)
  return list.flatMap((edit, at) => (edit === null ? [] : [...(at === 0 ? [] : ['']), ...wordsOfFields(edit)]))
}

/** By the words that agent CLIs have for a to-do's text and state. */
function todoLines(name: string, list: unknown): string[] {
  const items = Array.isArray(list) ? list.map(recordOf) : [null]
  const lines = items.map((item) => {
    const text = item?.content ?? item?.step ?? item?.text ?? item?.title
    if (typeof text !== 'string') return null
    const isDone = item?.status === 'completed' || item?.status === 'done'
    return `[${isDone ? 'x' : item?.status === 'in_progress' ? '~' : ' '}] ${text.replace(/\s+/g, ' ')}`
  })
  return lines.every((line) => line !== null) ? lines : fieldLines(name, list)
}
