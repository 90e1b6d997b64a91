import { CONFIG_KEYS, type ConfigKey, type Settings, specOf } from './keys'
import { assemble, type Config, type ConfigReport, type ConfigSources, readConfig, settingsText } from './load'

/** How long a change of a settings file may stay unseen, in milliseconds. Two small files are read each time. */
const FILE_LOOK_MS = 1_000

export interface LiveConfig {
  /** Its values are the ones of now wherever a key says so (`isLive`); the others stay as they were at the start. Nothing may copy them. */
  readonly config: Config
  /** Calls `listener` after a change, until what it returns is called. */
  onChange(listener: () => void): () => void
  /** Looks at once. */
  check(): void
  stop(): void
}

/** What a look found, for the log. */
export interface SettingsListener {
  /** Keys whose new value counts from now on. */
  changed(keys: ConfigKey[]): void
  /** Keys whose new value counts after a restart. */
  waiting(keys: ConfigKey[]): void
  /** A file is broken or a value is wrong: all old values stay. */
  broken(problems: string[]): void
}

/** Follows the settings of a process that stays. */
export function liveConfig(first: Config, sources: ConfigSources, news: SettingsListener): LiveConfig {
  const start = settingsOf(readConfig(sources))
  let seen = start
  let broken = ''
  let looked: string | undefined
  let current = first
  const listeners = new Set<() => void>()

  function look(): void {
    const text = settingsText(sources)
    if (text === looked) return
    looked = text
    const report = readConfig(sources)
    const problems = report.errors.join('\n')
    if (problems !== '') {
      if (problems !== broken) news.broken(report.errors)
      broken = problems
      return
    }
    broken = ''
    const now = settingsOf(report)
    const other = CONFIG_KEYS.filter((key) => !isSame(now[key], seen[key]))
    if (other.length === 0) return
    seen = now
    const live = other.filter((key) => specOf(key).isLive)
    const waiting = other.filter((key) => !specOf(key).isLive && !isSame(now[key], start[key]))
    if (waiting.length > 0) news.waiting(waiting)
    if (live.length === 0) return
    current = assemble(first.home, merged(start, now))
    news.changed(live)
    for (const listener of [...listeners]) listener()
  }

  const timer = setInterval(look, FILE_LOOK_MS)
  timer.unref()
  return {
    config: following(first, () => current),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    check: look,
    stop: () => clearInterval(timer),
  }
}

const settingsOf = ({ entries }: ConfigReport): Settings =>
  // `readConfig` gives one entry for each key.
  Object.fromEntries(entries.map(({ key, value }) => [key, value])) as unknown as Settings

function merged(start: Settings, now: Settings): Settings {
  const live = CONFIG_KEYS.filter((key) => specOf(key).isLive).map((key) => [key, now[key]])
  return { ...start, ...Object.fromEntries(live) }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The same shape, read again at each use, also through a part that a caller keeps, such as `config.worker`. */
function following<T extends object>(shape: T, now: () => T): T {
  const made = {}
  for (const key of Object.keys(shape) as (keyof T & string)[]) {
    const value = shape[key]
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    const group = isGroup ? following(value, () => now()[key] as typeof value) : undefined
    Object.defineProperty(made, key, { enumerable: true, get: () => group ?? now()[key] })
  }
  return made as T
}
