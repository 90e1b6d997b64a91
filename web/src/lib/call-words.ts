/** Fields that say most about a call, the first that is there. Names are those of Claude Code's tools; others fall through to JSON. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
] as const

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {}

/** What a call is about, in one line: its command, file, pattern or words. Empty when nothing is known of it. */
export function callLine(input: unknown): string {
  const fields = fieldsOf(input)
  for (const name of TELLING) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value.replace(/\s+/g, ' ').trim().slice(0, 400)
  }
  const text = JSON.stringify(input) ?? ''
  return text === '{}' || text === 'null' ? '' : text.slice(0, 400)
}

/** The fields of a call for a person: texts as they are, the rest as JSON. */
export function callFields(input: unknown): { name: string; text: string }[] {
  return Object.entries(fieldsOf(input)).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''),
  }))
}
