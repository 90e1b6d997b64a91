/** What `lode setup claude` puts into Claude Code's settings: which events, with which command. */
import type { HookRow } from '../../../domain/harness/harness-setup'

/** Seconds that the CLI gives a hook of ours before it goes on without it. */
const TIMEOUT_SECONDS = 10

/** The to-do tools and those that launch agents; none that an agent works with. */
export const TOOL_MATCHER = 'TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|Agent|Task'

export interface HookEvent {
  name: string
  /** Whether the hook tells the agent something, or keeps a note for that. */
  answers: boolean
  matcher?: string
  /** The first release that knows it: older ones may refuse a file that names it. */
  since: string
  /** For a person: what it is for. */
  why: string
}

export const HOOK_EVENTS: readonly HookEvent[] = [
  { name: 'SessionStart', answers: true, since: '0', why: 'gives the agent its goal and state' },
  { name: 'PreCompact', answers: true, since: '0', why: 'keeps the goal and state in the summary' },
  { name: 'SessionEnd', answers: true, since: '0', why: 'status; which conversation a cleared one was' },
  { name: 'UserPromptSubmit', answers: true, since: '0', why: 'status; messages for the conversation' },
  { name: 'Stop', answers: true, since: '0', why: 'status; results and questions go to the agent' },
  { name: 'SubagentStop', answers: false, since: '0', why: 'sub-agents' },
  { name: 'Notification', answers: false, since: '0', why: 'status: waits for a person' },
  {
    name: 'PreToolUse',
    answers: true,
    matcher: TOOL_MATCHER,
    since: '0',
    why: 'agents launched; warns of a repeated launch',
  },
  { name: 'PostToolUse', answers: false, matcher: TOOL_MATCHER, since: '0', why: 'to-dos; agents end' },
  { name: 'SubagentStart', answers: false, since: '2.1.10', why: 'sub-agents' },
  { name: 'StopFailure', answers: false, since: '2.1.197', why: 'status: the model could not be reached' },
  { name: 'PostCompact', answers: false, since: '2.1.197', why: 'status' },
]

/** Events behind which a hook waits for messages, to wake the conversation with one. */
const WAKING_EVENTS = ['SessionStart', 'Stop'] as const
/** The first release that was seen to be woken. */
const WAKEABLE_SINCE = '2.1.197'
/** Seconds. A conversation may be idle for longer: the end of its next turn then starts the wait again. */
const WAKE_TIMEOUT_SECONDS = 7 * 24 * 3_600
const WAKE = ' hook --wake'

/**
 * The rows for a release of the CLI.
 *
 * @param version  `null` = not known: only what every release knows
 * @param lode  the program as one shell word, with the options that every call has
 * @param wakes  hooks that wait, too: they wake an idle conversation for what it waits for
 */
export function hookRows(lode: string, version: string | null, wakes = false): HookRow[] {
  const canWake = wakes && version !== null && !isOlder(version, WAKEABLE_SINCE)
  const waiting = canWake ? WAKING_EVENTS.map((event) => ({ event, command: `${lode}${WAKE}` })) : []
  const rows = HOOK_EVENTS.filter(({ since }) => since === '0' || (version !== null && !isOlder(version, since))).map(
    ({ name, matcher, answers }) => ({
      event: name,
      ...(matcher !== undefined && { matcher }),
      command: `${lode} hook${answers ? ' --answer' : ''}`,
    }),
  )
  return [...rows, ...waiting]
}

/** A row as it stands in the settings, within its event. */
export function groupOf({ matcher, command }: HookRow): Record<string, unknown> {
  const waits = command.endsWith(WAKE)
  return {
    ...(matcher !== undefined && { matcher }),
    hooks: [
      waits
        ? { type: 'command', command, timeout: WAKE_TIMEOUT_SECONDS, asyncRewake: true }
        : { type: 'command', command, timeout: TIMEOUT_SECONDS },
    ],
  }
}

/** From here on newer models are given no to-do tools unless the person asks for them. */
const WITHOUT_TODO_TOOLS = '2.1.233'
export const TODO_TOOLS_VARIABLE = 'CLAUDE_CODE_ENABLE_TODO_TOOLS'

/** The newest tested release that offers what tools there are at once. */
const OFFERED_AT_ONCE = '2.1.240'

/** Whether models that have to-do tools are shown them only after they search for tools. */
export const defersTodoTools = (version: string): boolean => isOlder(OFFERED_AT_ONCE, version)

export const hidesTodoTools = (version: string): boolean => !isOlder(version, WITHOUT_TODO_TOOLS)

export function isOlder(version: string, than: string): boolean {
  const a = version.split('.').map(Number)
  const b = than.split('.').map(Number)
  for (let i = 0; i < 3; i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) < (b[i] ?? 0)
  return false
}
