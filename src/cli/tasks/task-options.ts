import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { DEFAULT_RETRY_POLICY } from '../../domain/task/task'
import { parseCostUsd } from '../../domain/task/task-input'
import { DEFAULT_TASK_PRIORITY, TASK_RANGES } from '../../domain/task/task-limits'
import type { Io } from '../kit/io'
import type { OptionSpecs, OptionValues } from '../kit/specs'
import { parseMoment, parseSpan } from '../print/moments'

/** What may be said of a task when it is made and later: the options of `task create`, `run`, `epic add` and `task edit`. */
export const TASK_OPTIONS = {
  title: { kind: 'text', value: 'TEXT', help: "a short name (default: the text's first line)" },
  priority: {
    kind: 'number',
    short: 'p',
    value: 'N',
    min: TASK_RANGES.priority.least,
    max: TASK_RANGES.priority.most,
    help: `${TASK_RANGES.priority.least} to ${TASK_RANGES.priority.most}, higher runs first (default ${DEFAULT_TASK_PRIORITY})`,
  },
  tag: { kind: 'text', value: 'TAG', isRepeated: true, help: 'a tag to find the task by' },
  type: { kind: 'text', value: 'TYPE', help: 'the kind of work, in your own words' },
  dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'working directory' },
  agent: { kind: 'text', value: 'AGENT', help: 'assign it to this agent (ID or name)' },
  capability: { kind: 'text', value: 'X', isRepeated: true, help: 'a capability that the worker must have' },
  after: { kind: 'text', value: 'TASK', isRepeated: true, help: 'start only after this task is completed' },
  'on-dependency-failure': {
    kind: 'text',
    value: 'WHAT',
    choices: ['fail', 'wait'],
    help: 'if a task in --after fails: fail too (default), or wait for its retry',
  },
  'continue-now': {
    kind: 'flag',
    help: 'if the parent is still running: continue from its last finished turn instead of waiting for its end',
  },
  epic: { kind: 'text', value: 'ID', help: 'the epic of the task' },
  issue: { kind: 'text', value: 'ID', help: 'the issue the task works on' },
  model: { kind: 'text', value: 'MODEL', help: "the agent's model (default: the agent's own)" },
  'permission-mode': { kind: 'text', value: 'MODE', help: "the agent's permission mode, e.g. acceptEdits or plan" },
  'max-turns': {
    kind: 'number',
    value: 'N',
    min: TASK_RANGES.maxTurns.least,
    max: TASK_RANGES.maxTurns.most,
    help: 'end each attempt after N turns',
  },
  'max-cost': { kind: 'text', value: 'USD', help: 'end each attempt when it has cost this much' },
  timeout: { kind: 'text', value: 'SPAN', help: 'end each attempt after this, e.g. 30m' },
  attempts: {
    kind: 'number',
    value: 'N',
    min: TASK_RANGES.maximumAttempts.least,
    max: TASK_RANGES.maximumAttempts.most,
    help: `maximum attempts if it fails for a temporary reason (default ${DEFAULT_RETRY_POLICY.maximumAttempts})`,
  },
  'not-before': { kind: 'text', value: 'TIME', help: 'start later: 2h (from now), 18:30, 2026-11-20T18:30' },
  backlog: { kind: 'flag', help: 'put it in the backlog; no worker starts it yet' },
} as const satisfies OptionSpecs

type TaskValues = OptionValues<typeof TASK_OPTIONS>

/**
 * The fields that creating and changing a task have in common, as the API takes them. What was not said is left out.
 *
 * @throws `invalid`  a value that can't be
 */
export function taskFields(options: TaskValues, io: Pick<Io, 'cwd' | 'now'>) {
  const { timeout, attempts, tag, capability, after } = options
  return {
    title: options.title,
    priority: options.priority,
    tags: listed(tag),
    taskType: options.type,
    dir: options.dir === undefined ? undefined : resolve(io.cwd, options.dir),
    agentId: options.agent,
    requiredCapabilities: listed(capability),
    dependsOn: listed(after),
    onDependencyFailure: options['on-dependency-failure'],
    continueNow: options['continue-now'] || undefined,
    epicId: options.epic,
    issueId: options.issue,
    model: options.model,
    permissionMode: options['permission-mode'],
    maxTurns: options['max-turns'],
    maxCostUsd: options['max-cost'] === undefined ? undefined : parseCost(options['max-cost']),
    timeoutMs: timeout === undefined ? undefined : parseSpan('--timeout', timeout),
    retryPolicy: attempts === undefined ? undefined : { maximumAttempts: attempts },
    notBefore:
      options['not-before'] === undefined ? undefined : parseMoment('--not-before', options['not-before'], io.now()),
    status: options.backlog ? ('backlog' as const) : undefined,
  }
}

function listed(values: string[]): string[] | undefined {
  return values.length === 0 ? undefined : values
}

/** @throws `invalid`  it is no amount of US dollars */
function parseCost(text: string): number {
  const cost = parseCostUsd(text)
  if (cost === null) throw new AppError('invalid', `--max-cost needs US dollars like 2.50, not '${text.slice(0, 60)}'.`)
  return cost
}
