/** For tests: docs/reference/json.md as shapes that answers are held against. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const document = readFileSync(join(import.meta.dir, '../../../docs/reference/json.md'), 'utf8')

/** Tables of the document: command or shape → field → type. */
export const shapes = new Map<string, Map<string, string>>()
/** A shape that adds fields to another one → that one. */
const bases = new Map<string, string>()
for (const section of document.split(/^### /m).slice(1)) {
  const [own = ''] = section.split(/^##/m)
  const title = own.slice(0, own.indexOf('\n'))
  const rows = [...own.matchAll(/^\| (\w+) \| ((?:[^|\\]|\\\|)+) \|/gm)].filter(([, name]) => name !== 'field')
  const fields = new Map(rows.map(([, name = '', type = '']) => [name, type.replaceAll('\\|', '|').trim()]))
  // Commands with the same answer share a section.
  for (const name of title.split(', ')) shapes.set(name, fields)
  const base = /^All fields of \[(\w+)\]/m.exec(own)?.[1]
  if (base !== undefined) bases.set(title, base)
}
for (const [name, base] of bases) shapes.set(name, new Map([...(shapes.get(base) ?? []), ...(shapes.get(name) ?? [])]))

/** Where `value` is not what the document says, as a list of sentences. */
export function differences(value: unknown, type: string, path: string): string[] {
  const [first = '', ...others] = type.split(' | ')
  if (others.length > 0) return others.includes('null') && value === null ? [] : differences(value, first, path)
  const wrong = [`${path}: ${JSON.stringify(value)?.slice(0, 80)} is not ${type}`]
  if (type === 'any') return []
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return wrong
    return value.flatMap((each: unknown, i) => differences(each, type.slice(0, -2), `${path}[${i}]`))
  }
  if (type === 'integer') return Number.isSafeInteger(value) ? [] : wrong
  if (type === 'string' || type === 'number' || type === 'boolean') return typeof value === type ? [] : wrong
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong
  if (type === '{}') return []
  const shape = shapes.get(type)
  if (shape === undefined) return [`${path}: the document has no shape ${type}`]
  return [...new Set([...shape.keys(), ...Object.keys(value)])].flatMap((name) => {
    const fieldType = shape.get(name)
    if (fieldType === undefined) return [`${path}.${name} is not in the document`]
    const isOptional = fieldType.endsWith(', optional')
    if (!Object.hasOwn(value, name)) return isOptional ? [] : [`${path}.${name} is missing`]
    const given: unknown = (value as Record<string, unknown>)[name]
    return differences(given, fieldType.replace(', optional', ''), `${path}.${name}`)
  })
}
