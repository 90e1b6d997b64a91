import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** A settings file holds a few lines; a larger one is a mistake or an attack. */
const MAX_BYTES = 64 * 1_024
const MAX_DEPTH = 4

/** What stands in a file: values by dotted key. */
export interface ConfigFile {
  path: string
  /** `null` = the file does not exist. */
  text: string | null
  values: Map<string, unknown>
  /** Why it could not be read; then there are no values. */
  problem: string | null
}

/**
 * Reads a YAML file and flattens it: `listen: { port: 1 }` and `listen.port: 1` are the same. Never throws: `problem` has what is wrong
 * with the file.
 */
export function readConfigFile(path: string): ConfigFile {
  const file: ConfigFile = { path, text: null, values: new Map(), problem: null }
  try {
    file.text = readText(path)
    if (file.text !== null) file.values = parseConfig(file.text)
  } catch (error) {
    file.problem = error instanceof Error ? error.message : String(error)
  }
  return file
}

/** The file's text, or why it can't be read, without looking at what it says: where it is the same, so are the settings. */
export function configText(path: string): string {
  try {
    return readText(path) ?? ''
  } catch (error) {
    return String(error)
  }
}

/**
 * Values by dotted key. A key without a value (`listen:` alone) says nothing and is left out.
 * @throws Error  not YAML, not a mapping, or nested deeper than any setting is
 */
export function parseConfig(text: string): Map<string, unknown> {
  let document: unknown
  try {
    // Built in, 0.1 ms. The package `yaml`, by which settings are edited, takes 8 ms compiled and 55 ms from source to load and
    // parse the same; every command that connects would wait for it.
    document = Bun.YAML.parse(text)
  } catch (error) {
    // Nested too deeply for the parser is a RangeError of the engine; it reads as what it is.
    throw new Error(error instanceof RangeError ? 'is nested too deeply' : `is not YAML: ${(error as Error).message}`)
  }
  const values = new Map<string, unknown>()
  if (document === null || document === undefined) return values
  if (!isMapping(document)) throw new Error('must hold "key: value" lines')
  flatten(document, '', 1, values)
  return values
}

function flatten(mapping: Record<string, unknown>, prefix: string, depth: number, into: Map<string, unknown>): void {
  if (depth > MAX_DEPTH) throw new Error('is nested too deeply')
  for (const [name, value] of Object.entries(mapping)) {
    const key = prefix + name
    if (isMapping(value)) flatten(value, `${key}.`, depth + 1, into)
    else if (value !== null) into.set(key, value)
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The file's text; `null` = there is none. Reads regular files only, so that a fifo in a hostile folder can't hang us. */
function readText(path: string): string | null {
  let fd: number
  try {
    // Not blocking: opening a fifo would wait for its writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Error(`can't be read (${code ?? error})`)
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw new Error('is not a file')
    if (stat.size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`)
    const bytes = Buffer.alloc(MAX_BYTES)
    let length = 0
    for (let got = -1; got !== 0 && length < MAX_BYTES; length += got)
      got = readSync(fd, bytes, length, MAX_BYTES - length, null)
    return bytes.toString('utf8', 0, length).replace(/^\ufeff/, '')
  } finally {
    closeSync(fd)
  }
}
