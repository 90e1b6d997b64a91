import { ISSUE_LINK_SOURCES, type IssueLinkSource } from '../domain/session-issue'
import type { KeySpec } from './keys'
import { isOff, parseBoolean, parseWords, whole } from './parse-values'

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
    help: 'whether to-dos are shown to agents and answered by lode todo; the record has them in either case, as transcripts do',
    isProjectSafe: true,
    isLive: true,
    fallback: () => true,
    parse: parseBoolean,
  },
  'todos.maxPerSession': {
    help: 'to-dos that are kept of a session, and of each of its sub-agents with a list of its own, 1 to 100000: the first ones, the rest is counted',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 1_000,
    parse: (value) => whole(value, 1, 100_000),
  },
  'todos.debounceMs': {
    help: 'milliseconds within which lode todo list --follow shows changes of one list as one, 0 to 60000',
    isProjectSafe: true,
    isLive: true,
    fallback: () => 500,
    parse: (value) => whole(value, 0, 60_000),
  },
  'todos.retentionDays': {
    help: 'days after the last event of a session when its to-dos are removed, 1 to 36500; off = never',
    isProjectSafe: false,
    isLive: true,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
  'todos.exportToJsonl': {
    help: 'whether to-dos of linked sessions are kept in the git-tracked file of issues too, for everybody to read',
    isProjectSafe: true,
    isLive: true,
    fallback: () => false,
    parse: parseBoolean,
  },
  'todos.onReplace': {
    help: 'an item that a new list no longer has: merge = kept and marked as removed, replace = dropped',
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
    help: `what links a session to an issue: some of ${SOURCES}; off = nothing`,
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
    help: 'whether an issue that was made of a to-do is closed when the agent completes the to-do',
    isProjectSafe: true,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'hooks.autoInstall': {
    help: "whether lode up puts its hooks into your Claude Code settings, and keeps them up to date there ('lode setup claude')",
    isProjectSafe: false,
    isLive: false,
    fallback: () => false,
    parse: parseBoolean,
  },
}
