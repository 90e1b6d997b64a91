import { DAY_MS, MINUTE_MS } from '../domain/time-units'
import type { KeySpec } from './key-spec'
import { AGENT_KEYS, type AgentSettings } from './keys/agent-keys'
import { INBOX_KEYS, type InboxSettings } from './keys/inbox-keys'
import { ISSUE_KEYS, type IssueSettings } from './keys/issue-keys'
import { LEAD_KEYS, type LeadSettings } from './keys/lead-keys'
import { LOGIN_KEYS, type LoginSettings } from './keys/login-keys'
import { MESSAGE_KEYS, type MessageSettings } from './keys/message-keys'
import { NOTIFY_KEYS, type NotifySettings } from './keys/notify-keys'
import { RECOVERY_KEYS, type RecoverySettings } from './keys/recovery-keys'
import { SECRET_KEYS, type SecretKeySettings } from './keys/secret-keys'
import { SERVER_KEYS, type ServerSettings } from './keys/server-keys'
import { SPAWN_KEYS, type SpawnSettings } from './keys/spawn-keys'
import { TODO_KEYS, type TodoSettings } from './keys/todo-keys'
import { WORKER_KEYS, type WorkerSettings } from './keys/worker-keys'
import { isOff, parseBlobs, parseBoolean, parseDatabaseUrl, text, whole } from './parse-values'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Each setting's value by its key, as a file or a flag names it. */
export interface Settings
  extends AgentSettings,
    WorkerSettings,
    IssueSettings,
    TodoSettings,
    RecoverySettings,
    MessageSettings,
    SpawnSettings,
    LeadSettings,
    InboxSettings,
    NotifySettings,
    SecretKeySettings,
    LoginSettings,
    ServerSettings {
  databaseUrl: string | null
  databaseDirectUrl: string | null
  blobs: string | null
  'listen.host': string
  'listen.port': number
  'collector.enabled': boolean
  'collector.rescanSeconds': number
  'log.level': LogLevel
  'retention.days': number | null
  'search.toolOutput': boolean
  'retention.feedDays': number | null
  'retention.taskDays': number | null
  stuckAfterMs: number
}
export type ConfigKey = keyof Settings

/** Every setting there is. */
const KEYS: { readonly [K in ConfigKey]: KeySpec<Settings[K]> } = {
  databaseUrl: {
    help: 'a PostgreSQL database for a fleet, postgres://user@host/database; off = the embedded SQLite database',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: parseDatabaseUrl,
  },
  databaseDirectUrl: {
    help: 'the same database past a pooler such as PgBouncer that databaseUrl leads to; off = databaseUrl leads to no pooler',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: parseDatabaseUrl,
  },
  blobs: {
    help: 'object storage for recorded bytes that no longer change, s3://bucket/prefix?endpoint=URL; off = with SQLite files in this folder, with PostgreSQL its rows',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: parseBlobs,
  },
  'listen.host': {
    help: 'the address the server listens on; any address other than loopback needs TLS or an explicit flag',
    isProjectSafe: false,
    isLive: false,
    fallback: () => '127.0.0.1',
    parse: (value) => text(value, /^[\w.:-]{1,253}$/, 'must be a host name or an address'),
  },
  'listen.port': {
    help: 'the port the server listens on, 0 to 65535; 0 = any free port',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 4655,
    parse: (value) => whole(value, 0, 65_535),
  },
  'collector.enabled': {
    help: 'whether lode up records the transcripts of this machine',
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'collector.rescanSeconds': {
    help: 'seconds between full scans of all folders, 1 to 86400; growing files are always read at once',
    isProjectSafe: true,
    isLive: false,
    fallback: () => 30,
    parse: (value) => whole(value, 1, 86_400),
  },
  'log.level': {
    help: `the lowest level to log: ${LOG_LEVELS.join(', ')}; debug may contain conversation text`,
    isProjectSafe: false,
    isLive: false,
    fallback: () => 'info',
    parse: (value) => {
      const level = LOG_LEVELS.find((each) => each === value)
      if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`)
      return level
    },
  },
  'search.toolOutput': {
    help: "whether search finds what tools gave out, the first and the last 1,000 characters of each; 'lode rebuild' applies it to what is recorded",
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'retention.days': {
    help: 'days after its last event at which a session is forgotten for good, 1 to 36500; off = never',
    isProjectSafe: false,
    isLive: true,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
  'retention.feedDays': {
    help: 'days after which an entry of the feed is removed, 1 to 36500; off = never',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 90,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
  'retention.taskDays': {
    help: 'days after its end at which a task that nothing open needs is removed with its attempts and log, 1 to 36500; off = never',
    isProjectSafe: false,
    isLive: true,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
  stuckAfterMs: {
    help: 'milliseconds of silence during a turn after which a session counts as stuck, 1000 to 86400000',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 15 * MINUTE_MS,
    parse: (value) => whole(value, 1_000, DAY_MS),
  },
  ...AGENT_KEYS,
  ...WORKER_KEYS,
  ...ISSUE_KEYS,
  ...TODO_KEYS,
  ...RECOVERY_KEYS,
  ...SPAWN_KEYS,
  ...MESSAGE_KEYS,
  ...LEAD_KEYS,
  ...INBOX_KEYS,
  ...NOTIFY_KEYS,
  ...SECRET_KEYS,
  ...LOGIN_KEYS,
  ...SERVER_KEYS,
}

export const CONFIG_KEYS = Object.keys(KEYS) as ConfigKey[]

export function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(KEYS, key)
}

export function specOf<K extends ConfigKey>(key: K): KeySpec<Settings[K]> {
  const spec: KeySpec<Settings[K]> | undefined = KEYS[key]
  if (spec === undefined) throw new Error(`There is no setting ${key}.`)
  return spec
}
