import type { AgentName } from '../ids'
import { DAY_MS } from '../time-units'
import { MOST_AGENT_CLIS } from './agent-choice'
import { DEFAULT_TASK_PRIORITY, MAX_TASK_COST_USD, TASK_LIMITS, TASK_RANGES } from './task-limits'

/**
 * The fields of a task that a person, an agent or a program may give, each declared once. The bodies of requests, the options of commands,
 * the arguments of agents' tools, the engine's checks and the dashboard's form derive from these declarations.
 */

/** What every field says of itself. */
interface Named {
  /** One line of help: no capital and no full stop. */
  help: string
  /** The option of commands that sets it, without dashes. */
  option: string
  short?: string
  /** What stands for the value in usage, e.g. `DIR`. */
  value: string
  /** A change may clear it: with `null`, or a list with no items. */
  isClearable?: true
  /** Its name in forms. */
  label?: string
  /** An example of what a person types. */
  example?: string
  /** What precedes its value where a task is described, e.g. `time limit`. */
  shownAs?: string
}

/**
 * - `text`      words of a person, at most `most` characters
 * - `word`      one line that no program takes for a flag
 * - `agent`     ID or name of an agent
 * - `path`      absolute
 * - `id`, `ids` may be unique beginnings
 * - `words`     at most `most`
 * - `clis`      names of agent CLIs, the best first, at most `most`
 * - `duration`  milliseconds
 * - `dollars`   more than 0
 * - `time`      ISO 8601
 */
type TaskField = Named &
  (
    | { kind: 'text' | 'ids' | 'words' | 'clis'; most: number }
    | { kind: 'word' | 'agent' | 'path' | 'id' | 'flag' | 'time' }
    | { kind: 'whole'; least: number; most: number; unit?: string }
    | { kind: 'duration'; least: number; most: number }
    | { kind: 'dollars'; most: number }
    | { kind: 'choice'; choices: readonly string[] }
  )

/** What a task asks of its runs. A follow-up inherits these. */
export const RUN_FIELDS = {
  model: {
    kind: 'word',
    shownAs: 'model',
    option: 'model',
    value: 'MODEL',
    isClearable: true,
    help: "the agent's model (default: the agent's own)",
  },
  permissionMode: {
    kind: 'word',
    shownAs: 'permissions',
    option: 'permission-mode',
    value: 'MODE',
    isClearable: true,
    help: "the agent's permission mode, e.g. acceptEdits or plan",
  },
  maxTurns: {
    kind: 'whole',
    least: 1,
    most: 100_000,
    unit: 'turn',
    label: 'Maximum turns',
    option: 'max-turns',
    value: 'N',
    isClearable: true,
    help: 'end each attempt after N turns',
  },
  maxCostUsd: {
    kind: 'dollars',
    most: MAX_TASK_COST_USD,
    label: 'Maximum US dollars',
    example: '2.50',
    option: 'max-cost',
    value: 'USD',
    isClearable: true,
    help: 'end each attempt when it has cost this much',
  },
  /** Wall clock of one attempt. */
  timeoutMs: {
    kind: 'duration',
    least: 1_000,
    most: 30 * DAY_MS,
    label: 'Time limit',
    example: '30m',
    shownAs: 'time limit',
    option: 'timeout',
    value: 'SPAN',
    isClearable: true,
    help: 'end each attempt after this time',
  },
} as const satisfies Record<string, TaskField>

export const TASK_FIELDS = {
  title: {
    kind: 'text',
    most: TASK_LIMITS.title,
    option: 'title',
    value: 'TEXT',
    help: "a short name (default: the text's first line)",
  },
  priority: {
    kind: 'whole',
    ...TASK_RANGES.priority,
    option: 'priority',
    short: 'p',
    value: 'N',
    help: `${TASK_RANGES.priority.least} to ${TASK_RANGES.priority.most}, higher runs first (default ${DEFAULT_TASK_PRIORITY})`,
  },
  tags: {
    kind: 'words',
    most: TASK_LIMITS.tags,
    option: 'tag',
    value: 'TAG',
    isClearable: true,
    help: 'a tag to find the task by',
  },
  taskType: {
    kind: 'word',
    option: 'type',
    value: 'TYPE',
    isClearable: true,
    help: 'the kind of work, in your own words',
  },
  dir: { kind: 'path', option: 'dir', value: 'DIR', isClearable: true, help: 'working directory' },
  repository: {
    kind: 'word',
    option: 'repository',
    value: 'URL',
    isClearable: true,
    help: 'the remote of the Git repository to work in, instead of a folder; any machine that can fetch it may run the task',
  },
  agentId: {
    kind: 'agent',
    option: 'assign',
    value: 'AGENT',
    isClearable: true,
    help: 'assign it to this worker or specialist (ID or name)',
  },
  agentClis: {
    kind: 'clis',
    most: MOST_AGENT_CLIS,
    label: 'Agent CLI',
    example: 'codex,claude-code',
    option: 'agent',
    value: 'CLI',
    isClearable: true,
    help: 'the agent CLI that runs it, or several, the best first',
  },
  requiredCapabilities: {
    kind: 'words',
    most: TASK_LIMITS.capabilities,
    option: 'capability',
    value: 'X',
    isClearable: true,
    help: 'a capability that the worker must have',
  },
  dependsOn: {
    kind: 'ids',
    most: TASK_LIMITS.dependsOn,
    option: 'after',
    value: 'TASK',
    isClearable: true,
    help: 'start only after this task is completed',
  },
  onDependencyFailure: {
    kind: 'choice',
    choices: ['fail', 'wait'],
    option: 'on-dependency-failure',
    value: 'WHAT',
    help: 'if a task in --after fails: fail too (default), or wait for its retry',
  },
  /** Fork the parent's last finished turn even while the parent is in progress. */
  continueNow: {
    kind: 'flag',
    option: 'continue-now',
    value: '',
    help: 'if the parent is still running: continue from its last finished turn instead of waiting for its end',
  },
  epicId: { kind: 'id', option: 'epic', value: 'ID', isClearable: true, help: 'the epic of the task' },
  issueId: { kind: 'id', option: 'issue', value: 'ID', isClearable: true, help: 'the issue the task works on' },
  ...RUN_FIELDS,
  notBefore: {
    kind: 'time',
    option: 'not-before',
    value: 'TIME',
    isClearable: true,
    help: 'start later: 2h (from now), 18:30, 2026-11-20T18:30',
  },
} as const satisfies Record<string, TaskField>

type Declared = typeof TASK_FIELDS
export type TaskFieldName = keyof Declared
export type RunFieldName = keyof typeof RUN_FIELDS

interface KindValues {
  text: string
  word: string
  agent: string
  path: string
  id: string
  time: string
  ids: string[]
  words: string[]
  clis: AgentName[]
  whole: number
  duration: number
  dollars: number
  flag: boolean
}

/** What a field holds. */
export type TaskFieldValue<Name extends TaskFieldName> = Declared[Name] extends { choices: readonly (infer Choice)[] }
  ? Choice
  : KindValues[Exclude<Declared[Name]['kind'], 'choice'>]

/** Those of a new task; each may be left out. */
export type TaskFields = { -readonly [Name in keyof Declared]?: TaskFieldValue<Name> | undefined }

/** Those of a change. `null` clears. */
export type TaskFieldChanges = {
  -readonly [Name in keyof Declared]?:
    | TaskFieldValue<Name>
    | (Declared[Name] extends { isClearable: true; kind: infer Kind }
        ? Kind extends 'ids' | 'words' | 'clis'
          ? never
          : null
        : never)
    | undefined
}

/** What a task asks of its runs; `null` where it asks nothing. */
export type RunSettings = { -readonly [Name in keyof typeof RUN_FIELDS]: TaskFieldValue<Name> | null }

/** A declaration as code sees it that treats all fields alike. */
export type AnyTaskField = TaskField
/** Whether it holds a list, which a change clears by one with no items instead of `null`. */
export const holdsList = ({ kind }: AnyTaskField): boolean => kind === 'ids' || kind === 'words' || kind === 'clis'

export const taskFieldNames = Object.keys(TASK_FIELDS) as TaskFieldName[]
export const runFieldNames = Object.keys(RUN_FIELDS) as RunFieldName[]

/** Only those of a task. */
export const runSettingsOf = (task: RunSettings): RunSettings =>
  Object.fromEntries(runFieldNames.map((name) => [name, task[name]])) as unknown as RunSettings

/** How a program writes values for people. */
interface Writer {
  text(text: string): string
  count(count: number, unit: string): string
  dollars(usd: number): string
  duration(ms: number): string
}

/** What a task asks of its runs, in words: `model opus`, `20 turns`, `$2.50`, `time limit 30m`. */
export const runSettingsInWords = (settings: RunSettings, write: Writer): string[] =>
  runFieldNames.flatMap((name) => {
    const value = settings[name]
    const field: AnyTaskField = RUN_FIELDS[name]
    if (value === null) return []
    return [
      field.shownAs === undefined ? inWords(field, value, write) : `${field.shownAs} ${inWords(field, value, write)}`,
    ]
  })

function inWords(field: AnyTaskField, value: string | number, write: Writer): string {
  if (typeof value === 'string') return write.text(value)
  if (field.kind === 'dollars') return write.dollars(value)
  if (field.kind === 'duration') return write.duration(value)
  return write.count(value, field.kind === 'whole' ? (field.unit ?? '') : '')
}
