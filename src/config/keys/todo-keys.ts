import { ISSUE_LINK_SOURCES, type IssueLinkSource } from '../../domain/session/session-issue'
import { MINUTE_MS } from '../../domain/time-units'
import type { KeySpec } from '../key-spec'
import { isOff, parseBoolean, parseWords, whole } from '../parse-values'

/** What becomes of an item that a new list no longer has: `merge` keeps it, marked as removed; `replace` drops it. */
export const TODO_REPLACES = ['merge', 'replace'] as const
export type TodoReplace = (typeof TODO_REPLACES)[number]

/** The settings of agents' own to-dos by key. */
export interface TodoSettings {
  'todos.enabled': boolean
  'todos.maxPerSession': number
  'todos.debounceMs': number
  'todos.retentionDays': number | null
  'todos.exportToJsonl': boolean
  'todos.onReplace': TodoReplace
  'todos.linkFrom': readonly IssueLinkSource[]
  'todos.closePromoted': boolean
  'hooks.autoInstall': boolean
}

const SOURCES = ISSUE_LINK_SOURCES.join(', ')

export const TODO_KEYS: { readonly [K in keyof TodoSettings]: KeySpec<TodoSettings[K]> } = {
  'todos.enabled': {
    help: 'whether agents are shown to-dos and lode todo works; to-dos are recorded in either case',
    isProjectSafe: true,
    isLive: true,
    fallback: () => true,
    parse: parseBoolean,
  },
  'todos.maxPerSession': {
    help: 'how many to-dos are kept per session, and per sub-agent with its own list, 1 to 100000; further ones are only counted',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 1_000,
    parse: (value) => whole(value, 1, 100_000),
  },
  'todos.debounceMs': {
    help: 'milliseconds in which several changes to one list are shown, and written to the issue file, as one, 0 to 60000',
    isProjectSafe: true,
    isLive: true,
    fallback: () => 500,
    parse: (value) => whole(value, 0, MINUTE_MS),
  },
  'todos.retentionDays': {
    help: "days after a session's last event at which its to-dos are removed, 1 to 36500; off = never",
    isProjectSafe: false,
    isLive: true,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
  'todos.exportToJsonl': {
    help: 'whether to-dos of linked sessions are also written to the Git-tracked issue file, readable by everyone',
    isProjectSafe: false,
    isLive: true,
    fallback: () => false,
    parse: parseBoolean,
  },
  'todos.onReplace': {
    help: 'what happens to a to-do missing from a new list: merge = kept and marked as removed, replace = deleted',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 'merge',
    parse: (value) => {
      const found = TODO_REPLACES.find((each) => each === value)
      if (found === undefined) throw new Error(`must be one of ${TODO_REPLACES.join(', ')}`)
      return found
    },
  },
  'todos.linkFrom': {
    help: `which sources link a session to an issue: any of ${SOURCES}; off = none`,
    isProjectSafe: true,
    isLive: false,
    fallback: () => ISSUE_LINK_SOURCES,
    parse: (value) => {
      const otherwise = `must name some of ${SOURCES}, or be off`
      const words = parseWords(value, /^[a-z]+$/, otherwise, ISSUE_LINK_SOURCES.length)
      const known = ISSUE_LINK_SOURCES.filter((source) => words.includes(source))
      if (known.length !== words.length) throw new Error(otherwise)
      return known
    },
  },
  'todos.closePromoted': {
    help: 'whether completing a to-do closes the issue it was promoted to',
    isProjectSafe: true,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'hooks.autoInstall': {
    help: "whether lode up adds its hooks to your Claude Code settings and keeps them up to date ('lode setup claude')",
    isProjectSafe: false,
    isLive: false,
    fallback: () => false,
    parse: parseBoolean,
  },
}
