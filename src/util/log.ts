import { RotatingFile } from './files/rotating-file'
import { isSecretName, maskSecrets } from './mask-secrets'

/** From the worst to the least: a threshold lets through its own level and those before it. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What a line concerns; public ids, never database keys. */
export interface LogContext {
  session?: string
  task?: string
  attempt?: string
  worker?: string
  /** A message's id; the line's words are its `text`. */
  message?: string
}

/**
 * What a line says besides its text. Values are written as JSON, cut when they are large.
 *
 * What agents and people said belongs in `content`, `prompt`, `line`, `payload` or `body`: these are left out unless the
 * level is `debug`. A field named like a secret (`token`, `authorization` …) is always masked.
 */
export interface LogFields extends LogContext {
  /** What was thrown; its message, code, stack and causes are written. */
  error?: unknown
  [name: string]: unknown
}

/** The structured log. No method ever throws or waits. */
export interface Logger {
  error(text: string, fields?: LogFields): void
  warn(text: string, fields?: LogFields): void
  info(text: string, fields?: LogFields): void
  debug(text: string, fields?: LogFields): void
  /** A logger that adds `context` to each line; a line's own fields win. */
  child(context: LogContext): Logger
  /** Closes the file; a later line opens it again. */
  close(): void
}

/** Where lines go and which. */
export interface LoggerOptions {
  /** The file for JSON lines, for example `LODELINE_HOME/log/lode.log`; none unless given. */
  file?: string
  /** Threshold of the file, and whether content is written at all. Default `info`. */
  level?: LogLevel
  /** Threshold of the readable lines; `off` for none. Default: `level`. */
  terminalLevel?: LogLevel | 'off'
  /** A file of this many bytes is moved aside. Default 10 MiB. */
  maxBytes?: number
  /** How many old files are kept. Default 3. */
  keep?: number
  /** Takes one readable line with its newline. Default: stderr. */
  terminal?: (line: string) => void
  /** Milliseconds since 1970. Default: the system's clock. */
  now?: () => number
}

/** Says nothing, for tests and for commands without a log. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  child: () => silentLogger,
  close() {},
}

/**
 * Makes the process's logger: one JSON object per line into a rotating file of mode 0600, and the same for people on
 * stderr. A line has `at`, `level`, `text`, the context's ids, `error`, and all other fields below `data`.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const level = options.level ?? 'info'
  const terminalLevel = options.terminalLevel ?? level
  const { terminal = (line) => process.stderr.write(line), now = Date.now } = options
  const file =
    options.file === undefined
      ? undefined
      : new RotatingFile({ path: options.file, maxBytes: options.maxBytes ?? 10 * 2 ** 20, keep: options.keep ?? 3 })
  let hasFileFailed = false

  const say = (line: string) => {
    try {
      terminal(line)
    } catch {
      // A closed terminal must not end the work that is being logged.
    }
  }

  const write = (lineLevel: LogLevel, text: string, context: LogContext, fields: LogFields) => {
    const toFile = file !== undefined && passes(lineLevel, level)
    const toTerminal = terminalLevel !== 'off' && passes(lineLevel, terminalLevel)
    if (!toFile && !toTerminal) return
    try {
      const entry = safeEntry(
        new Date(now()).toISOString(),
        lineLevel,
        text,
        { ...context, ...fields },
        level === 'debug',
      )
      if (toTerminal) say(readable(entry))
      if (!toFile) return
      file.append(`${JSON.stringify(entry)}\n`)
      hasFileFailed = false
    } catch (error) {
      // Said once: a full disk would otherwise repeat this for each line.
      if (!hasFileFailed) say(`the log can't be written: ${printable(messageOf(error))}\n`)
      hasFileFailed = true
    }
  }

  const bound = (context: LogContext): Logger => ({
    error: (text, fields = {}) => write('error', text, context, fields),
    warn: (text, fields = {}) => write('warn', text, context, fields),
    info: (text, fields = {}) => write('info', text, context, fields),
    debug: (text, fields = {}) => write('debug', text, context, fields),
    child: (more) => bound({ ...context, ...more }),
    close: () => {
      try {
        file?.close()
      } catch {
        // Nothing is lost: each line was written by itself.
      }
    },
  })
  return bound({})
}

function passes(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(threshold)
}

const CONTEXT_NAMES = ['session', 'task', 'attempt', 'worker', 'message'] as const
const CONTENT_NAMES = new Set(['content', 'prompt', 'line', 'payload', 'body'])

interface Entry extends LogContext {
  at: string
  level: LogLevel
  text: string
  error?: unknown
  data?: Record<string, unknown>
}

/** A value that can't be read (a getter that throws) costs the line its fields, never the line. */
function safeEntry(at: string, level: LogLevel, text: string, fields: LogFields, withContent: boolean): Entry {
  try {
    return entryOf(at, level, text, fields, withContent)
  } catch (error) {
    return entryOf(at, level, text, { error: messageOf(error) }, withContent)
  }
}

function entryOf(at: string, level: LogLevel, text: string, fields: LogFields, withContent: boolean): Entry {
  const entry: Entry = { at, level, text: bounded(String(text)) }
  for (const name of CONTEXT_NAMES) {
    if (fields[name] !== undefined) entry[name] = bounded(String(fields[name]))
  }
  if (fields.error !== undefined) entry.error = errorValue(fields.error, 0)
  const data: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error' || value === undefined || (CONTEXT_NAMES as readonly string[]).includes(name)) continue
    if (CONTENT_NAMES.has(name) && !withContent) continue
    data[name] = isSecretName(name) ? '[masked]' : plain(value, 0)
  }
  if (Object.keys(data).length > 0) entry.data = data
  return entry
}

const MAX_TEXT = 4096
const MAX_DEPTH = 4
const MAX_ENTRIES = 50

/** Cut before it is masked, so that a huge value costs little; a secret cut in two is shorter than what is known by length, so the last piece goes too. */
function bounded(text: string): string {
  if (text.length <= MAX_TEXT) return maskSecrets(text)
  return `${maskSecrets(text.slice(0, MAX_TEXT)).replace(/\S{0,200}$/, '')}… (${text.length} characters)`
}

/** A copy that JSON can hold, whatever the value is: bounded in depth and size, without secrets. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return bounded(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (typeof value !== 'object') return bounded(String(value))
  if (value instanceof Error) return errorValue(value, depth)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString()
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((element) => plain(element, depth + 1))
  const pairs = Object.entries(value).slice(0, MAX_ENTRIES)
  return Object.fromEntries(
    pairs.map(([name, inner]) => [name, isSecretName(name) ? '[masked]' : plain(inner, depth + 1)]),
  )
}

function errorValue(thrown: unknown, depth: number): unknown {
  if (!(thrown instanceof Error)) return plain(thrown, depth)
  const { code, cause } = thrown as Error & { code?: unknown }
  return {
    name: thrown.name,
    ...(code === undefined ? {} : { code: bounded(String(code)) }),
    message: bounded(thrown.message),
    ...(thrown.stack === undefined ? {} : { stack: bounded(thrown.stack) }),
    ...(cause === undefined || depth >= MAX_DEPTH ? {} : { cause: errorValue(cause, depth + 1) }),
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** `12:03:04.567 warn  text  session=… key="…"`: one line, in the reader's own time zone. */
function readable(entry: Entry): string {
  const at = new Date(entry.at)
  const two = (n: number) => String(n).padStart(2, '0')
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
  const context = CONTEXT_NAMES.flatMap((name) => (entry[name] === undefined ? [] : [`${name}=${entry[name]}`]))
  const data = Object.entries(entry.data ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const failure = entry.error as { message?: unknown } | undefined
  const reason = failure === undefined ? [] : [`error=${JSON.stringify(failure?.message ?? failure)}`]
  return `${printable([time, entry.level.padEnd(5), entry.text, ...context, ...reason, ...data].join(' '))}\n`
}

/** Control characters and direction marks come from agents and file names; on a terminal they would act. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
