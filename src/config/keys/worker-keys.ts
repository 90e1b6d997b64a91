import { AGENT_NAME, type AgentName } from '../../domain/ids'
import { COMMON_NETWORK, OPEN_NETWORK, parseNetworkPlace } from '../../domain/policy/network-words'
import { DEFAULT_MAX_PERMISSION_MODE, PERMISSION_MODES, type PermissionMode } from '../../domain/task/permission-mode'
import type { KeySpec } from '../key-spec'
import { isOff, parseBoolean, parseFolders, parseWords, text, whole } from '../parse-values'

/** What a worktree's end may be: kept only when it holds changes or the task did not complete, or always. */
export const KEEP_WORKTREES = ['changed', 'always'] as const
export type KeepWorktrees = (typeof KEEP_WORKTREES)[number]

/** Whether runs are kept from the rest of the machine: where that is possible, always or not at all, or never. */
export const SANDBOX_MODES = ['auto', 'require', 'off'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

/** The worker's settings by key. */
export interface WorkerSettings {
  'worker.enabled': boolean
  'worker.name': string | null
  'worker.concurrency': number
  'worker.capabilities': readonly string[]
  'worker.account': string | null
  'worker.agent': AgentName | null
  'worker.fallback': boolean
  'worker.settingSources': string
  'worker.dir': string | null
  'worker.dirs': readonly string[]
  'worker.worktreeFolder': string | null
  'worker.keepWorktrees': KeepWorktrees
  'worker.liveWords': boolean
  'worker.workCopies': boolean
  'worker.backgroundGraceSeconds': number
  'worker.questionSeconds': number
  'worker.questionDefault': 'allow' | 'deny'
  'worker.allow': readonly string[]
  'worker.deny': readonly string[]
  'worker.maxPermissionMode': PermissionMode
  'worker.sandbox': SandboxMode
  'worker.writableDirs': readonly string[]
  'worker.network': readonly string[]
  'worker.passEnvironment': readonly string[]
  'worker.mcpServers': readonly string[]
}

const SOURCES = ['user', 'project', 'local']

/** They decide what runs on this machine, so a repository's file may set none of them. */
export const WORKER_KEYS: { readonly [K in keyof WorkerSettings]: KeySpec<WorkerSettings[K]> } = {
  'worker.enabled': {
    help: 'whether lode up and the service run tasks on this machine',
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'worker.name': {
    help: "the worker's name, unique among all workers; off = this machine's host name",
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) =>
      isOff(value)
        ? null
        : text(value, /^[A-Za-z0-9][\w.-]{0,99}$/, 'must be 1 to 100 letters, digits, dots, dashes or underscores'),
  },
  'worker.concurrency': {
    help: 'how many tasks the worker runs at once, 1 to 100',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 2,
    parse: (value) => whole(value, 1, 100),
  },
  'worker.capabilities': {
    help: 'capabilities that tasks may require; a task goes only to a worker that has all its required capabilities',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: (value) => parseWords(value, /^\S{1,100}$/, 'must be a list of at most 50 words without spaces', 50),
  },
  'worker.account': {
    help: 'the account that the agent CLIs of this machine are logged in to: workers with the same word here share its usage limits; off = its own',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : text(value, /^\S{1,100}$/, 'must be one word of at most 100 characters')),
  },
  'worker.agent': {
    help: 'the agent CLI for tasks that name none and continue no conversation; off = the first that is installed',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : text(value, AGENT_NAME, 'must be the name of an agent CLI, like codex')),
  },
  'worker.fallback': {
    help: 'whether a task goes on in the next agent CLI of its list when the account of one is at its usage limit',
    isProjectSafe: false,
    isLive: true,
    fallback: () => false,
    parse: parseBoolean,
  },
  'worker.settingSources': {
    help: 'which CLI settings apply to tasks: user, project, local or several; use project and local only if you trust every repository',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'user',
    parse: (value) => {
      const words = parseWords(value, /^\w+$/, `must name some of ${SOURCES.join(', ')}`, SOURCES.length)
      if (words.some((word) => !SOURCES.includes(word))) throw new Error(`must name some of ${SOURCES.join(', ')}`)
      return SOURCES.filter((source) => words.includes(source)).join(',')
    },
  },
  'worker.dir': {
    help: 'the folder for tasks that neither name nor inherit one; off = refuse such tasks',
    isProjectSafe: false,
    isLive: true,
    fallback: () => null,
    parse: (value, place) => (isOff(value) ? null : (parseFolders(value, place)[0] ?? null)),
  },
  'worker.dirs': {
    help: 'the folders in which tasks may run here, with everything below them; tasks elsewhere are left to other workers; empty = any folder',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: parseFolders,
  },
  'worker.worktreeFolder': {
    help: "the folder for the Git worktrees of tasks; off = the folder worktrees in Lodeline's folder",
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value, place) => (isOff(value) ? null : (parseFolders(value, place)[0] ?? null)),
  },
  'worker.keepWorktrees': {
    help: 'which worktrees are kept after the task: changed (those with changes or of incomplete tasks) or always',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'changed',
    parse: (value) => oneOf(value, KEEP_WORKTREES),
  },
  'worker.liveWords': {
    help: 'whether runs of Claude Code tell words as they are written; their recorded output grows by twice the length of these words',
    isProjectSafe: false,
    isLive: true,
    fallback: () => true,
    parse: parseBoolean,
  },
  'worker.workCopies': {
    help: 'whether the server keeps the files of worktrees after each turn, so that a task goes on with them on another machine',
    isProjectSafe: false,
    isLive: true,
    fallback: () => true,
    parse: parseBoolean,
  },
  'worker.backgroundGraceSeconds': {
    help: 'how many seconds background shells may run after the work is done, 0 to 86400; then they are stopped',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 30,
    parse: (value) => whole(value, 0, 86_400),
  },
  'worker.questionSeconds': {
    help: "how many seconds a run's question waits for an answer, 1 to 86400",
    isProjectSafe: false,
    isLive: true,
    fallback: () => 600,
    parse: (value) => whole(value, 1, 86_400),
  },
  'worker.questionDefault': {
    help: 'the answer to a question that nobody answers in time: deny or allow',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'deny',
    parse: (value) => oneOf(value, ['deny', 'allow'] as const),
  },
  'worker.allow': {
    help: "tool calls approved in advance, as Tool or Tool(pattern): Bash(npm test*), Edit(docs/*); a file tool without a pattern means the task's folder; with ' in FOLDER' behind it only for tasks in that folder",
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: (value) =>
      parseWords(
        value,
        /^[\w.:*-]{1,200}(\(.{1,2000}\))?( in \/[^\n\r]{0,500})?$/s,
        'must be a list of Tool or Tool(pattern), each with or without in FOLDER behind it',
        500,
      ),
  },
  'worker.deny': {
    help: "tool calls that are refused in every permission mode, in the format of worker.allow; files of git, shells, agents' settings, ~/.ssh and Lodeline's folder always are",
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: parseRules,
  },
  'worker.maxPermissionMode': {
    help: `the highest permission mode for tasks here, from least to most: ${PERMISSION_MODES.join(', ')}`,
    isProjectSafe: false,
    isLive: true,
    fallback: () => DEFAULT_MAX_PERMISSION_MODE,
    parse: (value) => oneOf(value, PERMISSION_MODES),
  },
  'worker.sandbox': {
    help: `whether tasks run in a sandbox: ${SANDBOX_MODES.join(', ')}; auto = where bubblewrap works (Linux), require = refuse tasks that can't have one (on macOS: use sandbox-exec)`,
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'auto',
    parse: (value) => oneOf(value, SANDBOX_MODES),
  },
  'worker.writableDirs': {
    help: 'folders that tasks in a sandbox may read and write as well, for example caches of tools',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: parseFolders,
  },
  'worker.network': {
    help: 'what tasks in a sandbox reach beside their model and Lodeline: hosts, *.HOST, HOST:PORT, addresses, ADDRESS/BITS; common = registries of packages and hosts of code, open = the whole network, off = nothing',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [COMMON_NETWORK],
    parse: parseNetwork,
  },
  'worker.passEnvironment': {
    help: 'names of additional environment variables to pass to tasks, for example SSH_AUTH_SOCK or AWS_PROFILE; by default they get no keys but those of their model',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: (value) =>
      parseWords(value, /^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be a list of names of environment variables', 200),
  },
  'worker.mcpServers': {
    help: "names of your own MCP servers that tasks get as well, from the agent CLI's settings, with the keys in them; their tools ask for approval like others",
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    // Nothing whose tools could bear the names of Lodeline's.
    parse: (value) =>
      parseWords(
        value,
        /^(?!lodeline$)(?!.*__)[A-Za-z0-9_-]{1,64}$/,
        'must be a list of at most 50 names of MCP servers, none of them lodeline or with two underscores in a row',
        50,
      ),
  },
}

function parseRules(value: unknown): string[] {
  return parseWords(value, /^[\w*-]{1,200}(\(.{1,2000}\))?$/s, 'must be a list of Tool or Tool(pattern)', 500)
}

const NETWORK_WORDS =
  'must be a list of hosts, *.HOST, HOST:PORT, addresses or ADDRESS/BITS, with common among them or not, or open, or off'

function parseNetwork(value: unknown): string[] {
  const words = parseWords(value, /^\S{1,300}$/, NETWORK_WORDS, 500).map((word) => word.toLowerCase())
  if (words.length === 1 && isOff(words[0])) return []
  const isKnown = (word: string) => word === COMMON_NETWORK || parseNetworkPlace(word) !== null
  const isOpen = words.length === 1 && words[0] === OPEN_NETWORK
  const wrong = isOpen ? undefined : words.find((word) => !isKnown(word))
  if (wrong === OPEN_NETWORK) throw new Error('open stands alone: everything else is in it')
  if (wrong !== undefined) throw new Error(`${NETWORK_WORDS}; ${JSON.stringify(wrong)} is none of these`)
  return words
}

function oneOf<T extends string>(value: unknown, words: readonly T[]): T {
  const found = words.find((word) => word === value)
  if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`)
  return found
}
