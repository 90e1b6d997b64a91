/** Input fields that describe a call best, in order of preference. They are those of the tools of agent CLIs; other calls are shown as JSON. */
const DESCRIPTIVE_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
  'message',
] as const

/** Characters of a call's description in one line. */
const MAX_LINE_CHARACTERS = 400

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {}

/** Describes a call in one line, by its command, file, pattern or words. Empty when the input says nothing. At most `MAX_LINE_CHARACTERS`. */
export function callLine(input: unknown): string {
  const fields = fieldsOf(input)
  for (const name of DESCRIPTIVE_FIELDS) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '')
      return value.replace(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARACTERS)
  }
  const text = JSON.stringify(input) ?? ''
  return text === '{}' || text === 'null' ? '' : text.slice(0, MAX_LINE_CHARACTERS)
}

/** The input fields of a call, for display: texts unchanged, everything else as JSON. */
export function callFields(input: unknown): { name: string; text: string }[] {
  return Object.entries(fieldsOf(input)).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''),
  }))
}
